import type { Socket } from 'node:net';
import * as assert from 'uvu/assert';
import webPush from 'web-push';
import type { ClaimedPush } from '../../../../server/db/outbox/claimed-push';
import { claimDue } from '../../../../server/db/outbox/claim-pushes';
import { recordOutcomes } from '../../../../server/db/outbox/outcomes';
import type { PushAttempt, DuePush } from '../../../../server/delivery/queue/dispatch';
import { startWorker } from '../../../../server/delivery/queue/worker';
import { createEncryptor } from '../../../../server/delivery/web-push/encryptor';
import { createLog } from '../../../../server/lib/log';
import { eventually } from '../../../support/eventually';
import { replyCreated, type SinkReply } from '../../../support/push-services/push-sink';
import { deliverySuite, SUITE_START } from '../../../support/delivery/delivery-suite';

const { test, setup } = deliverySuite('several workers and crashes');

const LEASE_MS = 30_000;
const from = [{ service: 0, limit: 10 }];

const states = async () => (await setup.outbox.listDeliveries()).map(({ state }) => state);
const allAccepted = () =>
  eventually(
    async () => (await states()).every((state) => state === 'accepted'),
    'all to be accepted',
  );

test('sends each push once with two processes on one database', async () => {
  await setup.outbox.addDevices(
    Array.from({ length: 120 }, (_, index) => setup.sink.subscribe(`device-${index}`).token),
  );
  await setup.outbox.addMessage({ now: setup.clock.now });
  const otherVapidKeys = webPush.generateVAPIDKeys();
  setup.start({ concurrency: 16 });
  setup.start({ concurrency: 16, db: setup.outbox.openSecondConnection(), vapid: otherVapidKeys });
  await allAccepted();
  assert.is(setup.sink.receivedPushes.length, 120);
  assert.is(new Set(setup.sink.receivedPushes.map(({ path }) => path)).size, 120);
  const byOther = setup.sink.receivedPushes.filter(({ headers }) =>
    headers.authorization!.endsWith(otherVapidKeys.publicKey),
  ).length;
  assert.ok(byOther > 0 && byOther < 120, `the other sent ${byOther} of 120`);
});

test('takes over pushes of a killed process when their lease expires, not before', async () => {
  await setup.outbox.addDevice(setup.sink.subscribe('phone').token);
  await setup.outbox.addMessage({ now: setup.clock.now });
  assert.is(
    (
      await claimDue(setup.outbox.openSecondConnection(), setup.outbox.engine, {
        now: setup.clock.now,
        leaseMs: LEASE_MS,
        from,
      })
    ).length,
    1,
  );

  const delivery = setup.start();
  setup.clock.now = SUITE_START + LEASE_MS - 1;
  delivery.wake();
  assert.equal(
    await claimDue(setup.outbox.db, setup.outbox.engine, {
      now: setup.clock.now,
      leaseMs: LEASE_MS,
      from,
    }),
    [],
  );
  setup.clock.now = SUITE_START + LEASE_MS;
  delivery.wake();
  await allAccepted();
  assert.is(setup.sink.receivedPushes.length, 1);
});

test('records a late success, not a late failure, after the lease expired', async () => {
  await setup.outbox.addDevice(setup.sink.subscribe('a').token);
  await setup.outbox.addDevice(setup.sink.subscribe('b').token);
  await setup.outbox.addMessage({ now: setup.clock.now });
  const options = { leaseMs: LEASE_MS, from };
  const [a, b] = await claimDue(setup.outbox.db, setup.outbox.engine, {
    now: setup.clock.now,
    ...options,
  });
  setup.clock.now += LEASE_MS;
  await claimDue(setup.outbox.db, setup.outbox.engine, { now: setup.clock.now, ...options });
  await recordOutcomes(
    setup.outbox.db,
    [
      { claim: a!, state: 'accepted', reason: null, attempted: true },
      { claim: b!, state: 'pending', reason: 'timeout', dueAt: setup.clock.now, attempted: true },
    ],
    setup.clock.now,
  );
  const [rowA, rowB] = await setup.outbox.listDeliveries();
  assert.is(rowA!.state, 'accepted');
  assert.is(rowB!.claimed_until, setup.clock.now + LEASE_MS);
  assert.is(rowB!.attempts, 2, 'both claims count');
  assert.is(rowB!.lost, 1);
});

test('waits at shutdown for pushes in flight, and records them', async () => {
  await setup.outbox.addDevice(setup.sink.subscribe('slow').token);
  let reply: (() => void) | undefined;
  const slow: SinkReply = (response, push) => (reply = () => replyCreated(response, push));
  setup.sink.replies.set('/slow', slow);
  await setup.outbox.addMessage({ now: setup.clock.now });
  const delivery = setup.start();
  await setup.sink.waitForPushes(1);
  const stopped = delivery.stop();
  reply!();
  await stopped;
  assert.equal(await states(), ['accepted']);
});

test('returns unfinished pushes at shutdown, and closes connections and thread', async () => {
  const sockets: (Socket | null)[] = [];
  for (const name of ['one', 'two', 'three']) {
    await setup.outbox.addDevice(setup.sink.subscribe(name).token);
    setup.sink.replies.set(`/${name}`, (response) => sockets.push(response.socket));
  }
  await setup.outbox.addMessage({ now: setup.clock.now });
  const encryptor = createEncryptor(createLog(() => undefined));
  let endedCount = 0;
  const limits = { timeout: 600_000 }; // nothing but the stop ends them
  const delivery = setup.start({
    ...{ concurrency: 2, drainWithinMs: 50, limits },
    encryptor: { ...encryptor, close: async () => void (endedCount += 1) },
  });
  await setup.sink.waitForPushes(2);
  await delivery.stop();
  assert.is(endedCount, 1);
  await eventually(() => sockets.every((one) => one?.destroyed), 'the end of its connections');
  assert.equal(
    (await setup.outbox.listDeliveries()).map(({ state, claimed_until }) => [state, claimed_until]),
    Array(3).fill(['pending', null]),
  );
  assert.is(setup.sink.receivedPushes.length, 2);

  setup.sink.replies.clear();
  setup.start();
  await allAccepted();
});

test('sends a new message as soon as it is woken', async () => {
  await setup.outbox.addDevice(setup.sink.subscribe('phone').token);
  const delivery = setup.start({ pollEveryMs: 600_000 });
  await setup.outbox.addMessage({ now: setup.clock.now });
  delivery.wake();
  await setup.sink.waitForPushes(1);
  await allAccepted();
});

test('sends a message of another process without being woken', async () => {
  await setup.outbox.addDevice(setup.sink.subscribe('phone').token);
  setup.start({ now: Date.now, pollEveryMs: 20 });
  await setup.outbox.addMessage({ now: Date.now() });
  await setup.sink.waitForPushes(1);
});

test('limits pushes in flight, and uses freed slots', async () => {
  await setup.outbox.addDevices(
    Array.from({ length: 40 }, (_, index) => setup.sink.subscribe(`device-${index}`).token),
  );
  let open = 0;
  let maxInFlight = 0;
  const countedResponse: SinkReply = (response, push) => {
    maxInFlight = Math.max(maxInFlight, ++open);
    setImmediate(() => {
      open--;
      replyCreated(response, push);
    });
  };
  for (let index = 0; index < 40; index++)
    setup.sink.replies.set(`/device-${index}`, countedResponse);
  await setup.outbox.addMessage({ now: setup.clock.now });
  setup.start({ concurrency: 4 });
  await allAccepted();
  assert.ok(maxInFlight <= 4 && maxInFlight > 1, `${maxInFlight} at once`);
});

/** A worker whose sends each use a millisecond of CPU, like encryption, and succeed at once. */
function startCostlyWorker(onSend: (claim: ClaimedPush) => void) {
  const attempt = async ({ claim }: DuePush): Promise<PushAttempt> => {
    onSend(claim);
    for (const until = performance.now() + 1; performance.now() < until; );
    return {
      settlement: { claim, state: 'accepted', reason: null, attempted: true },
      reply: 'accepted',
    };
  };
  const { db, engine } = setup.outbox;
  const clocks = {
    now: () => setup.clock.now,
    elapsed: () => performance.now(),
    isClockSure: () => true,
    random: () => 0.5,
  };
  const limits = { concurrency: 64, leaseMs: LEASE_MS, pollEveryMs: 600_000, drainWithinMs: 8000 };
  return startWorker({
    db,
    engine,
    attempt,
    probe: async () => undefined,
    log: createLog(() => undefined),
    allowedHosts: [],
    ...clocks,
    ...limits,
  });
}

test('yields to requests and timers while many pushes begin', async () => {
  await setup.outbox.addDevices(Array.from({ length: 64 }, (_, index) => `token-${index}`));
  await setup.outbox.addMessage({ now: setup.clock.now });
  let turn = 0;
  const turning = setInterval(() => (turn += 1), 1);
  const turns = new Set<number>();
  const worker = startCostlyWorker(() => turns.add(turn));
  await allAccepted();
  clearInterval(turning);
  await worker.stop();
  assert.ok(turns.size >= 8, `64 sends of a millisecond within ${turns.size} turns`);
});

test('remembers outcomes while the database is away, and records them later', async () => {
  await setup.outbox.addDevice(setup.sink.subscribe('phone').token);
  await setup.outbox.addMessage({ now: setup.clock.now });
  const rename = (table: string, name: string) =>
    setup.outbox.db.schema.alterTable(table).renameTo(name).execute();
  setup.sink.replies.set('/phone', async (response, push) => {
    await rename('deliveries', 'away');
    replyCreated(response, push);
  });
  const delivery = setup.start();
  await eventually(
    () => setup.log.some((line) => line.includes('outbox unavailable, retrying')),
    'the fault in the log',
  );
  await rename('away', 'deliveries');
  delivery.wake();
  await allAccepted();
  assert.is(setup.sink.receivedPushes.length, 1);
});

test.run();
