import * as assert from 'uvu/assert';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('suspension');
const PASSWORD = 'correct horse battery';
const SUSPENDED = 'This account is suspended. Contact an administrator.';
let admin: Person;
let ana: Person;
let topic: number;

test.before.each(async () => {
  admin = await server.createPerson('ADMIN', { username: 'boss' });
  const email = 'ana@mail.example';
  ana = await server.createPerson('ADMIN', { username: 'ana', email, password: PASSWORD });
  topic = await server.createTopic('Storm');
  await server.subscribe(admin, ana.id, topic);
  await server.registerDevice(ana, 'phone');
  await server.setPreference(ana, await createMutedTopic(), false);
});

const createMutedTopic = async (): Promise<number> => {
  const mutedTopicId = await server.createTopic('Muted');
  await server.subscribe(admin, ana.id, mutedTopicId);
  return mutedTopicId;
};
const suspend = (id = ana.id) =>
  server.call('POST /api/admin/users/:id/suspend', { as: admin, params: { id } });
const reinstate = () =>
  server.call('POST /api/admin/users/:id/reinstate', { as: admin, params: { id: ana.id } });
const countAudience = async () =>
  (
    await server.call('POST /api/admin/messages/audience', {
      as: admin,
      body: { topicIds: [topic], userIds: [ana.id] },
    })
  ).body;
const countRows = async (table: 'recipients' | 'devices' | 'jobs'): Promise<number> => {
  const countQuery = server.services.db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll().as('total'));
  return Number((await countQuery.executeTakeFirstOrThrow()).total);
};

test('signs a suspended person out everywhere and rejects sign-ins until reinstated', async () => {
  const { body } = await suspend();
  assert.is(body.suspendedAt, new Date(server.clock.now).toISOString());
  assert.is(body.status, 'ACTIVE');
  assert.is((await server.call('GET /api/account', { as: ana })).status, 401);
  assert.is(await countRows('devices'), 0);
  const signIn = await server.signIn('ana', PASSWORD);
  assert.equal([signIn.status, signIn.error], [401, SUSPENDED]);
  // Only a right password reveals the suspension.
  assert.is((await server.signIn('ana', 'wrong')).error, 'Invalid username or password.');
  assert.is((await reinstate()).body.suspendedAt, null);
  assert.is((await server.call('GET /api/account', { as: ana })).status, 401);
  assert.is((await server.signIn('ana', PASSWORD)).status, 200);
});

test('notifies no suspended person, by topic or name, and restores subscriptions', async () => {
  assert.is((await countAudience()).people, 1);
  const list = () =>
    server.call('GET /api/admin/users/:id/subscriptions', { as: admin, params: { id: ana.id } });
  const before = (await list()).body;
  await server.sendToTopic(admin, topic, { message: 'Queued before' });
  await suspend();
  const counts = await countAudience();
  assert.equal([counts.people, counts.unreachable, counts.suspended], [0, 0, 1]);
  const reach = await server.call('GET /api/admin/reach', { as: admin });
  assert.equal(
    reach.body.people.map(({ user }) => user.username),
    ['boss'],
  );
  assert.is(reach.body.suspended, 1);
  const recipients = await countRows('recipients');
  await server.sendToTopic(admin, topic, { message: 'During' });
  await server.sendMessage(admin, { userIds: [ana.id], message: 'By name' });
  assert.is(await countRows('recipients'), recipients);
  await reinstate();
  assert.equal((await list()).body, before);
  assert.is((await countAudience()).people, 1);
});

test('sends a suspended person no mail', async () => {
  await server.requestPasswordReset('ana@mail.example');
  await suspend();
  await server.sendMails();
  await server.requestPasswordReset('ana@mail.example');
  await server.sendMails();
  assert.equal(server.mails, []);
});

test('disables the registration link of a suspended person', async () => {
  const { body } = await server.addUser(admin, 'Ben', 'CUSTOMER');
  const token = body.user.registrationToken ?? '';
  const { body: suspended } = await suspend(body.user.id);
  assert.is(suspended.registrationToken, undefined);
  const { status } = await server.completeRegistration(token, PASSWORD, 'ben@mail.example');
  assert.is(status, 400);
  const invitations = await server.call('GET /api/admin/invitations', { as: admin });
  assert.is(invitations.body.total, 0);
});

test('suspends neither the caller nor, by a detour, the last administrator', async () => {
  const ownResponse = await suspend(admin.id);
  assert.equal([ownResponse.status, ownResponse.error], [409, 'You cannot suspend yourself.']);
  await suspend();
  assert.is((await server.changeRole(admin, admin.id, 'CUSTOMER')).status, 409);
  assert.is((await server.deleteUser(admin, admin.id)).status, 409);
});

test.run();
