import * as assert from 'uvu/assert';
import type { Receipt } from '../../../src/shared/contract';
import { claimDue } from '../../../server/db/outbox/claim-pushes';
import { recordOutcomes } from '../../../server/db/outbox/outcomes';
import { MORNING, NIGHT, createQuietHoursHelpers } from '../../support/server/quiet-hours';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('receipts of digests');
let quietHours: ReturnType<typeof createQuietHoursHelpers>;
let ana: Person;
let key: { token: string };
/** Two held messages, and their digest. */
let ids: string[];
let digest: string;

test.before.each(async () => {
  server.clock.now = NIGHT;
  quietHours = createQuietHoursHelpers(server);
  ana = await quietHours.createSleeper(0);
  key = await keyOf(ana);
  const messageWithAnswer = { userIds: [ana.id], answers: ['Got it'] };
  ids = [
    await quietHours.sendInfo(messageWithAnswer),
    await quietHours.sendInfo({ userIds: [ana.id] }),
  ];
  server.clock.now = MORNING;
  await server.jobs.runDue();
  digest = (await quietHours.readLedger(ids[0]!))[0]!.digest_id!;
  server.clock.now += 60_000;
});

async function keyOf(as: Person): Promise<{ token: string }> {
  const { body } = await server.registerDevice(as, `token-${as.id}`);
  return { token: body.deviceKey };
}

const countRecorded = async (as: { token: string }, ...receipts: Receipt[]): Promise<number> =>
  (await server.sendReceipts(as, receipts)).body.recorded;
const readMarks = async () =>
  (await Promise.all(ids.map(quietHours.readLedger)))
    .flat()
    .map(({ displayed_at, read_at, acknowledged_at }) => [displayed_at, read_at, acknowledged_at]);
const displayedReceipt = (): Receipt => ({ messageId: digest, kind: 'displayed' });

test('marks all messages of a displayed digest as displayed, once', async () => {
  assert.is(await countRecorded(key, displayedReceipt()), 1);
  const displayed = [server.clock.now, null, null];
  assert.equal(await readMarks(), [displayed, displayed]);
  server.clock.now += 60_000;
  assert.is(await countRecorded(key, displayedReceipt(), displayedReceipt()), 0);
  assert.equal(await readMarks(), [displayed, displayed]);
  assert.equal((await quietHours.readMessage(ids[0]!)).people.displayed, 1);
});

test('marks nothing as read for a pressed or answered digest', async () => {
  const others: Receipt[] = [
    { messageId: digest, kind: 'read' },
    { messageId: digest, kind: 'acknowledged', answer: 'Got it' },
    { messageId: digest, kind: 'received' },
    { messageId: digest, kind: 'refused' },
  ];
  assert.is(await countRecorded(key, ...others), 0);
  assert.is(await countRecorded(ana, ...others), 0);
  assert.equal(await readMarks(), Array(2).fill([null, null, null]));
});

test("ignores another person's receipts of a digest", async () => {
  const otherPerson = await server.createPerson('ADMIN');
  assert.is(await countRecorded(await keyOf(otherPerson), displayedReceipt()), 0);
  assert.is(await countRecorded(otherPerson, displayedReceipt()), 0);
  assert.equal(await readMarks(), Array(2).fill([null, null, null]));
});

test('counts a digest as proof that its device is reachable', async () => {
  const { db } = server.services;
  const { service_id: service } = await db
    .selectFrom('deliveries')
    .select('service_id')
    .executeTakeFirstOrThrow();
  const [claim] = await claimDue(db, server.engine, {
    now: server.clock.now,
    leaseMs: 30_000,
    from: [{ service, limit: 10 }],
  });
  assert.equal([claim!.message.id, claim!.message.isDigest], [digest, true]);
  await recordOutcomes(
    db,
    [{ claim: claim!, state: 'accepted', reason: null, attempted: true }],
    MORNING + 1000,
  );
  await countRecorded(key, displayedReceipt());
  const reach = await db.selectFrom('device_reach').selectAll().executeTakeFirstOrThrow();
  assert.equal(
    [reach.accepted_at, reach.displayed_at, reach.median_delay],
    [MORNING + 1000, MORNING + 60_000, 59_000],
  );
});

test.run();
