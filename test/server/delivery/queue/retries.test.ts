import * as assert from 'uvu/assert';
import { deliverySuite, SUITE_START } from '../../../support/delivery/delivery-suite';
import { eventually } from '../../../support/eventually';
import { sinkReplyWithStatus } from '../../../support/push-services/push-sink';

const { test, setup } = deliverySuite('retried deliveries');

test('waits for Retry-After on 429, then sends', async () => {
  await setup.outbox.addDevice(setup.sink.subscribe('busy').token);
  setup.sink.replies.set('/busy', sinkReplyWithStatus(429, { 'Retry-After': '120' }));
  await setup.outbox.addMessage({ now: setup.clock.now });
  const delivery = setup.start();
  const [row] = await setup.waitUntilSettled();
  assert.is(row!.state, 'pending');
  assert.is(row!.due_at, SUITE_START + 120_000);
  assert.is(row!.reason, 'status-429');

  setup.sink.replies.delete('/busy');
  setup.clock.now = SUITE_START + 119_999;
  delivery.wake();
  await setup.outbox.addDevice(setup.sink.subscribe('later').token);
  await setup.outbox.addMessage({ now: setup.clock.now });
  delivery.wake();
  await setup.sink.waitForPushes(3); // the first, and both of the second message
  assert.equal(
    (await setup.outbox.listDeliveries()).map(({ attempts, state }) => [attempts, state])[0],
    [1, 'pending'],
  );
  setup.clock.now = SUITE_START + 120_000;
  delivery.wake();
  await setup.sink.waitForPushes(4);
  assert.equal(
    (await setup.waitUntilSettled()).map(({ state }) => state),
    ['accepted', 'accepted', 'accepted'],
  );
});

for (const code of [500, 502, 503, 408]) {
  test(`retries after ${code} with growing waits until it arrives`, async () => {
    await setup.outbox.addDevice(setup.sink.subscribe('flaky').token);
    setup.sink.replies.set('/flaky', sinkReplyWithStatus(code));
    await setup.outbox.addMessage({ now: setup.clock.now });
    const delivery = setup.start();
    const [first] = await setup.waitUntilSettled(1);
    assert.is(first!.due_at, SUITE_START + 3750);
    setup.clock.now = first!.due_at;
    delivery.wake();
    const [second] = await setup.waitUntilSettled(2);
    assert.is(second!.due_at, setup.clock.now + 7500);
    setup.sink.replies.clear();
    setup.clock.now = second!.due_at;
    delivery.wake();
    assert.is(
      (
        await eventually(
          async () =>
            (await setup.outbox.listDeliveries())[0]!.state !== 'pending' &&
            setup.outbox.listDeliveries(),
          'an end',
        )
      )[0]!.state,
      'accepted',
    );
  });
}

test('deletes nothing on 401 and 403, delays no other push, and retries', async () => {
  const rejected = [];
  for (const [name, code] of [
    ['one', 401],
    ['two', 403],
    ['three', 403],
  ] as const) {
    rejected.push(await setup.outbox.addDevice(setup.sink.subscribe(name).token));
    setup.sink.replies.set(`/${name}`, sinkReplyWithStatus(code));
  }
  await setup.outbox.addDevice(setup.sink.subscribe('good').token);
  await setup.outbox.addMessage({ now: setup.clock.now });
  const delivery = setup.start({ concurrency: 1 });
  assert.equal(
    (await setup.waitUntilSettled()).map(({ state }) => state),
    ['pending', 'pending', 'pending', 'accepted'],
  );
  for (const { deviceId } of rejected) assert.ok(await setup.outbox.hasDevice(deviceId));

  setup.sink.replies.clear();
  setup.clock.now += 6 * 60_000;
  delivery.wake();
  await setup.sink.waitForPushes(7);
  assert.equal(
    (await setup.waitUntilSettled(2)).map(({ state }) => state),
    ['accepted', 'accepted', 'accepted', 'accepted'],
  );
});

test('keeps FCM tokens waiting without a service account, without an alert', async () => {
  const { deviceId } = await setup.outbox.addDevice('x');
  await setup.outbox.addDevice('another-fcm-token');
  await setup.outbox.addDevice(setup.sink.subscribe('browser').token);
  await setup.outbox.assignPushServices();
  await setup.outbox.addMessage({ now: setup.clock.now });
  const attempts: string[] = [];
  const delivery = setup.start({
    onAttempt: (service, outcome) => attempts.push(`${service} ${outcome}`),
  });
  await setup.sink.waitForPushes(1);
  const waitUntilAccepted = () =>
    eventually(
      async () => {
        const rows = await setup.outbox.listDeliveries();
        return (
          rows.every(
            ({ state, reason, claimed_until }) =>
              claimed_until === null && (state === 'accepted' || reason),
          ) && rows
        );
      },
      'all rows to be settled',
      15_000,
    );
  for (let look = 0; look < 3; look++) {
    setup.clock.now += 2000;
    delivery.wake();
    await eventually(() => attempts.length > look, 'another attempt');
  }
  const rows = await waitUntilAccepted();
  assert.equal(
    rows.map(({ state, reason }) => [state, reason]),
    [
      ['pending', 'no-service-account'],
      ['pending', 'no-service-account'],
      ['accepted', null],
    ],
  );
  assert.ok(rows[0]!.due_at >= SUITE_START + 5 * 60_000);
  assert.ok(await setup.outbox.hasDevice(deviceId));
  assert.not.match(setup.log.join(), '"alert":true');
  assert.equal([...attempts].sort(), [
    'fcm misconfigured',
    'fcm misconfigured',
    'web-push accepted',
  ]);
});

test('drops an expired message, and one that could only be retried too late', async () => {
  await setup.outbox.addDevice(setup.sink.subscribe('flaky').token);
  setup.sink.replies.set('/flaky', sinkReplyWithStatus(503));
  await setup.outbox.addMessage({ now: setup.clock.now, lifetime: 2000 });
  await setup.outbox.addMessage({ now: setup.clock.now - 5000, lifetime: 5000 });
  setup.start();
  assert.equal(
    (await setup.waitUntilSettled()).map(({ state, reason }) => [state, reason]),
    [
      ['failed', 'status-503'],
      ['failed', 'expired'],
    ],
  );
  assert.is(setup.sink.receivedPushes.length, 1);
});

test.run();
