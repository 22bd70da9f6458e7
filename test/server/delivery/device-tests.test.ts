import * as assert from 'uvu/assert';
import { toTest } from '../../../server/device-tests/device-test';
import { insertRound, insertTests } from '../../../server/device-tests/insert-tests';
import { readPushMessage } from '../../../src/shared/push-message';
import type { DeviceTest } from '../../../src/shared/contract';
import { eventually } from '../../support/eventually';
import { deliverySuite } from '../../support/delivery/delivery-suite';
import { sinkReplyWithStatus } from '../../support/push-services/push-sink';

const { test, setup } = deliverySuite('delivery of device tests');

/**
 * Tests all devices.
 * @returns the ids of the tests, in the order of the devices
 */
async function testAll(sendAt = setup.clock.now): Promise<string[]> {
  const { db } = setup.outbox;
  const { now } = setup.clock;
  const times = { createdAt: now, announcedAt: sendAt, sendAt, isByAdmin: false };
  const devices = await db.selectFrom('devices').selectAll().orderBy('id').execute();
  return db.transaction().execute(async (transaction) => {
    const id = await insertRound('sent', times, transaction);
    return (await insertTests({ id, next_key: now }, devices, times, transaction, now)).ids;
  });
}

const heardOf = (id: string, isReady: (test: DeviceTest) => boolean): Promise<DeviceTest> =>
  eventually(async () => {
    const row = await setup.outbox.db
      .selectFrom('tests')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const seenTest = toTest(row, setup.clock.now);
    return isReady(seenTest) && seenTest;
  }, 'the test to get on');

test('sends a test with its id and page, and without a place in the inbox', async () => {
  const { token, subscriber } = setup.sink.subscribe('phone');
  await setup.outbox.addDevice(token);
  const [id = ''] = await testAll();
  setup.start();
  const [push] = await setup.sink.waitForPushes(1);
  const { data } = subscriber.read(push!.body) as { data: Record<string, string> };
  assert.equal(
    [data.testId, data.messageId, data.link, data.seq, data.topicId, data.priority],
    [id, id, `/check?test=${id}`, '0', '', 'normal'],
  );
  const shownNotification = readPushMessage({ data });
  assert.equal(
    [shownNotification.isTest, shownNotification.id, shownNotification.tag, shownNotification.seq],
    [true, id, id, undefined],
  );
  assert.is(push!.headers.urgency, 'high');
  const { stages } = await heardOf(id, ({ stages: { accepted } }) => accepted !== null);
  assert.is(stages.accepted, '2026-11-21T09:30:00.000Z');
});

for (const [code, reason] of [
  [410, 'gone'],
  [403, 'refused'],
  [503, 'unreachable'],
  [429, 'busy'],
] as const) {
  test(`reports "${reason}" for a test rejected with ${code}`, async () => {
    await setup.outbox.addDevice(setup.sink.subscribe('phone').token);
    setup.sink.replies.set('/phone', sinkReplyWithStatus(code));
    const [id = ''] = await testAll();
    setup.start();
    const { failure } = await heardOf(id, (one) => one.failure !== null);
    assert.equal(failure, { stage: 'accepted', reason });
  });
}

test('sends a delayed test at its time, after new messages', async () => {
  await setup.outbox.addDevice(setup.sink.subscribe('phone').token);
  const [id = ''] = await testAll(setup.clock.now + 900_000);
  const delivery = setup.start();
  await setup.outbox.addMessage({ now: setup.clock.now, text: 'before' });
  delivery.wake();
  await setup.sink.waitForPushes(1);
  setup.clock.now += 899_999;
  delivery.wake();
  await setup.outbox.addMessage({ now: setup.clock.now, text: 'still before' });
  delivery.wake();
  await setup.sink.waitForPushes(2);
  setup.clock.now += 1;
  delivery.wake();
  await setup.sink.waitForPushes(3);
  const { stages } = await heardOf(id, (one) => one.stages.accepted !== null);
  assert.is(stages.accepted, new Date(setup.clock.now).toISOString());
});

test.run();
