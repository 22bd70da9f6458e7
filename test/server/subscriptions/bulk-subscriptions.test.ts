import { sql } from 'kysely';
import * as assert from 'uvu/assert';
import { createQueryCounter } from '../../support/database/query-count';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const queries = createQueryCounter();
const { test, server } = serverSuite('many subscriptions', { plugin: queries.plugin });
let admin: Person;
let people: Person[];

test.before.each(async () => {
  admin = await server.createPerson('ADMIN');
  people = [];
  for (let index = 0; index < 3; index += 1) people.push(await server.createPerson('TECHNICIAN'));
});

const SUBSCRIBE = 'POST /api/admin/topics/:id/subscribers';
const UNSUBSCRIBE = 'DELETE /api/admin/topics/:id/subscribers';
type Call = typeof SUBSCRIBE | typeof UNSUBSCRIBE;
const changeSubscriptions = (call: Call, id: number | string, userIds: number[]) =>
  server.call(call, { as: admin, params: { id }, body: { userIds } });
const ids = () => people.map(({ id }) => id);
const listSubscribers = async (topic: number): Promise<number[]> => {
  const rows = await server.services.db
    .selectFrom('subscriptions')
    .select('user_id')
    .where('topic_id', '=', topic)
    .orderBy('user_id')
    .execute();
  return rows.map(({ user_id }) => user_id);
};

test('subscribes and unsubscribes many people at once, and counts unchanged ones', async () => {
  const [topic, other] = [await server.createTopic(), await server.createTopic()];
  const [first = 0, second = 0, third = 0] = ids();
  const addedResponse = await changeSubscriptions(SUBSCRIBE, topic, [second, first, second]);
  assert.is(addedResponse.status, 200);
  assert.equal(addedResponse.body, { changed: 2, unchanged: 0 }, 'who is named twice counts once');
  assert.equal((await changeSubscriptions(SUBSCRIBE, topic, ids())).body, {
    changed: 1,
    unchanged: 2,
  });
  assert.equal((await changeSubscriptions(SUBSCRIBE, topic, ids())).body, {
    changed: 0,
    unchanged: 3,
  });
  assert.equal(await listSubscribers(topic), [first, second, third]);
  await changeSubscriptions(SUBSCRIBE, other, ids());

  assert.equal((await changeSubscriptions(UNSUBSCRIBE, topic, [third, first])).body, {
    changed: 2,
    unchanged: 0,
  });
  assert.equal((await changeSubscriptions(UNSUBSCRIBE, topic, ids())).body, {
    changed: 1,
    unchanged: 2,
  });
  assert.equal(await listSubscribers(topic), []);
  assert.equal(await listSubscribers(other), ids(), 'another topic is not touched');
  assert.equal((await changeSubscriptions(SUBSCRIBE, topic, [])).body, {
    changed: 0,
    unchanged: 0,
  });
});

test('lists subscribers by the ids that unsubscribe them', async () => {
  const topic = await server.createTopic();
  server.clock.now += 5000;
  await changeSubscriptions(SUBSCRIBE, topic, ids());
  const { body } = await server.call('GET /api/admin/topics/:id/subscribers', {
    as: admin,
    params: { id: topic },
  });
  assert.equal(body.map(({ user }) => user.id).sort(), ids().sort());
  assert.is(body[0]?.createdAt, new Date(server.clock.now).toISOString());
});

test('keeps a muted topic muted when many are subscribed again', async () => {
  const topic = await server.createTopic();
  await changeSubscriptions(SUBSCRIBE, topic, ids());
  const [ana] = people;
  await server.setPreference(ana, topic, false);
  const preferences = async () =>
    (await server.call('GET /api/notifications/preferences', { as: ana })).body;
  for (let time = 1; time <= 2; time += 1) {
    await changeSubscriptions(UNSUBSCRIBE, topic, ids());
    assert.equal(await preferences(), []);
    await changeSubscriptions(SUBSCRIBE, topic, ids());
    assert.equal(await preferences(), [{ topicId: topic, enabled: false }], `time ${time}`);
  }
});

test('names an unknown person among many, and changes no one', async () => {
  const topic = await server.createTopic();
  const [first = 0] = ids();
  await changeSubscriptions(SUBSCRIBE, topic, [first]);
  for (const call of [SUBSCRIBE, UNSUBSCRIBE] as const) {
    const { status, error } = await changeSubscriptions(call, topic, [...ids(), 999_999, 999_999]);
    const message = 'This user does not exist: 999999.';
    assert.equal([status, error], [400, [{ message, path: 'userIds' }]]);
  }
  assert.equal(await listSubscribers(topic), [first]);
  const unknownIds = Array.from({ length: 12 }, (_, index) => 900_001 + index);
  const { error } = await changeSubscriptions(SUBSCRIBE, topic, unknownIds);
  const named = unknownIds.slice(0, 10).join(', ');
  assert.equal(error, [{ message: `These users do not exist: ${named}, +2.`, path: 'userIds' }]);
});

test('rejects an unknown topic for many people', async () => {
  const topic = await server.createTopic();
  await server.call('DELETE /api/admin/topics/:id', { as: admin, params: { id: topic } });
  for (const call of [SUBSCRIBE, UNSUBSCRIBE] as const)
    for (const id of [topic, '1e3', '0']) {
      const { status, error } = await changeSubscriptions(call, id, ids());
      assert.equal([status, error], [404, 'This topic does not exist.']);
    }
});

test('records each changed person in the audit log, and no one else', async () => {
  const topic = await server.createTopic('Storms');
  const [first = 0, second = 0, third = 0] = ids();
  await changeSubscriptions(SUBSCRIBE, topic, [second]);
  await changeSubscriptions(SUBSCRIBE, topic, ids());
  await changeSubscriptions(UNSUBSCRIBE, topic, [third, 999_999]);
  await changeSubscriptions(UNSUBSCRIBE, topic, [third]);
  const entries = await server.services.db
    .selectFrom('audit_entries')
    .select(['action', 'actor_id', 'target_id', 'detail'])
    .orderBy('id')
    .execute();
  assert.equal(
    entries.map(({ action, target_id }) => [action, target_id]),
    [
      ['subscription.add', second],
      ['subscription.add', first],
      ['subscription.add', third],
      ['subscription.remove', third],
    ],
  );
  for (const entry of entries) assert.equal([entry.actor_id, entry.detail], [admin.id, 'Storms']);
});

test('rejects an invalid list of ids', async () => {
  const topic = await server.createTopic();
  const send = (body: string, type = 'application/json', method = 'POST') =>
    server.request(`/api/admin/topics/${topic}/subscribers`, {
      method,
      headers: { 'Content-Type': type, Authorization: `Bearer ${admin.token}` },
      body,
    });
  for (const body of [
    '{}',
    '[1]',
    '{"userIds":1}',
    '{"userIds":["1"]}',
    '{"userIds":[1.5]}',
    '{"userIds":[0]}',
    '{"userIds":[1e400]}',
    '{"userIds":[[1]]}',
    '{"userIds":[9007199254740993]}',
    '{"userIds":[null]}',
    'userIds',
    '',
  ])
    for (const method of ['POST', 'DELETE'])
      assert.is((await send(body, 'application/json', method)).status, 400, body);
  assert.is((await send('{"userIds":[1]}', 'text/plain')).status, 415);
  assert.is((await send(`{"userIds":[${' '.repeat(200_000)}]}`)).status, 413);
});

test('changes ten thousand people in a few statements, and rejects more', async () => {
  const topic = await server.createTopic();
  const { db } = server.services;
  const names = JSON.stringify(
    Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`p${index}`, 0])),
  );
  await sql`insert into users (username, username_key, role, status, created_at)
    select key, key, 'CUSTOMER', 'ACTIVE', 0 from json_each(${names})`.execute(db);
  const rows = await db.selectFrom('users').select('id').where('role', '=', 'CUSTOMER').execute();
  const userIds = rows.map(({ id }) => id);
  const maxUserIds = userIds.slice(0, 10_000);
  for (const [call, changed] of [
    [SUBSCRIBE, 10_000],
    [SUBSCRIBE, 0],
    [UNSUBSCRIBE, 10_000],
  ] as const) {
    const { status, error } = await changeSubscriptions(call, topic, userIds);
    const message = 'At most 10,000 people can be changed at once.';
    assert.equal([status, error], [400, [{ message, path: 'userIds' }]]);
    const before = queries.countQueries();
    assert.equal((await changeSubscriptions(call, topic, maxUserIds)).body, {
      changed,
      unchanged: 10_000 - changed,
    });
    const queryCount = queries.countQueries() - before;
    assert.ok(queryCount <= 12, `${queryCount} statements`);
  }
});

test('accepts parallel changes of many people in any order', async () => {
  const topic = await server.createTopic();
  for (let index = 0; index < 20; index += 1) people.push(await server.createPerson('CUSTOMER'));
  const orders = [ids(), ids().reverse()];
  const responses = await Promise.all(
    [SUBSCRIBE, UNSUBSCRIBE, SUBSCRIBE, UNSUBSCRIBE].flatMap((call) =>
      orders.map((order) => changeSubscriptions(call as Call, topic, order)),
    ),
  );
  assert.equal(
    responses.map(({ status }) => status),
    responses.map(() => 200),
  );
  const remainingCount = (await listSubscribers(topic)).length;
  assert.ok(remainingCount === 0 || remainingCount === people.length, 'each is done whole');
});

test('survives the deletion of a person while many are subscribed', async () => {
  const topic = await server.createTopic();
  const [unknownIds = 0] = ids();
  const [subscribedResponse, deletedResponse] = await Promise.all([
    changeSubscriptions(SUBSCRIBE, topic, ids()),
    server.deleteUser(admin, unknownIds),
  ]);
  assert.is(deletedResponse.status, 200);
  assert.ok([200, 400].includes(subscribedResponse.status), `${subscribedResponse.status}`);
  assert.not((await listSubscribers(topic)).includes(unknownIds));
});

test.run();
