import * as assert from 'uvu/assert';
import type { Delivery } from '../../../server/delivery/delivery';
import { eventually } from '../../support/eventually';
import { deliverySuite } from '../../support/delivery/delivery-suite';
import { replyCreated, sinkReplyWithStatus } from '../../support/push-services/push-sink';

const { test, setup } = deliverySuite('webhook events of devices');
const HOUR_MS = 3600_000;

test.before.each(async () => {
  await setup.outbox.db
    .insertInto('webhooks')
    .values({ url: 'https://hooks.example/', events: '["device.failing"]', secret: 'whsec_' })
    .execute();
});

const listEvents = async (): Promise<{ id: number; reason: string }[]> =>
  (
    await setup.outbox.db
      .selectFrom('webhook_calls')
      .select('body')
      .orderBy('created_at')
      .orderBy('id')
      .execute()
  ).flatMap(({ body }) => {
    const { type, data } = JSON.parse(body);
    assert.is(type, 'device.failing');
    return data.devices;
  });

/** Sends to all, and waits until each push was tried. */
async function sendAndSettle(delivery: Delivery): Promise<void> {
  await setup.outbox.addMessage({ now: setup.clock.now });
  delivery.wake();
  await setup.waitUntilSettled();
}

test('reports a rejected device once, and again after it worked in between', async () => {
  const { deviceId, userId } = await setup.outbox.addDevice(setup.sink.subscribe('phone').token);
  const delivery = setup.start();
  for (const [reply, count] of [
    [sinkReplyWithStatus(400), 1],
    [sinkReplyWithStatus(400), 1],
    [replyCreated, 1],
    [sinkReplyWithStatus(400), 2],
  ] as const) {
    setup.sink.replies.set('/phone', reply);
    await sendAndSettle(delivery);
    assert.is((await listEvents()).length, count);
    setup.clock.now += HOUR_MS;
  }
  const [first] = await listEvents();
  const { username } = await setup.outbox.db
    .selectFrom('users')
    .select('username')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  assert.equal(first, {
    id: deviceId,
    type: 'web',
    user: { id: userId, username },
    reason: 'status-400',
    at: '2026-11-21T09:30:00.000Z',
  });
});

test('reports a device that is gone, but no trouble of the push service', async () => {
  const goneDevice = await setup.outbox.addDevice(setup.sink.subscribe('gone').token);
  await setup.outbox.addDevice(setup.sink.subscribe('busy').token);
  setup.sink.replies.set('/gone', sinkReplyWithStatus(410));
  setup.sink.replies.set('/busy', sinkReplyWithStatus(503));
  await sendAndSettle(setup.start());
  const calls = await eventually(async () => {
    const allEvents = await listEvents();
    return allEvents.length > 0 && allEvents;
  }, 'the webhook call');
  assert.equal(
    calls.map(({ id, reason }) => [id, reason]),
    [[goneDevice.deviceId, 'gone']],
  );
});

test.run();
