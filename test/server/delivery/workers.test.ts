import { Worker } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import webPush from 'web-push';
import { claimDue, nextDueAt, recordOutcomes, type Claim, type Settlement } from '../../../server/db/outbox';
import { createEncryptor } from '../../../server/delivery/encryptor';
import { startWorker } from '../../../server/delivery/worker';
import { createLog } from '../../../server/log';
import { setDeliveryStage, START, type DeliveryStage } from '../../support/delivery';
import { eventually } from '../../support/eventually';
import { created, hang, type Reply } from '../../support/push-sink';

const test = suite('delivery by several workers, and after a crash');

const LEASE = 30_000;
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

/** The code of the encryption thread; see `encryptor.ts`. */
declare const ENCRYPTION_THREAD: string;

const states = async () => (await outbox.rows()).map(({ state }) => state);
const allAccepted = () => eventually(async () => (await states()).every((state) => state === 'accepted'), 'all to be accepted');

test('two processes on one database send each row once, and both take part', async () => {
  await outbox.addDevices(Array.from({ length: 300 }, (_, index) => sink.subscribe(`device-${index}`).token));
  await outbox.send({ now: clock.now });
  const other = webPush.generateVAPIDKeys();
  stage.start({ concurrency: 16 });
  stage.start({ concurrency: 16, db: outbox.openAgain(), vapid: other });
  await allAccepted();
  assert.is(sink.received.length, 300);
  assert.is(new Set(sink.received.map(({ path }) => path)).size, 300);
  const byOther = sink.received.filter(({ headers }) => headers.authorization!.endsWith(other.publicKey)).length;
  assert.ok(byOther > 0 && byOther < 300, `the other sent ${byOther} of 300`);
});

test('what a killed process had claimed is taken over when its claim runs out, and not before', async () => {
  await outbox.addDevice(sink.subscribe('phone').token);
  await outbox.send({ now: clock.now });
  assert.is((await claimDue(outbox.openAgain(), outbox.engine, { now: clock.now, lease: LEASE, limit: 10 })).length, 1);

  const delivery = stage.start();
  clock.now = START + LEASE - 1;
  delivery.wake();
  assert.equal(await claimDue(outbox.db, outbox.engine, { now: clock.now, lease: LEASE, limit: 10 }), []);
  clock.now = START + LEASE;
  delivery.wake();
  await allAccepted();
  assert.is(sink.received.length, 1);
});

test('a success reported after the claim ran out still counts, a failure no longer does', async () => {
  await outbox.addDevice(sink.subscribe('a').token);
  await outbox.addDevice(sink.subscribe('b').token);
  await outbox.send({ now: clock.now });
  const options = { lease: LEASE, limit: 10 };
  const [a, b] = await claimDue(outbox.db, outbox.engine, { now: clock.now, ...options });
  clock.now += LEASE;
  await claimDue(outbox.db, outbox.engine, { now: clock.now, ...options });
  await recordOutcomes(outbox.db, [
    { claim: a!, state: 'accepted', reason: null, attempted: true },
    { claim: b!, state: 'pending', reason: 'timeout', dueAt: clock.now, attempted: true },
  ], clock.now);
  const [rowA, rowB] = await outbox.rows();
  assert.is(rowA!.state, 'accepted');
  assert.is(rowB!.claimed_until, clock.now + LEASE);
  assert.is(rowB!.attempts, 0);
});

test('stopping waits for what is in flight and records it', async () => {
  await outbox.addDevice(sink.subscribe('slow').token);
  let reply: (() => void) | undefined;
  const slow: Reply = (response, push) => (reply = () => created(response, push));
  sink.replies.set('/slow', slow);
  await outbox.send({ now: clock.now });
  const delivery = stage.start();
  await sink.arrived(1);
  const stopped = delivery.stop();
  reply!();
  await stopped;
  assert.equal(await states(), ['accepted']);
});

test('stopping gives back at once what it could not finish, and what was never begun stays free', async () => {
  for (const name of ['one', 'two', 'three']) {
    await outbox.addDevice(sink.subscribe(name).token);
    sink.replies.set(`/${name}`, hang);
  }
  await outbox.send({ now: clock.now });
  const delivery = stage.start({ concurrency: 2, drainWithin: 50 });
  await sink.arrived(2);
  await delivery.stop();
  assert.equal((await outbox.rows()).map(({ state, claimed_until }) => [state, claimed_until]), Array(3).fill(['pending', null]));
  assert.is(sink.received.length, 2);

  sink.replies.clear();
  stage.start();
  await allAccepted();
});

test('a fan-out whose encryption thread dies in the middle reaches everybody, and once', async () => {
  await outbox.addDevices(Array.from({ length: 300 }, (_, index) => sink.subscribe(`device-${index}`).token));
  await outbox.send({ now: clock.now });
  const dying = `${ENCRYPTION_THREAD}; let batches = 0; require('node:worker_threads').parentPort.on('message', () => { if (++batches === 5) process.exit(1) })`;
  stage.start({ encryptor: createEncryptor(createLog((line) => log.push(line)), () => new Worker(dying, { eval: true })) });
  await allAccepted();
  assert.is(new Set(sink.received.map(({ path }) => path)).size, 300);
  assert.is(sink.received.length, 300);
  assert.is(log.filter((line) => line.includes('thread is lost')).length, 1);
});

test('a message stored while all is quiet leaves as soon as delivery is woken', async () => {
  await outbox.addDevice(sink.subscribe('phone').token);
  const delivery = stage.start({ pollEvery: 600_000 });
  await outbox.send({ now: clock.now });
  delivery.wake();
  await sink.arrived(1);
  await allAccepted();
});

test('a message stored by another process leaves without being woken', async () => {
  await outbox.addDevice(sink.subscribe('phone').token);
  stage.start({ now: Date.now, pollEvery: 20 });
  await outbox.send({ now: Date.now() });
  await sink.arrived(1);
});

test('no more are in flight at once than allowed, and a slot that frees is used', async () => {
  await outbox.addDevices(Array.from({ length: 40 }, (_, index) => sink.subscribe(`device-${index}`).token));
  let open = 0;
  let most = 0;
  const counted: Reply = (response, push) => {
    most = Math.max(most, ++open);
    setImmediate(() => {
      open--;
      created(response, push);
    });
  };
  for (let index = 0; index < 40; index++) sink.replies.set(`/device-${index}`, counted);
  await outbox.send({ now: clock.now });
  stage.start({ concurrency: 4 });
  await allAccepted();
  assert.ok(most <= 4 && most > 1, `${most} at once`);
});

/** A worker whose sends cost the process a millisecond each, as encrypting does, and are accepted at once. */
function startCostlyWorker(onSend: (claim: Claim) => void) {
  const attempt = async (claim: Claim): Promise<Settlement> => {
    onSend(claim);
    for (const until = performance.now() + 1; performance.now() < until; );
    return { claim, state: 'accepted', reason: null, attempted: true };
  };
  const { db, engine } = outbox;
  const limits = { concurrency: 64, lease: LEASE, pollEvery: 600_000, drainWithin: 8000 };
  return startWorker({ db, engine, attempt, log: createLog(() => undefined), now: () => clock.now, ...limits });
}

test('while many pushes begin, requests and timers get their turn', async () => {
  await outbox.addDevices(Array.from({ length: 64 }, (_, index) => `token-${index}`));
  await outbox.send({ now: clock.now });
  let turn = 0;
  const turning = setInterval(() => (turn += 1), 1);
  const turns = new Set<number>();
  const worker = startCostlyWorker(() => turns.add(turn));
  await allAccepted();
  clearInterval(turning);
  await worker.stop();
  assert.ok(turns.size >= 8, `64 sends of a millisecond within ${turns.size} turns`);
});

test('a stop while many pushes begin gives back those that had not begun', async () => {
  await outbox.addDevices(Array.from({ length: 64 }, (_, index) => `token-${index}`));
  await outbox.send({ now: clock.now });
  let begun = 0;
  const stopped = new Promise<void>((resolve) => {
    const worker = startCostlyWorker(() => {
      if ((begun += 1) === 1) resolve(worker.stop());
    });
  });
  await stopped;
  assert.ok(begun < 32, `${begun} of 64 were begun`);
  const rows = await outbox.rows();
  assert.is(rows.filter(({ state }) => state === 'accepted').length, begun);
  assert.equal(new Set(rows.map(({ claimed_until }) => claimed_until)), new Set([null]));
});

test('the next due time is that of the earliest row that nobody holds', async () => {
  assert.is(await nextDueAt(outbox.db), undefined);
  await outbox.addDevice(sink.subscribe('phone').token);
  await outbox.send({ now: clock.now + 5000 });
  await outbox.send({ now: clock.now });
  assert.is(await nextDueAt(outbox.db), clock.now);
  await claimDue(outbox.db, outbox.engine, { now: clock.now, lease: LEASE, limit: 1 });
  assert.is(await nextDueAt(outbox.db), clock.now + 5000);
});

test('while the database is away, what was sent is remembered, and recorded once it is back', async () => {
  await outbox.addDevice(sink.subscribe('phone').token);
  await outbox.send({ now: clock.now });
  const rename = (from: string, to: string) => outbox.db.schema.alterTable(from).renameTo(to).execute();
  sink.replies.set('/phone', async (response, push) => {
    await rename('deliveries', 'away');
    created(response, push);
  });
  const delivery = stage.start();
  await eventually(() => log.some((line) => line.includes('cannot reach the outbox')), 'the fault in the log');
  await rename('away', 'deliveries');
  delivery.wake();
  await allAccepted();
  assert.is(sink.received.length, 1);
});

test.run();
