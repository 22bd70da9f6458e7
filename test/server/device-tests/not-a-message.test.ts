import * as assert from 'uvu/assert';
import { createAudienceHelpers } from '../../support/server/audience';
import { createDeviceTestHelpers } from '../../support/server/device-tests';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('device tests and messages');
let deviceTests: ReturnType<typeof createDeviceTestHelpers>;
let audience: ReturnType<typeof createAudienceHelpers>;
let admin: Person;
let ana: Person;
let key: { token: string };
let testId: string;
let messageId: string;

test.before.each(async () => {
  deviceTests = createDeviceTestHelpers(server);
  audience = createAudienceHelpers(server);
  admin = await server.createPerson('ADMIN');
  ana = await server.createPerson('TECHNICIAN', { username: 'ana' });
  const phone = await deviceTests.register(ana, 'phone');
  key = phone.key;
  testId = (await deviceTests.startTest(ana, phone.id)).body.id;
  await deviceTests.settleDue({ kind: 'accepted' });
  ({ message_id: messageId } = await server.services.db
    .selectFrom('tests')
    .select('message_id')
    .executeTakeFirstOrThrow());
});

test('lists and finds no test among messages', async () => {
  const { body } = await audience.send({ userIds: [ana.id], message: 'Power is off' });
  const list = async (query: Record<string, string>) => {
    const listResponse = await server.call('GET /api/admin/messages', { as: admin, query });
    return [listResponse.body.total, listResponse.body.messages.map(({ id }) => id)];
  };
  assert.equal(await list({}), [1, [body.messageId]]);
  assert.equal(await list({ query: 'test' }), [0, []]);
  assert.equal(await list({ query: '%' }), [0, []]);
});

test('rejects reading, canceling or repeating a test as a message', async () => {
  for (const id of [messageId, testId]) {
    const requests = [
      `GET /api/admin/messages/${id}`,
      `GET /api/admin/messages/${id}/recipients`,
      `GET /api/admin/messages/${id}/recipients.csv`,
      `POST /api/admin/messages/${id}/cancel`,
      `POST /api/admin/messages/${id}/repeat`,
      `GET /api/notifications/messages/${id}`,
    ];
    for (const request of requests) {
      const [method = '', path = ''] = request.split(' ');
      const as = path.startsWith('/api/admin') ? admin : ana;
      const { status } = await server.request(path, {
        method,
        headers: { Authorization: `Bearer ${as.token}` },
      });
      assert.is(status, 404, request);
    }
  }
});

test('adds no test to the inbox or the unread count', async () => {
  await deviceTests.reportReceipts(key, { messageId: testId, kind: 'displayed' });
  const inbox = async () => {
    const { body } = await server.call('GET /api/notifications/messages', { as: ana });
    return [body.messages.map(({ seq }) => seq), body.unread, body.newest];
  };
  assert.equal(await inbox(), [[], 0, 0]);
  await audience.send({ userIds: [ana.id] });
  assert.equal(await inbox(), [[1], 1, 1]);
  const [claim] = await deviceTests.claimAll();
  assert.equal([claim?.message.testId, claim?.recipient?.unread], [null, 1]);
});

test('sends a test although every topic is muted', async () => {
  const topic = await server.createTopic();
  await server.services.db
    .insertInto('subscriptions')
    .values({ user_id: ana.id, topic_id: topic, created_at: 0 })
    .execute();
  await audience.muteTopic(ana, topic);
  const { rows } = { rows: await server.services.db.selectFrom('devices').selectAll().execute() };
  await deviceTests.startTest(ana, rows[0]?.id ?? 0);
  const claims = await deviceTests.claimAll();
  assert.equal(
    claims.map(({ skipReason, recipient }) => [skipReason, recipient?.topicId]),
    [[undefined, null]],
  );
});

test.run();
