import * as assert from 'uvu/assert';
import { deliverySuite, START } from '../../../support/delivery/delivery';
import { eventually } from '../../../support/eventually';
import { replyWithStatus } from '../../../support/push-services/push-sink';

const { test, stage } = deliverySuite('retried deliveries');

test('waits for Retry-After on 429, then sends', async () => {
  await stage.outbox.addDevice(stage.sink.subscribe('busy').token);
  stage.sink.replies.set('/busy', replyWithStatus(429, { 'Retry-After': '120' }));
  await stage.outbox.send({ now: stage.clock.now });
  const delivery = stage.start();
  const [row] = await stage.settled();
  assert.is(row!.state, 'pending');
  assert.is(row!.due_at, START + 120_000);
  assert.is(row!.reason, 'status-429');

  stage.sink.replies.delete('/busy');
  stage.clock.now = START + 119_999;
  delivery.wake();
  await stage.outbox.addDevice(stage.sink.subscribe('later').token);
  await stage.outbox.send({ now: stage.clock.now });
  delivery.wake();
  await stage.sink.arrived(3); // the first, and both of the second message
  assert.equal((await stage.outbox.rows()).map(({ attempts, state }) => [attempts, state])[0], [
    1,
    'pending',
  ]);
  stage.clock.now = START + 120_000;
  delivery.wake();
  await stage.sink.arrived(4);
  assert.equal(
    (await stage.settled()).map(({ state }) => state),
    ['accepted', 'accepted', 'accepted'],
  );
});

for (const code of [500, 502, 503, 408]) {
  test(`retries after ${code} with growing waits until it arrives`, async () => {
    await stage.outbox.addDevice(stage.sink.subscribe('flaky').token);
    stage.sink.replies.set('/flaky', replyWithStatus(code));
    await stage.outbox.send({ now: stage.clock.now });
    const delivery = stage.start();
    const [first] = await stage.settled(1);
    assert.is(first!.due_at, START + 3750);
    stage.clock.now = first!.due_at;
    delivery.wake();
    const [second] = await stage.settled(2);
    assert.is(second!.due_at, stage.clock.now + 7500);
    stage.sink.replies.clear();
    stage.clock.now = second!.due_at;
    delivery.wake();
    assert.is(
      (
        await eventually(
          async () => (await stage.outbox.rows())[0]!.state !== 'pending' && stage.outbox.rows(),
          'an end',
        )
      )[0]!.state,
      'accepted',
    );
  });
}

test('deletes nothing on 401 and 403, delays no other push, and retries', async () => {
  const refused = [];
  for (const [name, code] of [
    ['one', 401],
    ['two', 403],
    ['three', 403],
  ] as const) {
    refused.push(await stage.outbox.addDevice(stage.sink.subscribe(name).token));
    stage.sink.replies.set(`/${name}`, replyWithStatus(code));
  }
  await stage.outbox.addDevice(stage.sink.subscribe('good').token);
  await stage.outbox.send({ now: stage.clock.now });
  const delivery = stage.start({ concurrency: 1 });
  assert.equal(
    (await stage.settled()).map(({ state }) => state),
    ['pending', 'pending', 'pending', 'accepted'],
  );
  for (const { deviceId } of refused) assert.ok(await stage.outbox.hasDevice(deviceId));

  stage.sink.replies.clear();
  stage.clock.now += 6 * 60_000;
  delivery.wake();
  await stage.sink.arrived(7);
  assert.equal(
    (await stage.settled(2)).map(({ state }) => state),
    ['accepted', 'accepted', 'accepted', 'accepted'],
  );
});

test('keeps FCM tokens waiting without a service account, without an alert', async () => {
  const { deviceId } = await stage.outbox.addDevice('x');
  await stage.outbox.addDevice('another-fcm-token');
  await stage.outbox.addDevice(stage.sink.subscribe('browser').token);
  await stage.outbox.nameServices();
  await stage.outbox.send({ now: stage.clock.now });
  const attempts: string[] = [];
  const delivery = stage.start({
    onAttempt: (service, outcome) => attempts.push(`${service} ${outcome}`),
  });
  await stage.sink.arrived(1);
  const done = () =>
    eventually(
      async () => {
        const rows = await stage.outbox.rows();
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
    stage.clock.now += 2000;
    delivery.wake();
    await eventually(() => attempts.length > look, 'another attempt');
  }
  const rows = await done();
  assert.equal(
    rows.map(({ state, reason }) => [state, reason]),
    [
      ['pending', 'no-service-account'],
      ['pending', 'no-service-account'],
      ['accepted', null],
    ],
  );
  assert.ok(rows[0]!.due_at >= START + 5 * 60_000);
  assert.ok(await stage.outbox.hasDevice(deviceId));
  assert.not.match(stage.log.join(), '"alert":true');
  assert.equal([...attempts].sort(), [
    'fcm misconfigured',
    'fcm misconfigured',
    'web-push accepted',
  ]);
});

test('drops an expired message, and one that could only be retried too late', async () => {
  await stage.outbox.addDevice(stage.sink.subscribe('flaky').token);
  stage.sink.replies.set('/flaky', replyWithStatus(503));
  await stage.outbox.send({ now: stage.clock.now, lifetime: 2000 });
  await stage.outbox.send({ now: stage.clock.now - 5000, lifetime: 5000 });
  stage.start();
  assert.equal(
    (await stage.settled()).map(({ state, reason }) => [state, reason]),
    [
      ['failed', 'status-503'],
      ['failed', 'expired'],
    ],
  );
  assert.is(stage.sink.received.length, 1);
});

test.run();
