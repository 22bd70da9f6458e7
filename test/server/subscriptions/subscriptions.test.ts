import * as assert from 'uvu/assert';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('subscriptions');
let admin: Person;
let ana: Person;

test.before.each(async () => {
  admin = await server.createPerson('ADMIN');
  ana = await server.createPerson('TECHNICIAN');
});

const subscribe = (topicId: number) => server.subscribe(admin, ana.id, topicId);
const unsubscribe = (topicId: number) =>
  server.call('DELETE /api/admin/subscriptions', { as: admin, body: { userId: ana.id, topicId } });
const readOwnSubscriptions = async () =>
  (await server.call('GET /api/notifications/my-subscriptions', { as: ana })).body;

test('shows the same subscription to the person, the administrator and the old path', async () => {
  const topic = await server.createTopic('Outages');
  const { status, body } = await subscribe(topic);
  assert.is(status, 200);
  assert.equal(body, {
    id: body.id,
    createdAt: new Date(server.clock.now).toISOString(),
    topic: { id: topic, title: 'Outages', description: 'About Outages' },
  });
  assert.equal(await readOwnSubscriptions(), [body]);
  assert.equal((await server.call('GET /notifications/subscriptions', { as: ana })).body, [body]);
  assert.equal(
    (
      await server.call('GET /api/admin/users/:id/subscriptions', {
        as: admin,
        params: { id: ana.id },
      })
    ).body,
    [body],
  );
  assert.equal(
    (await server.call('GET /api/notifications/my-subscriptions', { as: admin })).body,
    [],
  );
});

test('returns the same subscription when subscribing again', async () => {
  const topic = await server.createTopic();
  const ids = await Promise.all(
    Array.from({ length: 5 }, async () => (await subscribe(topic)).body.id),
  );
  assert.is(new Set(ids).size, 1);
  assert.is((await readOwnSubscriptions()).length, 1);
});

test('lists topics without subscription as available', async () => {
  const [b, a] = [await server.createTopic('b'), await server.createTopic('A')];
  const available = async (): Promise<string[]> =>
    (
      await server.call('GET /api/admin/users/:id/available-topics', {
        as: admin,
        params: { id: ana.id },
      })
    ).body.map(({ title }) => title);
  assert.equal(await available(), ['A', 'b']);
  await subscribe(a);
  assert.equal(await available(), ['b']);
  await subscribe(b);
  assert.equal(await available(), []);
  await unsubscribe(a);
  assert.equal(await available(), ['A']);
});

test('names an unknown user or topic', async () => {
  const topicId = await server.createTopic();
  const pairs = [
    [{ userId: 999, topicId }, 'This user does not exist.'],
    [{ userId: ana.id, topicId: 999 }, 'This topic does not exist.'],
  ] as const;
  for (const [body, error] of pairs) {
    for (const endpoint of [
      'POST /api/admin/subscriptions',
      'DELETE /api/admin/subscriptions',
    ] as const) {
      const result = await server.call(endpoint, { as: admin, body });
      assert.equal([result.status, result.error], [404, error]);
    }
  }
  assert.is((await unsubscribe(topicId)).status, 200, 'not being subscribed is what was wanted');
});

test('deletes subscriptions with their topic', async () => {
  const topic = await server.createTopic();
  await subscribe(topic);
  await server.call('DELETE /api/admin/topics/:id', { as: admin, params: { id: topic } });
  assert.equal(await readOwnSubscriptions(), []);
});

test.run();
