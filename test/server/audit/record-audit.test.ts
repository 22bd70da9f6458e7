import { sql } from 'kysely';
import * as assert from 'uvu/assert';
import { deleteOldEntries } from '../../../server/audit-log/delete-old-entries';
import { inTransaction } from '../../../server/db/transaction';
import { actAs, recordAudit } from '../../../server/audit/record-audit';
import { readAuditLines, readAuditLog, writeAuditEntries } from '../../support/server/audit';
import { createServer, serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('recording audit entries');

const DAY_MS = 24 * 60 * 60 * 1000;
const KEPT_DAYS = 365;
const count = async (): Promise<number> =>
  (await server.services.db.selectFrom('audit_entries').select('id').execute()).length;

test('records who did what to whom, when, and from which network', async () => {
  const ana = await server.createPerson('ADMIN', { username: 'Ana' });
  const ben = await server.createPerson('TECHNICIAN', { username: 'Ben' });
  await server.changeRole(ana, ben.id, 'ADMIN');
  const [entry] = await readAuditLog(server, ana);
  assert.equal(
    { ...entry, id: 0 },
    {
      id: 0,
      at: new Date(server.clock.now).toISOString(),
      actor: 'Ana',
      action: 'user.role',
      target: 'Ben',
      detail: 'Technician to Admin',
      network: '192.0.2.0/24',
    },
  );
});

test("records the client's network behind a trusted proxy, as /24 or /48", async () => {
  const serverBehindProxy = await createServer({ environment: { TRUSTED_PROXIES: '192.0.2.1' } });
  const networkOf = async (at: typeof server, from: string, forwarded: string) => {
    const ana = await at.createPerson('ADMIN');
    await at.call('POST /api/admin/topics', {
      as: ana,
      body: { title: 'T', description: 'D' },
      headers: { 'X-Forwarded-For': forwarded },
      from,
    });
    return (await readAuditLog(at, ana))[0]?.network;
  };
  assert.is(await networkOf(serverBehindProxy, '192.0.2.1', '203.0.113.77'), '203.0.113.0/24');
  assert.is(await networkOf(serverBehindProxy, '192.0.2.1', '2001:db8:1:2::3'), '2001:db8:1::/48');
  assert.is(await networkOf(serverBehindProxy, '192.0.2.1', '2001:db8::3'), '2001:db8::/48');
  assert.is(await networkOf(server, '::1', ''), '::/48');
  assert.is(await networkOf(server, '2001:0:10::3', ''), '2001:0:10::/48');
  assert.is(await networkOf(server, '192.0.2.1', '203.0.113.77'), '192.0.2.0/24');
  await serverBehindProxy.close();
});

test('records nothing for rejected or ineffective calls', async () => {
  const ana = await server.createPerson('ADMIN');
  const topicId = await server.createTopic();
  const body = { userId: ana.id, topicId };
  await server.call('POST /api/admin/subscriptions', { as: ana, body });
  await server.call('POST /api/admin/subscriptions', { as: ana, body });
  await server.call('DELETE /api/admin/subscriptions', { as: ana, body });
  await server.call('DELETE /api/admin/subscriptions', { as: ana, body });
  const params = { id: ana.id };
  await server.call('DELETE /api/admin/users/:id', { as: ana, params });
  await server.call('PUT /api/admin/users/:id/role', { as: ana, params, body: { role: 'ADMIN' } });
  const actions = (await readAuditLog(server, ana)).map(({ action }) => action);
  assert.equal(actions, ['subscription.remove', 'subscription.add']);
});

test('removes the entry when its change is rolled back', async () => {
  const failed = inTransaction(server.services.db, async (transaction) => {
    actAs({ by: { name: 'key: test' }, at: 0 }, transaction);
    await recordAudit({ action: 'topic.add', on: 'T' }, transaction);
    throw new Error('too late');
  });
  await failed.catch(() => undefined);
  assert.is(await count(), 0);
});

test('writes thousands of entries at once, in order', async () => {
  const ana = await server.createPerson('ADMIN', { username: 'Ana' });
  const people = Array.from({ length: 3000 }, (_, index) => ({
    action: 'subscription.add' as const,
    person: ana.id,
    detail: `Topic "${index}" '\\ ü`,
  }));
  await writeAuditEntries(server, people);
  await writeAuditEntries(server, []);
  assert.is(await count(), 3000);
  const [last, before] = await readAuditLog(server, ana);
  assert.is(last?.detail, `Topic "2999" '\\ ü`);
  assert.is(before?.detail, `Topic "2998" '\\ ü`);
  assert.equal([last?.actor, last?.target, last?.network], ['key: test', 'Ana', null]);
});

test('names Fieldbell as the author of automatic changes', async () => {
  const ana = await server.createPerson('ADMIN');
  await inTransaction(server.services.db, (transaction) =>
    recordAudit({ action: 'message.send', on: 'Storms' }, transaction),
  );
  assert.equal(await readAuditLines(server, ana), ['Fieldbell message.send Storms']);
});

test("removes a deleted person's name from the log and from searches", async () => {
  const ana = await server.createPerson('ADMIN', { username: 'Ana' });
  const ben = await server.createPerson('ADMIN', {
    username: 'Benedetta',
    email: 'b@mail.example',
  });
  await server.call('POST /api/admin/topics', { as: ben, body: { title: 'T', description: 'D' } });
  const params = { id: ben.id };
  await server.call('PUT /api/admin/users/:id/role', {
    as: ana,
    params,
    body: { role: 'CUSTOMER' },
  });
  assert.is((await readAuditLines(server, ana, 'benedetta')).length, 2);
  await server.call('DELETE /api/admin/users/:id', { as: ana, params });
  const deleted = `deleted user ${ben.id}`;
  assert.equal(await readAuditLines(server, ana), [
    `Ana user.delete ${deleted}`,
    `Ana user.role ${deleted}: Admin to Customer`,
    `${deleted} topic.add T`,
  ]);
  assert.equal(await readAuditLines(server, ana, 'benedetta'), []);
  assert.is((await readAuditLines(server, ana, deleted)).length, 3);
  const rows = await server.services.db.selectFrom('audit_entries').selectAll().execute();
  assert.not(/benedetta|mail\.example/i.test(JSON.stringify(rows)));
});

const expectRejection = async (statement: string): Promise<void> => {
  const error = await sql
    .raw(statement)
    .execute(server.services.db)
    .then(
      () => undefined,
      (reason: Error) => reason,
    );
  assert.match(error?.message ?? 'It was done.', /^Entries of the audit log are/, statement);
};

test('rejects changes of an entry, and early deletion, in the database', async () => {
  await writeAuditEntries(server, [{ action: 'topic.add', on: 'T' }, { action: 'topic.delete' }]);
  await expectRejection(`update audit_entries set detail = 'another'`);
  await expectRejection(`update audit_entries set actor_id = null where id = 1`);
  await expectRejection('delete from audit_entries');
  await expectRejection('delete from audit_entries where id = 2');
  if (server.engine === 'postgres') await expectRejection('truncate audit_entries');
  assert.is(await count(), 2);
});

const deleteOld = (days = KEPT_DAYS): Promise<void> =>
  deleteOldEntries(server.services.db, server.clock.now, days, new AbortController().signal);

test('deletes expired entries, however many, and protects all others', async () => {
  const old = Array.from({ length: 1500 }, () => ({ action: 'topic.add' as const }));
  await writeAuditEntries(server, old, { at: server.clock.now - KEPT_DAYS * DAY_MS - 1 });
  await writeAuditEntries(
    server,
    { action: 'topic.delete' },
    { at: server.clock.now - KEPT_DAYS * DAY_MS },
  );
  await deleteOld();
  assert.is(await count(), 1);
  await deleteOld();
  await expectRejection('delete from audit_entries');
  await deleteOld(KEPT_DAYS + 35);
  assert.is(await count(), 1);
});

test.run();
