import * as assert from 'uvu/assert';
import {
  HOUR_MS,
  MORNING,
  NIGHT,
  daily,
  createQuietHoursHelpers,
} from '../../../support/server/quiet-hours';
import { serverSuite } from '../../../support/server/server';

const { test, server } = serverSuite('info messages in quiet hours');
let quietHours: ReturnType<typeof createQuietHoursHelpers>;
test.before.each(() => {
  server.clock.now = NIGHT;
  quietHours = createQuietHoursHelpers(server);
});

test('holds the push until quiet hours end, fills the inbox at once, and notifies others', async () => {
  const { createSleeper, createMember, sendInfo, readLedger, readDeliveries, readJobs } =
    quietHours;
  const topic = await server.createTopic();
  const asleep = await createSleeper(2, topic);
  const awake = await createMember(1, topic);
  const id = await sendInfo({ topicIds: [topic] });
  assert.equal(
    (await readLedger(id)).map((row) => [row.user_id, row.state, row.devices, row.waiting]),
    [
      [asleep.id, 'held', 0, 0],
      [awake.id, 'pending', 1, 1],
    ],
  );
  assert.equal(
    (await readDeliveries(id)).map(({ user_id }) => user_id),
    [awake.id],
  );
  assert.equal(await readJobs(), [[asleep.id, MORNING]]);
  assert.equal(await quietHours.inboxOf(asleep), [id]);
  assert.is((await quietHours.readHours(asleep)).waiting, 1);
  const { people, ...message } = await quietHours.readMessage(id);
  assert.equal([people.held, people.total, message.state], [1, 2, 'sending']);
});

test('does not hold normal and urgent messages', async () => {
  const { createSleeper, send, readLedger, readJobs } = quietHours;
  const asleep = await createSleeper(1);
  for (const priority of ['normal', 'urgent'] as const) {
    const { body } = await send({ userIds: [asleep.id], priority });
    assert.equal((await readLedger(body.messageId))[0]!.state, 'pending');
  }
  assert.equal(await readJobs(), []);
});

test('holds nothing for people without a device or with the topic muted', async () => {
  const { createSleeper, sendInfo, readLedger, readJobs, muteTopic } = quietHours;
  const topic = await server.createTopic();
  await createSleeper(0, topic);
  await muteTopic(await createSleeper(1, topic), topic);
  const id = await sendInfo({ topicIds: [topic] });
  assert.equal(
    (await readLedger(id)).map(({ state }) => state),
    ['unreachable', 'muted'],
  );
  assert.equal(await readJobs(), []);
});

test("holds for each person's own hours, with one job for several messages", async () => {
  const { createMember, setHours, sendInfo, readJobs } = quietHours;
  const [firstSleeper, otherPerson] = [await createMember(1), await createMember(1)];
  await setHours([firstSleeper.id], [daily('20:00', '04:00')], 'America/New_York');
  await setHours([otherPerson.id], [daily('22:00', '06:00')], 'America/New_York');
  // 18:00 there.
  await sendInfo({ userIds: [firstSleeper.id, otherPerson.id] });
  assert.equal(await readJobs(), []);
  server.clock.now += 3 * HOUR_MS;
  await sendInfo({ userIds: [firstSleeper.id, otherPerson.id] });
  const end = Date.parse('2026-11-23T09:00:00Z');
  assert.equal(await readJobs(), [[firstSleeper.id, end]]);
  server.clock.now += 2 * HOUR_MS;
  await sendInfo({ userIds: [otherPerson.id, firstSleeper.id] });
  assert.equal(await readJobs(), [
    [firstSleeper.id, end],
    [otherPerson.id, end + 2 * HOUR_MS],
  ]);
});

test('ends the same hours at different moments in different time zones', async () => {
  const { createMember, setHours, sendInfo, readJobs } = quietHours;
  const [ownPerson, east] = [await createMember(1), await createMember(1)];
  await setHours([ownPerson.id], [daily('20:00', '06:00')]);
  await setHours([east.id], [daily('20:00', '06:00')], 'Europe/Helsinki');
  await sendInfo({ userIds: [ownPerson.id, east.id] });
  assert.equal(await readJobs(), [
    [ownPerson.id, MORNING],
    [east.id, MORNING - 2 * HOUR_MS],
  ]);
});

test('holds a scheduled message by the hours of its time', async () => {
  const { createSleeper, sendInfo, readLedger } = quietHours;
  server.clock.now = MORNING + HOUR_MS;
  const person = await createSleeper(1);
  const sendAt = new Date(MORNING + 17 * HOUR_MS).toISOString();
  const id = await sendInfo({ userIds: [person.id], sendAt });
  server.clock.now = MORNING + 17 * HOUR_MS;
  await server.jobs.runDue();
  assert.is((await readLedger(id))[0]!.state, 'held');
  assert.equal(await quietHours.readJobs(), [[person.id, MORNING + 24 * HOUR_MS]]);
});

test('notifies neither held nor sleeping people again', async () => {
  const {
    createSleeper,
    createMember,
    sendInfo,
    notifyAgain,
    readDeliveries,
    acceptAll,
    setHours,
  } = quietHours;
  server.clock.now = NIGHT - 2 * HOUR_MS;
  const topic = await server.createTopic();
  const asleep = await createSleeper(1, topic);
  const awake = await createMember(1, topic);
  const earlyPerson = await createMember(1, topic);
  await setHours([earlyPerson.id], [daily('20:00', '06:00')]);
  const id = await sendInfo({ topicIds: [topic] });
  await acceptAll();
  server.clock.now = NIGHT;
  for (const body of [{}, { userIds: [asleep.id, awake.id, earlyPerson.id] }]) {
    assert.is((await notifyAgain(id, body)).body.people, 1);
    await acceptAll();
  }
  assert.equal(
    (await readDeliveries(id)).map(({ user_id, round }) => [user_id, round]),
    [
      [asleep.id, 0],
      [awake.id, 0],
      [awake.id, 1],
      [awake.id, 2],
    ],
  );
  server.clock.now = MORNING;
  assert.is((await notifyAgain(id, { userIds: [asleep.id] })).body.people, 1);
});

for (const priority of ['normal', 'urgent'] as const)
  test(`repeats a message of priority ${priority} in quiet hours`, async () => {
    const { createSleeper, send, notifyAgain, acceptAll } = quietHours;
    const person = await createSleeper(1);
    const { body } = await send({ userIds: [person.id], priority });
    await acceptAll();
    assert.is((await notifyAgain(body.messageId)).body.people, 1);
  });

test('tells the sender who is notified now and who later', async () => {
  const { createSleeper, createMember, send } = quietHours;
  const topic = await server.createTopic();
  const admin = await server.createPerson('ADMIN');
  const sendTopic = async () =>
    (await server.sendToTopic(admin, topic, { message: 'Meters', priority: 'info' })).body;
  const firstSleeper = await createSleeper(1, topic);
  assert.equal(
    [(await sendTopic()).message, (await sendTopic()).notified],
    [
      'Sent. 0 of 1 subscriber is being notified. 1 will be notified when their quiet hours end.',
      true,
    ],
  );
  const otherPerson = await createSleeper(1, topic);
  const awake = await createMember(1, topic);
  assert.is(
    (await sendTopic()).message,
    'Sent. 1 of 3 subscribers are being notified. 2 will be notified when their quiet hours end.',
  );
  const sendAndReadResponse = async (userIds: number[]) =>
    (await send({ userIds, priority: 'info' })).body.message;
  const personWithoutDevice = await createMember(0);
  assert.equal(
    [
      await sendAndReadResponse([firstSleeper.id]),
      await sendAndReadResponse([firstSleeper.id, otherPerson.id, awake.id]),
      await sendAndReadResponse([
        firstSleeper.id,
        otherPerson.id,
        awake.id,
        personWithoutDevice.id,
      ]),
      await sendAndReadResponse([awake.id]),
      await sendAndReadResponse([personWithoutDevice.id]),
    ],
    [
      'Sent to 1 person. 1 will be notified when their quiet hours end.',
      'Sent to 3 people. 2 will be notified when their quiet hours end.',
      'Sent to 3 of 4 people. 1 is not reachable. 2 will be notified when their quiet hours end.',
      'Sent to 1 person.',
      'Sent, but no one is being notified: this person has no device with notifications enabled.',
    ],
  );
});

test('reports the same to the sender of a large message', async () => {
  const { createSleepers, createMember, send } = quietHours;
  const topic = await createSleepers(5000);
  const awake = await createMember(1);
  const { body } = await send({ topicIds: [topic], userIds: [awake.id], priority: 'info' });
  assert.is(body.message, 'Sent to 5001 people. 5000 will be notified when their quiet hours end.');
});

test('counts in the audience how many are held and until when, for info only', async () => {
  const { createSleeper, createMember, setHours, muteTopic } = quietHours;
  const topic = await server.createTopic();
  const asleep = await createSleeper(2, topic);
  const latePerson = await createMember(1, topic);
  await setHours([latePerson.id], [daily('22:00', '07:30')]);
  await createMember(1, topic);
  await createSleeper(0, topic);
  await muteTopic(await createSleeper(1, topic), topic);
  const as = await server.createPerson('ADMIN');
  const count = async (body: object) =>
    (await server.call('POST /api/admin/messages/audience', { as, body })).body;
  const audience = { topicIds: [topic], userIds: [asleep.id] };
  assert.equal(await count({ ...audience, priority: 'info' }), {
    people: 5,
    reachable: 1,
    muted: 1,
    unreachable: 1,
    held: 2,
    heldUntil: new Date(MORNING + 1.5 * HOUR_MS).toISOString(),
    canUndo: true,
  });
  for (const priority of ['normal', 'urgent', undefined]) {
    const { reachable, held, heldUntil } = await count({
      ...audience,
      ...(priority && { priority }),
    });
    assert.equal([reachable, held, heldUntil], [3, 0, null]);
  }
  server.clock.now = MORNING;
  const { held, heldUntil } = await count({ ...audience, priority: 'info' });
  assert.equal([held, heldUntil], [1, new Date(MORNING + 1.5 * HOUR_MS).toISOString()]);
});

test.run();
