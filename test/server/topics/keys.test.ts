import * as assert from 'uvu/assert';
import { MAX_KEYS_PER_TOPIC } from '../../../server/topics/keys';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('topic keys');
let admin: Person;
let topic: number;

test.before.each(async () => {
  admin = await server.createPerson('ADMIN');
  topic = await server.createTopic('Grid outages');
});

const createKey = (name = 'SCADA north', id = topic) =>
  server.call('POST /api/admin/topics/:id/keys', { as: admin, params: { id }, body: { name } });
const list = async (id = topic) =>
  (await server.call('GET /api/admin/topics/:id/keys', { as: admin, params: { id } })).body.keys;
const revoke = (id: number) =>
  server.call('DELETE /api/admin/keys/:id', { as: admin, params: { id } });
const publish = async (key: string) =>
  (
    await server.request('/api/publish', {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
      body: 'Hi',
    })
  ).status;
const rows = () => server.services.db.selectFrom('topic_keys').selectAll().execute();

test('shows a key once, with 24 random characters, and stores only its hash', async () => {
  const { status, body } = await createKey();
  const { key, ...listed } = body;
  assert.is(status, 201);
  assert.match(key, /^fbk_[1-9A-HJ-NP-Za-km-z]{24}$/);
  assert.equal(listed, {
    id: listed.id,
    name: 'SCADA north',
    prefix: key.slice(0, 8),
    createdAt: new Date(server.clock.now).toISOString(),
    lastUsedAt: null,
  });
  assert.equal(await list(), [listed]);
  assert.not.match(JSON.stringify(await rows()), new RegExp(key.slice(9)));
  assert.is.not((await createKey()).body.key, key);
  assert.is(
    server.log.some((line) => line.includes(key)),
    false,
  );
});

test("lists a topic's keys, newest first, with their last use", async () => {
  const otherTopicId = await server.createTopic();
  const [firstResponse, secondResponse] = [await createKey('Grafana'), await createKey('SCADA')];
  await createKey('elsewhere', otherTopicId);
  server.clock.now += 3_600_000;
  assert.is(await publish(firstResponse.body.key), 202);
  assert.equal(
    (await list()).map(({ id, name, lastUsedAt }) => [id, name, lastUsedAt]),
    [
      [secondResponse.body.id, 'SCADA', null],
      [firstResponse.body.id, 'Grafana', new Date(server.clock.now).toISOString()],
    ],
  );
  assert.is((await list(otherTopicId)).length, 1);
});

test('accepts a name of one line and 1 to 60 characters', async () => {
  for (const name of ['', ' ', 'x'.repeat(61), 'two\nlines', 'a\u0000b'])
    assert.is((await createKey(name)).status, 400, JSON.stringify(name));
  assert.is((await createKey(` ${'🐶'.repeat(60)} `)).body.name, '🐶'.repeat(60));
  assert.is((await createKey('<b>"\'; drop table')).body.name, '<b>"\'; drop table');
});

test('limits keys per topic, even for simultaneous requests', async () => {
  const values = Array.from({ length: MAX_KEYS_PER_TOPIC - 1 }, (_, index) => ({
    topic_id: topic,
    name: 'x',
    prefix: 'x',
    hash: String(index),
    created_at: 0,
  }));
  await server.services.db.insertInto('topic_keys').values(values).execute();
  const newKeys = await Promise.all([createKey(), createKey(), createKey()]);
  assert.equal(newKeys.map(({ status }) => status).sort(), [201, 409, 409]);
  assert.is((await rows()).length, MAX_KEYS_PER_TOPIC);
  assert.is((await createKey('elsewhere', await server.createTopic())).status, 201);
});

test('rejects a revoked key, and keeps others', async () => {
  const [revokedKey, remainingKey] = [(await createKey()).body, (await createKey()).body];
  assert.is((await revoke(revokedKey.id)).status, 200);
  assert.is((await revoke(revokedKey.id)).status, 404, 'a second time');
  assert.equal([await publish(revokedKey.key), await publish(remainingKey.key)], [401, 202]);
  assert.equal(
    (await list()).map(({ id }) => id),
    [remainingKey.id],
  );
});

test('deletes keys with their topic, and keeps their messages', async () => {
  const { key } = (await createKey()).body;
  assert.is(await publish(key), 202);
  const params = { id: topic };
  assert.is((await server.call('DELETE /api/admin/topics/:id', { as: admin, params })).status, 200);
  assert.is(await publish(key), 401);
  assert.equal(await rows(), []);
  const messages = await server.call('GET /api/admin/messages', { as: admin });
  assert.is(messages.body.messages[0]?.sender, 'key: SCADA north');
  const bySender = { as: admin, query: { sender: 'key: scada' } };
  assert.is((await server.call('GET /api/admin/messages', bySender)).body.total, 1);
});

test.run();
