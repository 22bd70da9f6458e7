import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClaimedPush } from '../../../../server/db/outbox/claimed-push';
import { claimDue, releaseClaims } from '../../../../server/db/outbox/claim-pushes';
import { recordOutcomes } from '../../../../server/db/outbox/outcomes';
import * as queues from '../../../../server/db/outbox/queues';
import { repairDueTimes, expireRows } from '../../../../server/db/outbox/maintenance';
import {
  markUnproven,
  removeServices,
  markProven,
  getPushServiceName,
} from '../../../../server/db/push-services';
import { createOutbox, type Outbox } from '../../../support/delivery/outbox';

const test = suite('the queues of the outbox');
const START = Date.parse('2026-11-21T09:30:00Z');
const [SECOND, HOUR, DAY] = [1000, 3600_000, 24 * 3600_000];
const LEASE_MS = 30 * SECOND;
let outbox: Outbox;
test.before.each(async () => {
  outbox = await createOutbox();
});
test.after.each(() => outbox.close());

const tokenAt = (origin: string, name: string | number): string =>
  JSON.stringify({ endpoint: `${origin}/${name}`, keys: {} });
const scan = async (now: number): Promise<number[]> =>
  (await queues.scanDueUnprovenServices(outbox.db, now, 0, 64)).services.map(({ id }) => id);
const claim = (service: number, limit: number, now = START): Promise<ClaimedPush[]> =>
  claimDue(outbox.db, outbox.engine, { now, leaseMs: LEASE_MS, from: [{ service, limit }] });

/** Adds devices at each origin, and puts them into the queues of their services. */
async function addDevicesAt(count: number, ...origins: string[]): Promise<number[]> {
  await outbox.addDevices(
    origins.flatMap((origin) =>
      Array.from({ length: count }, (_, index) => tokenAt(origin, index)),
    ),
  );
  const services = await outbox.assignPushServices();
  return origins.map((origin) => services.get(origin) ?? NaN);
}

test('assigns a device to the origin of its endpoint, to FCM, or to none', () => {
  assert.is(getPushServiceName(tokenAt('https://push.example', 'a')), 'https://push.example');
  assert.is(getPushServiceName(tokenAt('https://PUSH.example:443', 'a')), 'https://push.example');
  assert.is(
    getPushServiceName(tokenAt('https://push.example:8443', 'a')),
    'https://push.example:8443',
  );
  assert.is(getPushServiceName('x'), 'fcm');
  for (const token of ['{', '{}', '{"endpoint":7}', '{"endpoint":"push.example"}'])
    assert.is(getPushServiceName(token), 'none', token);
});

test("claims only each queue's share", async () => {
  const [firstDevice, secondDevice, thirdDevice] = await addDevicesAt(
    4,
    'https://one.example',
    'https://two.example',
    'https://three.example',
  );
  await outbox.addMessage({ now: START });
  const claims = await claimDue(outbox.db, outbox.engine, {
    now: START,
    leaseMs: LEASE_MS,
    from: [
      { service: firstDevice!, limit: 3 },
      { service: secondDevice!, limit: 1 },
    ],
  });
  assert.equal(
    claims.map(({ service }) => service).sort(),
    [firstDevice, firstDevice, firstDevice, secondDevice].sort(),
  );
  assert.is((await claim(firstDevice!, 10)).length, 1);
  assert.is((await claim(thirdDevice!, 10)).length, 4);
});

test('lets a later message take turns with an earlier one to the same service', async () => {
  const [service] = await addDevicesAt(100, 'https://push.example');
  const earlyPush = await outbox.addMessage({ now: START });
  const latePush = await outbox.addMessage({ now: START + SECOND });
  const claims = await claim(service!, 20, START + SECOND);
  assert.equal(
    [earlyPush, latePush].map((id) => claims.filter(({ message }) => message.id === id).length),
    [15, 5],
  );
  const nextPushes = await claim(service!, 40, START + SECOND);
  assert.equal(
    [earlyPush, latePush].map((id) => nextPushes.filter(({ message }) => message.id === id).length),
    [20, 20],
    'then they take turns',
  );
});

test('claims a retry when it is due, after pushes never tried', async () => {
  const [service] = await addDevicesAt(2, 'https://push.example');
  await outbox.addMessage({ now: START });
  const [firstPush] = await claim(service!, 1);
  await recordOutcomes(
    outbox.db,
    [
      {
        claim: firstPush!,
        state: 'pending',
        reason: 'timeout',
        dueAt: START + 5000,
        attempted: true,
      },
    ],
    START,
  );
  const [secondPush] = await claim(service!, 5);
  assert.is.not(secondPush!.id, firstPush!.id);
  assert.equal(await claim(service!, 5, START + 4999), []);
  await outbox.addMessage({ now: START + 4000 });
  const repeatedPushes = await claim(service!, 3, START + 5000);
  assert.equal(repeatedPushes.map(({ attempts }) => attempts).sort(), [0, 0, 1]);
  await releaseClaims(outbox.db, repeatedPushes);
  assert.equal(
    (await claim(service!, 2, START + 5000)).map(({ attempts }) => attempts),
    [0, 0],
  );
});

const listProven = async (): Promise<number[]> =>
  (await queues.listDueProvenQueues(outbox.db, START)).map(({ id }) => id);

test('reserves slots for proven services only', async () => {
  const [proven, other] = await addDevicesAt(1, 'https://one.example', 'https://two.example');
  await outbox.addMessage({ now: START });
  assert.equal(await listProven(), []);
  assert.equal(await scan(START), [proven, other]);
  await markProven(proven!, outbox.db, { now: START });
  assert.equal(await listProven(), [proven]);
  assert.equal(await scan(START), [other]);
  await markUnproven([proven!], outbox.db);
  assert.equal(await listProven(), []);
});

test('marks at most 64 services as proven, and replaces those unused for a month', async () => {
  const services = await addDevicesAt(
    1,
    ...Array.from({ length: 65 }, (_, index) => `https://s${index}.example`),
  );
  await outbox.addMessage({ now: START });
  for (const service of services) await markProven(service, outbox.db, { now: START });
  assert.is((await listProven()).length, 64);
  await markProven(services[0]!, outbox.db, { now: START + 20 * DAY });
  await removeServices(outbox.db, START + 31 * DAY);
  assert.equal(await listProven(), [services[0]]);
  await markProven(services[64]!, outbox.db, { now: START + 31 * DAY });
  assert.is((await listProven()).length, 2);
});

test('forgets unproven services with their last device', async () => {
  const [kept, proven] = await addDevicesAt(
    1,
    'https://kept.example',
    'https://proven.example',
    'https://gone.example',
  );
  await markProven(proven!, outbox.db, { now: START });
  await outbox.db.deleteFrom('devices').where('service_id', '!=', kept!).execute();
  await removeServices(outbox.db, START);
  const rows = await outbox.db
    .selectFrom('push_services')
    .select('origin')
    .orderBy('origin')
    .execute();
  assert.equal(
    rows.map(({ origin }) => origin),
    ['https://kept.example', 'https://proven.example'],
  );
});

test('scans many queues in parts, and reaches all', async () => {
  const services = await addDevicesAt(
    1,
    ...Array.from({ length: 10 }, (_, index) => `https://s${index}.example`),
  );
  await outbox.addMessage({ now: START });
  const scannedIds: number[] = [];
  let after = 0;
  for (let looks = 0; looks < 3; looks++) {
    const { services: found, next } = await queues.scanDueUnprovenServices(
      outbox.db,
      START,
      after,
      4,
    );
    assert.ok(found.length <= 4);
    scannedIds.push(...found.map(({ id }) => id));
    after = next;
  }
  assert.equal(scannedIds, services);
  assert.is(after, 0, 'it starts again');
});

test('counts an attempt with its claim, and takes back one that was not made', async () => {
  const [service] = await addDevicesAt(3, 'https://push.example');
  await outbox.addMessage({ now: START });
  const [heldPush, releasedPush, triedPush] = await claim(service!, 3);
  const attempts = async () => (await outbox.listDeliveries()).map((row) => row.attempts);
  assert.equal(await attempts(), [1, 1, 1]);
  await recordOutcomes(
    outbox.db,
    [
      { claim: heldPush!, state: 'pending', reason: 'held', dueAt: START, attempted: false },
      { claim: triedPush!, state: 'pending', reason: 'timeout', dueAt: START, attempted: true },
    ],
    START,
  );
  await releaseClaims(outbox.db, [releasedPush!]);
  assert.equal(await attempts(), [0, 0, 1]);
  assert.equal(
    (await outbox.listDeliveries()).map(({ lost, claimed_until }) => [lost, claimed_until]),
    Array(3).fill([0, null]),
  );
});

test('counts expired leases until an attempt has an outcome', async () => {
  const [service] = await addDevicesAt(1, 'https://push.example');
  await outbox.addMessage({ now: START });
  for (const [turn, lost] of [0, 1, 2].entries()) {
    const [row] = await claim(service!, 1, START + turn * LEASE_MS);
    assert.equal([row!.lostClaims, row!.attempts], [lost, turn]);
  }
  const now = START + 3 * LEASE_MS;
  const [row] = await claim(service!, 1, now);
  assert.is(row!.lostClaims, 3);
  await releaseClaims(outbox.db, [row!]);
  assert.is(
    (await outbox.listDeliveries())[0]!.lost,
    3,
    'a clean stop adds nothing and takes nothing away',
  );
  for (const [attempted, lost] of [
    [false, 3], // put off untried, which says nothing of it
    [true, 0],
  ] as const) {
    const [repeatedPush] = await claim(service!, 1, now);
    assert.is(repeatedPush!.lostClaims, 3);
    await recordOutcomes(
      outbox.db,
      [{ claim: repeatedPush!, state: 'pending', reason: 'timeout', dueAt: now, attempted }],
      now,
    );
    assert.is((await outbox.listDeliveries())[0]!.lost, lost);
  }
});

test('ignores a claim from a clock that was days ahead', async () => {
  const [service] = await addDevicesAt(1, 'https://push.example');
  await outbox.addMessage({ now: START });
  assert.is((await claim(service!, 1, START + 2 * DAY)).length, 1);
  const [row] = await claim(service!, 1);
  assert.is(row!.lostClaims, 0, 'no process died');
  assert.equal(await claim(service!, 1, START + 1), [], 'and now it is held as usual');
});

test('keeps waits the same length when the clock goes back an hour', async () => {
  const [service] = await addDevicesAt(601, 'https://push.example');
  await outbox.addMessage({ now: START + HOUR });
  const untriedPushes = await claim(service!, 1);
  assert.is(untriedPushes.length, 1, 'what was never tried waits for no time');
  await releaseClaims(outbox.db, untriedPushes);
  const claims = await claim(service!, 601, START + HOUR);
  await recordOutcomes(
    outbox.db,
    claims.map((each) => ({
      claim: each,
      state: 'pending',
      reason: 'timeout',
      dueAt: START + HOUR + 5000,
      attempted: true,
    })),
    START + HOUR,
  );
  assert.equal(await claim(service!, 5, START + 5000), []);
  assert.equal(
    [
      await repairDueTimes(outbox.db, START),
      await repairDueTimes(outbox.db, START),
      await repairDueTimes(outbox.db, START),
    ],
    [500, 101, 0],
  );
  assert.equal(await claim(service!, 5, START + 4999), []);
  assert.is((await claim(service!, 5, START + 5000)).length, 5);
});

test('expires pushes in every queue, and nothing else', async () => {
  const [service] = await addDevicesAt(501, 'https://silent.example');
  await outbox.addMessage({ now: START, lifetime: HOUR });
  await outbox.addMessage({ now: START, lifetime: 2 * HOUR });
  assert.is(await expireRows(outbox.db, START + HOUR - 1), 0);
  const [heldPush] = await claim(service!, 1, START + HOUR);
  assert.equal(
    [await expireRows(outbox.db, START + HOUR), await expireRows(outbox.db, START + HOUR)],
    [500, 0],
  );
  const expired = (await outbox.listDeliveries()).filter(({ reason }) => reason === 'expired');
  assert.is(expired.length, 500);
  assert.ok(expired.every(({ id, state }) => state === 'failed' && id !== heldPush!.id));
  assert.is(
    await expireRows(outbox.db, START + HOUR + LEASE_MS),
    1,
    'and what a dead process held',
  );
});

test.run();
