import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { runCommand } from '../../../server/cli/commands';
import { onPostgres } from '../../support/database/database';
import type { Authenticator } from '../../support/server/authenticator';
import { createPasskeyHelpers } from '../../support/server/passkeys';
import { addAuthenticatorApp } from '../../support/server/two-factor';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('revoked access after a restore', {
  environment: { PASSKEYS: 'true' },
});

const config = () => server.services.config;
const run = (...commandWords: string[]) => runCommand(commandWords, config());
const file = (name: string): string => join(config().dataDir, name);
const database = (): string => config().databaseUrl ?? '';

async function backUp(): Promise<void> {
  if (!onPostgres) assert.ok((await run('backup', file('copy.db'))).done);
  else execFileSync('pg_dump', ['--clean', '--if-exists', '-f', file('copy.sql'), database()]);
}

const pgRestore = (): void =>
  void execFileSync('psql', ['-q', '-v', 'ON_ERROR_STOP=1', '-f', file('copy.sql'), database()], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });

/** @returns what the operator reads */
async function restore(): Promise<string> {
  if (!onPostgres) return (await run('restore', file('copy.db'))).output;
  const access = file(`access-${Math.random()}`);
  assert.ok((await run('save-access', access)).done);
  pgRestore();
  return (await run('apply-access', access)).output;
}

const signIn = async (username: string, password: string): Promise<number> =>
  (await server.signIn(username, password)).status;

/** A company where each kind of access ends once, except the first administrator's. */
async function createCompany() {
  const password = 'a good password';
  const [boss, gonePerson, former, changedPerson, apart] = await Promise.all([
    server.createPerson('ADMIN', { username: 'boss', password }),
    server.createPerson('ADMIN', { username: 'gone', email: 'gone@x.example', password }),
    server.createPerson('ADMIN', { username: 'former', password }),
    server.createPerson('TECHNICIAN', { username: 'changed', password }),
    server.createPerson('ADMIN', { username: 'apart', password }),
  ]);
  await addAuthenticatorApp(apart, server.services);
  const { addPasskeyTo } = createPasskeyHelpers(server, password);
  const passkeys = [
    await addPasskeyTo(boss),
    await addPasskeyTo(boss),
    await addPasskeyTo(changedPerson),
  ] as const;
  const [topic, endingTopic] = [await server.createTopic(), await server.createTopic()];
  const addKey = async (name: string, id = topic) =>
    (
      await server.call('POST /api/admin/topics/:id/keys', {
        as: boss,
        params: { id },
        body: { name },
      })
    ).body;
  const keys = {
    revoked: await addKey('SCADA north'),
    ofTopic: await addKey('SCADA south', endingTopic),
    kept: await addKey('SCADA east'),
  };
  const { body: link } = await server.addUser(boss, 'invited', 'CUSTOMER');
  const register = async (as: typeof changedPerson) =>
    (await server.registerDevice(as, `of-${as.username}`)).body;
  const sending = await createSenders(boss, topic, password);
  const devices = { lost: await register(changedPerson), kept: await register(boss) };
  return {
    boss,
    gone: gonePerson,
    former,
    changed: changedPerson,
    apart,
    passkeys,
    keys,
    link,
    devices,
    sending,
    endingTopic,
    password,
  };
}

/** `lead` sends by name and audits, `leaver` and `stayer` send as members of a team. */
async function createSenders(boss: Person, topic: number, password: string) {
  const [lead, leaver, stayer] = await Promise.all(
    ['lead', 'leaver', 'stayer'].map((username) =>
      server.createPerson('TECHNICIAN', { username, password }),
    ),
  );
  if (lead === undefined || leaver === undefined || stayer === undefined) throw new Error();
  const { body: team } = await server.call('POST /api/admin/teams', {
    as: boss,
    body: { name: 'North crew' },
  });
  await server.call('POST /api/admin/teams/:id/members', {
    as: boss,
    params: { id: team.id },
    body: { userIds: [leaver.id, stayer.id] },
  });
  const setSenders = (userIds: number[]) =>
    server.call('PUT /api/admin/topics/:id/senders', {
      as: boss,
      params: { id: topic },
      body: { userIds, teamIds: [team.id] },
    });
  await setSenders([lead.id]);
  const setAuditor = (isAuditor: boolean) =>
    server.call('PUT /api/admin/users/:id/auditor', {
      as: boss,
      params: { id: lead.id },
      body: { isAuditor },
    });
  await setAuditor(true);
  return {
    end: async () => {
      await setSenders([]);
      await setAuditor(false);
      await server.call('DELETE /api/admin/teams/:id/members', {
        as: boss,
        params: { id: team.id },
        body: { userIds: [leaver.id] },
      });
    },
  };
}

async function endAll({
  boss,
  gone,
  former,
  changed,
  apart,
  passkeys,
  keys,
  link,
  sending,
  endingTopic,
}: Company): Promise<void> {
  await sending.end();
  await server.deleteUser(boss, gone.id);
  await server.call('POST /api/admin/users/:id/suspend', {
    as: boss,
    params: { id: apart.id },
  });
  await server.changeRole(boss, former.id, 'CUSTOMER');
  assert.ok((await run('reset-password', changed.username)).done);
  assert.ok((await run('remove-totp', apart.username)).done);
  await server.call('DELETE /api/admin/keys/:id', { as: boss, params: { id: keys.revoked.id } });
  const { row } = passkeys[0];
  await server.call('DELETE /api/account/passkeys/:id', { as: boss, params: { id: row.id } });
  await server.call('DELETE /api/admin/topics/:id', { as: boss, params: { id: endingTopic } });
  const token = link.user.registrationToken ?? '';
  await server.completeRegistration(token, 'their own password', 'i@x.example');
}
type Company = Awaited<ReturnType<typeof createCompany>>;

/** Each access, tried by its former owner. */
async function tryAccess({ former, passkeys, keys, link, devices, password }: Company) {
  const says = (token: string, path: string, body: string, type: string) =>
    server
      .request(path, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': type },
        body,
      })
      .then(({ status }) => status);
  const signedIn = await server.signIn(former.username, password);
  const reads = async (name: string, path: string): Promise<number> => {
    const { body } = await server.signIn(name, password);
    const headers = { Authorization: `Bearer ${body.token}` };
    return (await server.request(path, { headers })).status;
  };
  const SENDING = '/api/sending/topics';
  const enters = async (passkey: Authenticator) =>
    (await createPasskeyHelpers(server, password).signIn(passkey)).status;
  const publish = ({ key }: { key: string }) => says(key, '/api/publish', 'Hi', 'text/plain');
  const receipts = (of: { deviceKey: string }) =>
    says(of.deviceKey, '/api/notifications/receipts', '{"receipts":[]}', 'application/json');
  const link2 = await server.completeRegistration(
    link.user.registrationToken ?? '',
    'x'.repeat(12),
    'e@x.example',
  );
  return {
    deleted: await signIn('gone', password),
    demoted: signedIn.body.user.role,
    suspended: (await server.signIn('apart', password)).error,
    'old password': await signIn('changed', password),
    passkeys: [await enters(passkeys[0]), await enters(passkeys[1]), await enters(passkeys[2])],
    keys: [await publish(keys.revoked), await publish(keys.ofTopic), await publish(keys.kept)],
    senders: [
      await reads('lead', SENDING),
      await reads('leaver', SENDING),
      await reads('stayer', SENDING),
    ],
    auditor: await reads('lead', '/api/admin/audit'),
    'used link': link2.status,
    'own password': await signIn('invited', 'their own password'),
    'lost device': await receipts(devices.lost),
    'kept device': await receipts(devices.kept),
    administrator: await signIn('boss', password),
  };
}

test('keeps every access revoked that ended since the backup', async () => {
  const company = await createCompany();
  await backUp();
  await endAll(company);
  const ends = await tryAccess(company);
  const output = await restore();
  assert.equal(await tryAccess(company), ends);
  assert.equal(ends, {
    deleted: 401,
    demoted: 'CUSTOMER',
    suspended: 'This account is suspended. Contact an administrator.',
    'old password': 401,
    passkeys: [401, 200, 401],
    keys: [401, 401, 202],
    senders: [403, 403, 200],
    auditor: 403,
    'used link': 400,
    'own password': 200,
    'lost device': 401,
    'kept device': 200,
    administrator: 200,
  });
  for (const line of [
    '1 deleted person: gone',
    '1 person who lost the administrator role: former',
    '1 person who lost auditor access: lead',
    '1 person who may no longer send to a topic: lead',
    '1 person who left a team that may send to a topic: leaver',
    '1 suspended person: apart',
    '1 changed or removed password: changed',
    '1 changed or removed authenticator app: apart',
    '2 removed passkeys: boss, changed',
    '1 used, replaced or expired registration link: invited',
    '1 signed-out device: changed',
    '2 revoked topic keys: SCADA north, SCADA south',
  ])
    assert.match(output, `  ${line}\n`);
  assert.is((await server.call('GET /api/admin/users', { as: company.boss })).status, 401);
  await restore();
  assert.equal(await tryAccess(company), ends, 'also when the backup is restored once more');
  const jobs = await server.services.db
    .selectFrom('jobs')
    .select('subject')
    .where('kind', '=', 'forget-person')
    .execute();
  assert.ok(
    jobs.some(({ subject }) => subject.includes('"gone@x.example"')),
    'what names the deleted person goes once more',
  );
});

test('keeps heartbeats as they are: a deleted one alerts no one, and no machine is silent', async () => {
  const { boss, keys } = await createCompany();
  const headers = { Authorization: `Bearer ${keys.kept.key}` };
  const beat = (name: string) => server.request(`/api/heartbeat/${name}?every=60`, { headers });
  for (const name of ['old', 'pump']) await beat(name);
  await backUp();
  const read = () => server.services.db.selectFrom('heartbeats').selectAll().execute();
  const [old] = await read();
  await server.call('DELETE /api/admin/heartbeats/:id', { as: boss, params: { id: old?.id ?? 0 } });
  server.clock.now += 100_000;
  await beat('pump');
  await restore();
  const [pump, ...more] = await read();
  assert.equal([pump?.name, pump?.last_at, more], ['pump', server.clock.now, []]);
  const jobs = server.services.db.selectFrom('jobs').where('kind', '=', 'heartbeat');
  assert.equal(await jobs.select('subject').execute(), [{ subject: String(pump?.id) }]);
});

test('lists revoked access before a restore, and brings it back on request', async () => {
  const company = await createCompany();
  await backUp();
  await endAll(company);
  if (onPostgres) {
    await run('save-access', file('access'));
    pgRestore();
    assert.match(
      (await run('apply-access', '--list', file('access'))).output,
      '1 deleted person: gone',
    );
  } else {
    assert.match(
      (await run('restore', '--list', file('copy.db'))).output,
      '1 deleted person: gone',
    );
    assert.is(await signIn('gone', company.password), 401);
    assert.ok((await run('restore', '--bring-back', file('copy.db'))).done);
  }
  assert.is(await signIn('gone', company.password), 200);
  assert.is(await signIn('changed', company.password), 200);
});

test('warns when a restore leaves no administrator', async () => {
  const [oldPerson, nextPerson] = [
    await server.createPerson('ADMIN'),
    await server.createPerson('TECHNICIAN'),
  ];
  await backUp();
  assert.not.match(await restore(), 'No administrator');
  const { db } = server.services;
  await db.updateTable('users').set({ role: 'ADMIN' }).where('id', '=', nextPerson.id).execute();
  await db.deleteFrom('users').where('id', '=', oldPerson.id).execute();
  assert.match(await restore(), 'No administrator is left. Add one with the admin command');
});

if (onPostgres)
  test('rejects an access file that is cut off, too old, or of another installation', async () => {
    await createCompany();
    assert.ok((await run('save-access', file('access'))).done);
    const whole = readFileSync(file('access'), 'utf8');
    const apply = async (text: string): Promise<string> => {
      writeFileSync(file('other'), text);
      const { done, output } = await run('apply-access', file('other'));
      assert.not(done);
      return output;
    };
    assert.match(await apply(whole.slice(0, -'"end"\n'.length)), 'is incomplete');
    assert.match(await apply('hello'), 'was not written by save-access');
    assert.match(await apply(whole.replace(/"installation":"../, '"installation":"--')), 'another');
    await run('create', 'later');
    assert.match(
      (await run('apply-access', file('access'))).output,
      'was saved before the last change to this database',
    );
    assert.match((await run('save-access', file('access'))).output, /EEXIST/);
  });

test.run();
