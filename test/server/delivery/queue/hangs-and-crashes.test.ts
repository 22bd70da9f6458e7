import type { ServerResponse } from 'node:http';
import * as assert from 'uvu/assert';
import { claimDue } from '../../../../server/db/outbox/claim-pushes';
import { markProven } from '../../../../server/db/push-services';
import type { Resolve } from '../../../../server/delivery/https/resolver';
import { STILL_WANTED_VALID_MS } from '../../../../server/delivery/queue/still-wanted';
import { shortPause, eventually } from '../../../support/eventually';
import {
  sinkReplyNever,
  startPushSink,
  sinkReplyWithStatus,
} from '../../../support/push-services/push-sink';
import { deliverySuite, SUITE_START } from '../../../support/delivery/delivery-suite';

const { test, setup } = deliverySuite('delivery during hangs, crashes and clock jumps');
const LEASE_MS = 30_000;
const [HOUR, DAY] = [3600_000, 24 * 3600_000];

const createTokens = (count: number, name: string): string[] =>
  Array.from({ length: count }, (_, index) => setup.sink.subscribe(`${name}-${index}`).token);
/** The same endpoints at another origin. */
const tokensAt = (host: string, tokens: string[]): string[] =>
  tokens.map((token) => token.replace(setup.sink.host, host));
const pathsOf = (name: string): string[] =>
  setup.sink.receivedPushes.map(({ path }) => path).filter((path) => path.startsWith(`/${name}`));

/** Runs `work` once during the lookup of a push service, just before the connection. */
function whenResolved(work: () => Promise<unknown>): Resolve {
  let happened: Promise<unknown> | undefined;
  return (_, __, done) => {
    happened ??= work().then(() => (setup.clock.elapsed += STILL_WANTED_VALID_MS + 1));
    void happened.then(() => done(null, [{ address: '127.0.0.1', family: 4 }]));
  };
}

test('leaves slots for a proven service while another hangs', async () => {
  const hanging = await startPushSink();
  await setup.outbox.addDevices(createTokens(5, 'healthy'));
  for (let index = 0; index < 200; index++)
    hanging.replies.set(`/hanging-${index}`, sinkReplyNever);
  await setup.outbox.addDevices(tokensAt(hanging.host, createTokens(200, 'hanging')));
  const services = await setup.outbox.assignPushServices();
  // Both are proven.
  for (const id of services.values()) await markProven(id, setup.outbox.db, { now: SUITE_START });
  await setup.outbox.addMessage({ now: setup.clock.now });
  setup.start({
    concurrency: 16,
    drainWithinMs: 50,
    allowedHosts: [setup.sink.host, hanging.host],
  });
  await setup.sink.waitForPushes(5);
  await hanging.waitForPushes(1);
  assert.ok(
    hanging.receivedPushes.length <= 12,
    `${hanging.receivedPushes.length} of 16 slots hang`,
  );
  await hanging.close();
});

test('gives a service its share of slots after its first accepted push', async () => {
  await setup.outbox.addDevices(createTokens(40, 'device'));
  await setup.outbox.assignPushServices();
  await setup.outbox.addMessage({ now: setup.clock.now });
  setup.start({ concurrency: 16, pollEveryMs: 600_000 });
  await setup.sink.waitForPushes(40);
  const { proven_at } = await setup.outbox.db
    .selectFrom('push_services')
    .select('proven_at')
    .executeTakeFirstOrThrow();
  assert.is(proven_at, SUITE_START);
});

test('tries an unproven service with one push, and pauses it when unreachable', async () => {
  const tokens = createTokens(3, 'device').map((token) =>
    token.replace(setup.sink.host, 'localhost:1'),
  );
  await setup.outbox.addDevices(tokens);
  await setup.outbox.assignPushServices();
  await setup.outbox.addMessage({ now: setup.clock.now });
  const tried: string[] = [];
  const delivery = setup.start({
    allowedHosts: ['localhost:1'],
    onAttempt: (_, outcome) => tried.push(outcome),
  });
  await setup.waitUntilSomeSettled(1);
  delivery.wake();
  await shortPause();
  assert.equal(tried, ['retry']);
  // The push's own backoff is shorter, but the service is still paused.
  setup.clock.now += 20_000;
  delivery.wake();
  await shortPause();
  assert.equal(tried, ['retry']);
  setup.clock.now += 10_000;
  delivery.wake();
  await eventually(() => tried.length === 2, 'the probe');
});

test('sets a push aside after three crashes, with an alert, and delivers the others', async () => {
  await setup.outbox.addDevices(createTokens(3, 'device'));
  await setup.outbox.addMessage({ now: setup.clock.now });
  const die = async () => {
    const claims = await claimDue(setup.outbox.db, setup.outbox.engine, {
      now: setup.clock.now,
      leaseMs: LEASE_MS,
      from: [{ service: 0, limit: 1 }],
    });
    setup.clock.now += LEASE_MS;
    return claims.length;
  };
  assert.equal([await die(), await die(), await die()], [1, 1, 1]);
  setup.start();
  const rows = await eventually(async () => {
    const finalRows = await setup.outbox.listDeliveries();
    return finalRows.every(({ state }) => state !== 'pending') && finalRows;
  }, 'all rows to end');
  assert.equal(
    rows.map(({ state, reason, attempts }) => [state, reason, attempts]),
    [
      ['failed', 'process-died', 3],
      ['accepted', null, 1],
      ['accepted', null, 1],
    ],
  );
  assert.not.ok(pathsOf('device-0').length);
  assert.is(setup.log.filter((line) => line.includes('"alert":true')).length, 1);
});

test('sends pushes that crashed the process twice one at a time, in parallel with all others', async () => {
  await setup.outbox.addDevices(createTokens(6, 'device'));
  await setup.outbox.addMessage({ now: setup.clock.now });
  for (let death = 0; death < 2; death++) {
    await claimDue(setup.outbox.db, setup.outbox.engine, {
      now: setup.clock.now,
      leaseMs: LEASE_MS,
      from: [{ service: 0, limit: 4 }],
    });
    setup.clock.now += LEASE_MS;
  }
  const open: ServerResponse[] = [];
  for (let index = 0; index < 4; index++)
    setup.sink.replies.set(`/device-${index}`, (response) => open.push(response));
  setup.start({ pollEveryMs: HOUR });
  await setup.sink.waitForPushes(3);
  for (let suspect = 1; suspect <= 4; suspect++) {
    await eventually(() => open.length === suspect, `suspect ${suspect}`);
    const claimed = (await setup.outbox.listDeliveries()).filter(
      (row) => row.claimed_until !== null && row.lost === 2,
    );
    assert.is(claimed.length, 1, 'the others would be counted if it ended the process');
    open[suspect - 1]!.writeHead(201).end();
    await eventually(
      async () =>
        (await setup.outbox.listDeliveries()).filter(({ state }) => state === 'accepted').length ===
        2 + suspect,
      'it to be recorded',
    );
  }
  assert.not.match(setup.log.join(), '"alert":true');
});

test('sends all pushes of many crashes one after the other, without a pause', async () => {
  const count = 40;
  await setup.outbox.addDevices(createTokens(count, 'device'));
  await setup.outbox.addMessage({ now: setup.clock.now });
  for (let death = 0; death < 2; death++) {
    await claimDue(setup.outbox.db, setup.outbox.engine, {
      now: setup.clock.now,
      leaseMs: LEASE_MS,
      from: [{ service: 0, limit: count }],
    });
    setup.clock.now += LEASE_MS;
  }
  let [atOnce, maxAtOnce] = [0, 0];
  for (let index = 0; index < count; index++)
    setup.sink.replies.set(`/device-${index}`, (response) => {
      maxAtOnce = Math.max(maxAtOnce, (atOnce += 1));
      // Leaves time for a second push to arrive.
      setImmediate(() => {
        atOnce -= 1;
        response.writeHead(201).end();
      });
    });
  setup.start({ pollEveryMs: HOUR });
  // Each was tried twice before.
  assert.ok((await setup.waitUntilSettled(3)).every(({ state }) => state === 'accepted'));
  assert.equal([maxAtOnce, setup.sink.receivedPushes.length], [1, count]);
});

test('never sends a waiting push after its topic is deleted', async () => {
  // The host speaks HTTP/1.1 on one connection, so the second push waits for the first answer.
  await setup.outbox.addDevices(createTokens(2, 'device'));
  let reply: (() => void) | undefined;
  for (let index = 0; index < 2; index++)
    setup.sink.replies.set(
      `/device-${index}`,
      (response) => (reply = () => response.writeHead(201).end()),
    );
  await setup.outbox.addMessage({ now: setup.clock.now });
  setup.start({ limits: { socketsPerHost: 1 } });
  await setup.sink.waitForPushes(1);
  await setup.outbox.db.deleteFrom('topics').execute();
  setup.clock.elapsed += STILL_WANTED_VALID_MS + 1;
  reply!();
  const rows = await setup.waitUntilSettled();
  assert.equal(rows.map(({ state, attempts }) => [state, attempts]).sort(), [
    ['accepted', 1],
    ['skipped', 0],
  ]);
  assert.is(setup.sink.receivedPushes.length, 1);
});

for (const [caseName, end] of Object.entries({
  'the subscription ends': () => setup.outbox.db.deleteFrom('subscriptions').execute(),
  'the device is forgotten': () => setup.outbox.db.deleteFrom('devices').execute(),
  'the device gets another token': () =>
    setup.outbox.db
      .updateTable('devices')
      .set({ token_hash: 'another' })
      .where('id', '=', 1)
      .execute(),
  'the switch is turned off': async () => {
    const { id } = await setup.outbox.db
      .selectFrom('devices')
      .select('id')
      .orderBy('id')
      .executeTakeFirstOrThrow();
    await setup.outbox.db
      .insertInto('device_preferences')
      .values({ device_id: id, topic_id: setup.outbox.topicId, enabled: 0 })
      .execute();
  },
})) {
  test(`sends no push later than 250 ms after ${caseName}`, async () => {
    await setup.outbox.addDevice(setup.sink.subscribe('phone').token);
    await setup.outbox.addMessage({ now: setup.clock.now });
    // This happens during the look-up, just before the connection.
    setup.start({ resolve: whenResolved(end) });
    assert.is((await setup.waitUntilSettled())[0]!.state, 'skipped');
    assert.is(setup.sink.receivedPushes.length, 0);
  });
}

test('sends a push that is still wanted after it waited for a connection', async () => {
  await setup.outbox.addDevices(createTokens(30, 'device'));
  await setup.outbox.addMessage({ now: setup.clock.now });
  setup.start({ resolve: whenResolved(async () => undefined) });
  await setup.sink.waitForPushes(30);
  assert.ok((await setup.waitUntilSettled()).every(({ state }) => state === 'accepted'));
});

test('expires nothing while the clock is in doubt, and sends it once the clock is right', async () => {
  await setup.outbox.addDevices(createTokens(140, 'device'));
  await setup.outbox.addMessage({ now: setup.clock.now });
  setup.clock.now += 2 * DAY;
  setup.clock.isSure = false;
  const delivery = setup.start();
  const states = async () =>
    new Set(
      (await setup.outbox.listDeliveries()).map(
        ({ state, reason, attempts }) => `${state} ${reason} ${attempts}`,
      ),
    );
  await eventually(
    async () => (await states()).has('pending clock 0') && (await states()).size === 1,
    'all to be put off',
  );
  setup.clock.now -= 2 * DAY;
  setup.clock.elapsed += 2 * DAY + 60_000;
  setup.clock.isSure = true;
  delivery.wake();
  // What the wrong clock postponed is due again within a minute, after its original wait.
  await eventually(
    async () =>
      (await setup.outbox.listDeliveries()).every(({ due_at }) => due_at === SUITE_START + 60_000),
    'them to be brought back',
  );
  setup.clock.now += 60_000;
  delivery.wake();
  await setup.sink.waitForPushes(140);
  assert.is(setup.sink.receivedPushes.length, 140);
});

test('continues retries when the clock goes back an hour', async () => {
  await setup.outbox.addDevice(setup.sink.subscribe('flaky').token);
  setup.sink.replies.set('/flaky', sinkReplyWithStatus(503));
  await setup.outbox.addMessage({ now: setup.clock.now });
  const delivery = setup.start();
  await setup.waitUntilSettled(1);
  setup.sink.replies.clear();
  setup.clock.now -= HOUR;
  setup.clock.elapsed += HOUR + 60_000;
  delivery.wake();
  await eventually(
    async () => (await setup.outbox.listDeliveries())[0]!.due_at < SUITE_START,
    'it to be brought back',
  );
  setup.clock.now += 3750;
  delivery.wake();
  await setup.sink.waitForPushes(2);
});

test.run();
