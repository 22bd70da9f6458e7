import * as assert from 'uvu/assert';
import { MAX_FAILURE_ENTRIES, recordFailure } from '../../../server/audit/repeats';
import { inTransaction } from '../../../server/db/transaction';
import { readAuditLines } from '../../support/server/audit';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('sign-ins in the audit log');

const HOUR_MS = 60 * 60 * 1000;
let ana: Person;
test.before.each(async () => {
  ana = await server.createPerson('ADMIN', { username: 'ana', password: 'the right one' });
});

const signIn = (username: string, password: string, from?: string) =>
  server.call('POST /api/auth/login', {
    body: { username, password },
    ...(from !== undefined && { from }),
  });
const fail = (userId: number | undefined, network: string, at = server.clock.now) =>
  inTransaction(server.services.db, (transaction) =>
    recordFailure(userId, 'Wrong password', { network, at }, transaction),
  );

test('records a sign-in and wrong passwords from the first one on', async () => {
  await signIn('ana', 'a wrong one');
  await signIn('ana', 'the right one');
  assert.equal(await readAuditLines(server, ana), [
    'ana login ana: With a password',
    'unknown login.failed ana: Wrong password',
  ]);
});

test('never stores an unknown name that someone typed', async () => {
  await signIn('my secret password', 'x');
  assert.equal(await readAuditLines(server, ana), [
    'unknown login.failed unknown account: Wrong password',
  ]);
  const rows = await server.services.db.selectFrom('audit_entries').selectAll().execute();
  assert.not(JSON.stringify(rows).includes('secret'));
});

test('records the first, second, fourth and eighth wrong password from one network', async () => {
  for (let times = 0; times < 9; times += 1) await signIn('ana', 'wrong');
  const repeatedLine = (times: number): string =>
    `unknown login.failed ana: Wrong password, ${times} times within an hour`;
  assert.equal(await readAuditLines(server, ana), [
    repeatedLine(8),
    repeatedLine(4),
    repeatedLine(2),
    'unknown login.failed ana: Wrong password',
  ]);
});

test('starts a new count per network and hour', async () => {
  await fail(ana.id, '192.0.2.0/24');
  await fail(ana.id, '198.51.100.0/24');
  server.clock.now += HOUR_MS;
  await fail(ana.id, '192.0.2.0/24');
  // The clock was set back.
  await fail(ana.id, '192.0.2.0/24', server.clock.now - 2 * HOUR_MS);
  assert.equal(
    await readAuditLines(server, ana),
    Array(4).fill('unknown login.failed ana: Wrong password'),
  );
});

test('counts each account separately on a shared network', async () => {
  const ben = await server.createPerson('ADMIN', { username: 'ben', password: 'the right one' });
  for (const { id } of [ana, ben]) await fail(id, '192.0.2.0/24');
  await fail(undefined, '192.0.2.0/24');
  for (const { username } of [ana, ben]) await signIn(username, 'the right one');
  assert.equal(await readAuditLines(server, ana), [
    'ben login ben: With a password',
    'ana login ana: With a password',
    'unknown login.failed unknown account: Wrong password',
    'unknown login.failed ben: Wrong password',
    'unknown login.failed ana: Wrong password',
  ]);
});

test('limits the entries of an attack from a thousand networks, and records its size', async () => {
  await inTransaction(server.services.db, async (transaction) => {
    for (let network = 0; network < 1100; network += 1) {
      const from = { network: `10.0.${network}.0/24`, at: server.clock.now };
      await recordFailure(network % 2 ? ana.id : undefined, 'Wrong password', from, transaction);
    }
  });
  const { body } = await server.call('GET /api/admin/audit', { as: ana });
  assert.is(body.total, MAX_FAILURE_ENTRIES + 3);
  assert.is(
    (await readAuditLines(server, ana))[0],
    'unknown login.failed many accounts: 1024 times within an hour, across all networks',
  );
});

test.run();
