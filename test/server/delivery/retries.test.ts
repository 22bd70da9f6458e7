import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { setDeliveryStage, START, type DeliveryStage } from '../../support/delivery';
import { eventually } from '../../support/eventually';
import { created, hang, status } from '../../support/push-sink';

const test = suite('deliveries that are tried again');

let stage: DeliveryStage;
let clock: DeliveryStage['clock'];
let outbox: DeliveryStage['outbox'];
let sink: DeliveryStage['sink'];
let log: DeliveryStage['log'];

test.before.each(async () => {
  stage = await setDeliveryStage();
  ({ clock, outbox, sink, log } = stage);
});
test.after.each(() => stage.close());

test('429 with Retry-After: nothing is sent before that time, and then it is', async () => {
  await outbox.addDevice(sink.subscribe('busy').token);
  sink.replies.set('/busy', status(429, { 'Retry-After': '120' }));
  await outbox.send({ now: clock.now });
  const delivery = stage.start();
  const [row] = await stage.settled();
  assert.is(row!.state, 'pending');
  assert.is(row!.due_at, START + 120_000);
  assert.is(row!.reason, 'status-429');

  sink.replies.delete('/busy');
  clock.now = START + 119_999;
  delivery.wake();
  await outbox.addDevice(sink.subscribe('later').token);
  await outbox.send({ now: clock.now });
  delivery.wake();
  await sink.arrived(3); // the first, and both of the second message
  assert.equal((await outbox.rows()).map(({ attempts, state }) => [attempts, state])[0], [1, 'pending']);
  clock.now = START + 120_000;
  delivery.wake();
  await sink.arrived(4);
  assert.equal((await stage.settled()).map(({ state }) => state), ['accepted', 'accepted', 'accepted']);
});

for (const code of [500, 502, 503, 408]) {
  test(`${code} is tried again, later each time, and then arrives`, async () => {
    await outbox.addDevice(sink.subscribe('flaky').token);
    sink.replies.set('/flaky', status(code));
    await outbox.send({ now: clock.now });
    const delivery = stage.start();
    const [first] = await stage.settled(1);
    assert.is(first!.due_at, START + 3750);
    clock.now = first!.due_at;
    delivery.wake();
    const [second] = await stage.settled(2);
    assert.is(second!.due_at, clock.now + 7500);
    sink.replies.clear();
    clock.now = second!.due_at;
    delivery.wake();
    assert.is((await eventually(async () => (await outbox.rows())[0]!.state !== 'pending' && outbox.rows(), 'an end'))[0]!.state, 'accepted');
  });
}

test('a kept-alive connection that the push service closes just then costs no attempt', async () => {
  await outbox.addDevice(sink.subscribe('phone').token);
  const used = new WeakSet<object>();
  sink.replies.set('/phone', (response, push) => {
    if (used.has(response.socket!)) return void response.socket!.destroy();
    used.add(response.socket!);
    created(response, push);
  });
  await outbox.send({ now: clock.now });
  const delivery = stage.start();
  await stage.settled();
  await outbox.send({ now: clock.now });
  delivery.wake();
  await sink.arrived(3);
  const rows = await stage.settled();
  assert.equal(rows.map(({ state, attempts }) => [state, attempts]), [['accepted', 1], ['accepted', 1]]);
});

test('a connection that breaks before the answer is tried again later', async () => {
  await outbox.addDevice(sink.subscribe('phone').token);
  sink.replies.set('/phone', (response) => response.socket!.destroy());
  await outbox.send({ now: clock.now });
  stage.start();
  const [row] = await stage.settled();
  assert.is(row!.state, 'pending');
  assert.is(row!.reason, 'ECONNRESET');
});

test('an endpoint that never answers is given up after the limit and tried again', async () => {
  const { deviceId } = await outbox.addDevice(sink.subscribe('silent').token);
  sink.replies.set('/silent', hang);
  await outbox.send({ now: clock.now });
  stage.start({ limits: { timeout: 150 } });
  const [row] = await stage.settled();
  assert.is(row!.state, 'pending');
  assert.is(row!.reason, 'timeout');
  assert.ok(await outbox.hasDevice(deviceId));
});

test('401 and 403 delete nothing, raise one alert, hold up nobody else, and are tried again', async () => {
  const refused = [];
  for (const [name, code] of [['one', 401], ['two', 403], ['three', 403]] as const) {
    refused.push(await outbox.addDevice(sink.subscribe(name).token));
    sink.replies.set(`/${name}`, status(code));
  }
  await outbox.addDevice(sink.subscribe('good').token);
  await outbox.send({ now: clock.now });
  const delivery = stage.start({ concurrency: 1 });
  assert.equal((await stage.settled()).map(({ state }) => state), ['pending', 'pending', 'pending', 'accepted']);
  for (const { deviceId } of refused) assert.ok(await outbox.hasDevice(deviceId));
  assert.is(log.filter((line) => line.includes('"alert":true')).length, 1);

  sink.replies.clear();
  clock.now += 6 * 60_000;
  delivery.wake();
  await sink.arrived(7);
  assert.equal((await stage.settled(2)).map(({ state }) => state), ['accepted', 'accepted', 'accepted', 'accepted']);
});

test('without a service account FCM tokens wait untouched with one alert, and Web Push goes on', async () => {
  const { deviceId } = await outbox.addDevice('an-fcm-token');
  await outbox.addDevice('another-fcm-token');
  await outbox.addDevice(sink.subscribe('browser').token);
  await outbox.send({ now: clock.now });
  const attempts: string[] = [];
  const delivery = stage.start({ concurrency: 1, onAttempt: (service, outcome) => attempts.push(`${service} ${outcome}`) });
  assert.not(delivery.isRefused());
  const rows = await eventually(async () => {
    const rows = await outbox.rows();
    return rows.every(({ state, reason, claimed_until }) => claimed_until === null && (state === 'accepted' || reason)) && rows;
  }, 'all rows to be settled');
  assert.equal(rows.map(({ state, reason }) => [state, reason]), [['pending', 'no-service-account'], ['pending', 'held'], ['accepted', null]]);
  assert.equal(rows.map(({ attempts }) => attempts), [1, 0, 1]);
  assert.ok(rows[0]!.due_at >= START + 5 * 60_000);
  assert.ok(await outbox.hasDevice(deviceId));
  assert.is(log.filter((line) => line.includes('"alert":true')).length, 1);
  assert.equal(attempts, ['fcm misconfigured', 'web-push accepted']);
  assert.ok(delivery.isRefused());
  clock.now += 6 * 60_000;
  assert.not(delivery.isRefused());
});

test('an expired message is not sent, and one that could only be tried again too late is given up', async () => {
  await outbox.addDevice(sink.subscribe('flaky').token);
  sink.replies.set('/flaky', status(503));
  await outbox.send({ now: clock.now, lifetime: 2000 });
  await outbox.send({ now: clock.now - 5000, lifetime: 5000 });
  stage.start();
  assert.equal((await stage.settled()).map(({ state, reason }) => [state, reason]), [['failed', 'status-503'], ['failed', 'expired']]);
  assert.is(sink.received.length, 1);
});

test.run();
