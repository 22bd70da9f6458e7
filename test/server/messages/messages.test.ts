import * as assert from 'uvu/assert';
import { createAudienceHelpers } from '../../support/server/audience';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('messages');
let admin: Person;
let topic: number;

test.before.each(async () => {
  admin = await server.createPerson('ADMIN');
  topic = await server.createTopic('Outages');
});

const send = (
  message: string,
  {
    key,
    topicId = topic,
    as = admin,
  }: { key?: string; topicId?: number | string; as?: Person } = {},
) =>
  server.call('POST /api/admin/notifications/send-topic/:topicId', {
    as,
    params: { topicId },
    body: { message },
    headers: key === undefined ? {} : { 'Idempotency-Key': key },
  });

async function createSubscriber(devices: number): Promise<Person> {
  const person = await server.createPerson('TECHNICIAN');
  await server.subscribe(admin, person.id, topic);
  for (let index = 0; index < devices; index += 1) {
    await server.call('POST /api/notifications/register-device', {
      as: person,
      body: { deviceToken: `${person.id}-${index}`, deviceType: 'android', userAgent: '' },
    });
  }
  return person;
}
const readDeliveries = () =>
  server.services.db.selectFrom('deliveries').selectAll().orderBy('id').execute();
const setForAccount = (as: Person, enabled: boolean) => server.setPreference(as, topic, enabled);

test('stores a message with a delivery per enabled device, and wakes delivery', async () => {
  const twoDevicePerson = await createSubscriber(2);
  const off = await createSubscriber(1);
  await setForAccount(off, false);
  const partly = await createSubscriber(2);
  const { body: list } = await server.call('GET /api/notifications/devices', { as: partly });
  await server.setDevicePreference(partly, list[0]?.id ?? 0, topic, false);
  const { status, body } = await send(' Power is off \n');
  assert.equal(
    [status, body.message, body.notified],
    [202, 'Sent. 2 of 3 subscribers are being notified.', true],
  );
  assert.is(server.countPushWorkerWakes(), 1);

  const { body: devices } = await server.call('GET /api/notifications/devices', {
    as: twoDevicePerson,
  });
  const expected = [...devices.map(({ id }) => id), list[1]?.id].sort();
  const rows = await readDeliveries();
  assert.equal(rows.map((row) => row.device_id).sort(), expected);
  for (const row of rows) {
    const { message_id, state, attempts, due_at, claimed_until, device_type } = row;
    const pending = {
      message_id: body.messageId,
      state: 'pending',
      attempts: 0,
      due_at: server.clock.now,
      claimed_until: null,
      device_type: 'android',
    };
    assert.equal({ message_id, state, attempts, due_at, claimed_until, device_type }, pending);
  }
  const message = await server.services.db
    .selectFrom('messages')
    .selectAll()
    .executeTakeFirstOrThrow();
  assert.equal(
    [message.text, message.topic_title, message.sender_id],
    ['Power is off', 'Outages', admin.id],
  );
  assert.ok(message.expires_at > message.created_at);
});

test('wakes all workers for each change of a message', async () => {
  const audience = createAudienceHelpers(server);
  const person = await createSubscriber(1);
  const { body } = await send('Hi');
  const steps = {
    'sent to people': () => audience.send({ userIds: [person.id] }),
    'rung again': () => audience.notifyAgain(body.messageId),
    cancelled: () => audience.cancel(body.messageId),
  };
  const wakes = () => [
    server.countPushWorkerWakes(),
    server.wakeCounts.jobs,
    server.wakeCounts.webhooks,
  ];
  assert.equal(wakes(), [1, 1, 1]);
  for (const [index, [caseName, step]] of Object.entries(steps).entries()) {
    await step();
    assert.equal(wakes(), Array(3).fill(index + 2), caseName);
  }
});

test('says plainly how many people are notified', async () => {
  const { body: unnotified } = await send('Hi');
  assert.equal(
    [unnotified.message, unnotified.notified],
    ['Sent, but no one is being notified: this topic has no subscribers yet.', false],
  );
  const firstPerson = await createSubscriber(0);
  assert.is(
    (await send('Hi')).body.message,
    'Sent, but no one is being notified: the only subscriber has no device with notifications enabled for this topic.',
  );
  await server.registerDevice(firstPerson, 'x');
  assert.is((await send('Hi')).body.message, 'Sent. 1 of 1 subscriber is being notified.');
  const secondPerson = await createSubscriber(2);
  assert.is((await send('Hi')).body.message, 'Sent. 2 of 2 subscribers are being notified.');
  await setForAccount(firstPerson, false);
  assert.is((await send('Hi')).body.message, 'Sent. 1 of 2 subscribers are being notified.');
  await setForAccount(secondPerson, false);
  assert.is(
    (await send('Hi')).body.message,
    'Sent, but no one is being notified: none of the 2 subscribers has a device with notifications enabled for this topic.',
  );
});

test('sends one message for fifty equal requests with one key', async () => {
  await createSubscriber(2);
  const results = await Promise.all(Array.from({ length: 50 }, () => send('Hi', { key: 'abc' })));
  assert.equal(
    [...new Set(results.map(({ status, body }) => `${status} ${body.message}`))],
    ['202 Sent. 1 of 1 subscriber is being notified.'],
  );
  assert.is(new Set(results.map(({ body }) => body.messageId)).size, 1);
  assert.is((await readDeliveries()).length, 2);
});

test('ties an Idempotency-Key to its sender and message', async () => {
  const firstResponse = await send('Hi', { key: 'abc' });
  const otherResponse = await send('Something else', { key: 'abc' });
  assert.equal(
    [otherResponse.status, otherResponse.error],
    [409, 'This Idempotency-Key was already used for another message.'],
  );
  assert.is((await send('Hi', { key: 'abc', topicId: await server.createTopic() })).status, 409);
  const byAnother = await send('Hi', { key: 'abc', as: await server.createPerson('ADMIN') });
  assert.equal(
    [byAnother.status, byAnother.body.messageId === firstResponse.body.messageId],
    [202, false],
  );
  assert.is((await send('Hi', { key: 'x'.repeat(256) })).status, 400);
  const [firstMessage, secondMessage] = [await send('Hi'), await send('Hi')];
  assert.is.not(
    firstMessage.body.messageId,
    secondMessage.body.messageId,
    'without a key each is a message of its own',
  );
});

test('stores nothing of a message that fails halfway', async () => {
  await createSubscriber(1);
  const { db } = server.services;
  await db.schema.alterTable('deliveries').renameTo('away').execute();
  assert.is((await send('Hi', { key: 'abc' })).status, 500);
  assert.is(server.countPushWorkerWakes(), 0);
  await db.schema.alterTable('away').renameTo('deliveries').execute();
  assert.equal(await db.selectFrom('messages').select('id').execute(), []);
  assert.is(
    (await send('Hi', { key: 'abc' })).body.message,
    'Sent. 1 of 1 subscriber is being notified.',
  );
});

test('counts devices by outcome, without skipped ones', async () => {
  await createSubscriber(5);
  const { body } = await send('Hi');
  const rows = await readDeliveries();
  for (const [index, state] of (['accepted', 'failed', 'gone', 'skipped'] as const).entries()) {
    await server.services.db
      .updateTable('deliveries')
      .set({ state })
      .where('id', '=', rows[index]?.id ?? 0)
      .execute();
  }
  const { body: progress } = await server.call('GET /api/admin/messages/:id', {
    as: admin,
    params: { id: body.messageId },
  });
  const { total, accepted, failed, gone, pending } = progress;
  assert.equal([total, accepted, failed, gone, pending], [4, 1, 1, 1, 1]);
  const { body: page } = await server.call('GET /api/admin/messages', { as: admin });
  assert.equal(page, { messages: [progress], total: 1, page: 1, limit: 10 });
});

test('lists sent messages newest first, searchable, and after their topic is deleted', async () => {
  for (const text of ['first', 'SECOND', 'third']) {
    server.clock.now += 1000;
    await send(text);
  }
  const list = async (query: Record<string, string | number>) =>
    (await server.call('GET /api/admin/messages', { as: admin, query })).body;
  assert.equal(
    (await list({ limit: 2 })).messages.map(({ message }) => message),
    ['third', 'SECOND'],
  );
  assert.equal(
    (await list({ query: 'second' })).messages.map(({ message }) => message),
    ['SECOND'],
  );
  assert.is((await list({ query: 'OUTAGES' })).total, 3);
  await server.call('DELETE /api/admin/topics/:id', { as: admin, params: { id: topic } });
  assert.equal(
    (await list({})).messages.map(({ topic: of }) => of),
    [null, null, null],
  );
});

test.run();
