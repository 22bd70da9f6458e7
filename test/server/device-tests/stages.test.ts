import * as assert from 'uvu/assert';
import type { Receipt, DeviceTest } from '../../../src/shared/contract';
import type { PushOutcome } from '../../../server/delivery/transport';
import { createSession } from '../../../server/http/access/session';
import { createAudienceHelpers } from '../../support/server/audience';
import { createDeviceTestHelpers } from '../../support/server/device-tests';
import type { TestDevice } from '../../support/server/device-tests';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('stages of device tests');
const HOUR_MS = 3600_000;
let deviceTests: ReturnType<typeof createDeviceTestHelpers>;
let ana: Person;
let phone: TestDevice;
let id: string;
let startedAt: number;
test.before.each(async () => {
  deviceTests = createDeviceTestHelpers(server);
  ana = await server.createPerson('TECHNICIAN', { username: 'ana' });
  phone = await deviceTests.register(ana, 'phone');
  startedAt = server.clock.now;
  id = (await deviceTests.startTest(ana, phone.id)).body.id;
});

const iso = (at: number): string => new Date(at).toISOString();
const readTest = (): Promise<DeviceTest> => deviceTests.readTest(ana, id);
/** When each stage was reached, in milliseconds after the request. */
async function readReachedTimes(): Promise<(number | null)[]> {
  const { stages } = await readTest();
  return Object.values(stages).map((time) => (time === null ? null : Date.parse(time) - startedAt));
}
const sendReceipt = (kind: Receipt['kind'], more: Partial<Receipt> = {}): Promise<number> =>
  deviceTests.reportReceipts(phone.key, { messageId: id, kind, ...more });
test('records the time of each stage once', async () => {
  server.clock.now = startedAt + 1000;
  assert.is(await deviceTests.settleDue({ kind: 'accepted' }), 1);
  server.clock.now = startedAt + 2000;
  assert.equal([await sendReceipt('received'), await sendReceipt('received')], [1, 0]);
  server.clock.now = startedAt + 3000;
  assert.equal([await sendReceipt('displayed'), await sendReceipt('displayed')], [1, 0]);
  server.clock.now = startedAt + 4000;
  await deviceTests.answerSound(ana, id, true);
  assert.equal(await readReachedTimes(), [0, 1000, 2000, 3000, 4000]);
  const { failure, lateBy } = await readTest();
  assert.equal([failure, lateBy], [null, null]);
});

test('ignores receipts before a test is sent, and hides when it is sent', async () => {
  id = (await deviceTests.startTest(ana, phone.id, 3000)).body.id;
  const earlierTest = await readTest();
  for (const kind of ['received', 'displayed', 'refused'] as const)
    assert.is(await sendReceipt(kind, { at: '2099-01-01T00:00:00.000Z' }), 0, kind);
  assert.equal(await readTest(), earlierTest);
  assert.is((await deviceTests.readReach(phone))?.displayed_at ?? null, null);
  server.clock.now = startedAt + HOUR_MS;
  assert.is(await deviceTests.settleDue({ kind: 'accepted' }), 2, 'it leaves all the same');
  assert.is(await sendReceipt('displayed'), 1);
  assert.is((await readTest()).stages.displayed, iso(server.clock.now));
  assert.is((await deviceTests.readReach(phone))?.displayed_at, server.clock.now);
});

const failures: [Exclude<PushOutcome, { kind: 'accepted' | 'withdrawn' }>, string][] = [
  [{ kind: 'misconfigured', reason: 'status-403', scope: 'device' }, 'refused'],
  [{ kind: 'misconfigured', reason: 'status-401', scope: 'service' }, 'refused'],
  [
    { kind: 'misconfigured', reason: 'no-service-account', scope: 'device', isOurs: true },
    'refused',
  ],
  [{ kind: 'failed', reason: 'status-413' }, 'refused'],
  [{ kind: 'retry', reason: 'status-503' }, 'unreachable'],
  [{ kind: 'retry', reason: 'timeout', isUnreachable: true }, 'unreachable'],
  [{ kind: 'retry', reason: 'status-429', isBusy: true }, 'busy'],
  [{ kind: 'gone', reason: 'status-410' }, 'gone'],
];
for (const [outcome, reason] of failures) {
  test(`fails at "accepted" as ${reason} when the push service says ${outcome.reason} (${outcome.kind})`, async () => {
    assert.is(await deviceTests.settleDue(outcome), 1);
    const { stages, failure } = await readTest();
    assert.equal([stages.accepted, failure], [null, { stage: 'accepted', reason }]);
    if (outcome.kind === 'gone' || outcome.kind === 'failed') return;
    server.clock.now += HOUR_MS;
    assert.is(await deviceTests.settleDue({ kind: 'accepted' }), 1, 'it was tried again');
    assert.equal(
      [(await readTest()).stages.accepted, (await readTest()).failure],
      [iso(server.clock.now), null],
    );
  });
}

test('fails a waiting test at once when its device is removed, and never sends it', async () => {
  await deviceTests.settleDue({ kind: 'retry', reason: 'status-503' });
  await server.unregisterDevice(ana, 'phone');
  assert.equal((await readTest()).failure, { stage: 'accepted', reason: 'removed' });
  server.clock.now += HOUR_MS;
  const [claim] = await deviceTests.claimAll();
  assert.equal([claim?.recipient, claim?.skipReason], [undefined, 'unsubscribed']);
});

test('expires a test after a day, and keeps an earlier failure', async () => {
  const other = await deviceTests.register(ana, 'tablet');
  const { body } = await deviceTests.startTest(ana, other.id);
  server.clock.now = startedAt + 24 * HOUR_MS - 1;
  assert.is((await readTest()).failure, null);
  server.clock.now += 1;
  assert.equal((await readTest()).failure, { stage: 'accepted', reason: 'expired' });
  server.clock.now = startedAt;
  await deviceTests.settleDue({ kind: 'retry', reason: 'status-503' });
  server.clock.now = startedAt + 25 * HOUR_MS;
  assert.equal((await deviceTests.readTest(ana, body.id)).failure, {
    stage: 'accepted',
    reason: 'unreachable',
  });
});

test('measures lateness from when the test was sent', async () => {
  const delayed = (await deviceTests.startTest(ana, phone.id, 900)).body.id;
  const { send_at } = await server.services.db
    .selectFrom('tests')
    .select('send_at')
    .where('id', '=', delayed)
    .executeTakeFirstOrThrow();
  await deviceTests.settleDue({ kind: 'accepted' });
  server.clock.now = startedAt + 30_000;
  await sendReceipt('displayed');
  assert.is((await readTest()).lateBy, null);
  server.clock.now = send_at + 5 * HOUR_MS;
  await deviceTests.reportReceipts(phone.key, {
    messageId: delayed,
    kind: 'displayed',
    at: iso(send_at + 40_000),
  });
  assert.is((await deviceTests.readTest(ana, delayed)).lateBy, 40_000);
});

test('infers "received" and "accepted" from "displayed"', async () => {
  await deviceTests.settleDue({ kind: 'retry', reason: 'timeout', isUnreachable: true });
  server.clock.now = startedAt + 1000;
  assert.is(await sendReceipt('displayed'), 1);
  assert.is(await sendReceipt('received'), 0);
  assert.equal(await readReachedTimes(), [0, 1000, 1000, 1000, null]);
  assert.is((await readTest()).failure, null);
  server.clock.now = startedAt + HOUR_MS;
  await deviceTests.settleDue({ kind: 'retry', reason: 'timeout', isUnreachable: true });
  assert.is((await readTest()).failure, null);
});

test('limits receipt times to between sending and now', async () => {
  server.clock.now = startedAt + 5000;
  await sendReceipt('received', { at: iso(startedAt - HOUR_MS) });
  await sendReceipt('displayed', { at: iso(startedAt + HOUR_MS) });
  assert.equal(await readReachedTimes(), [0, 0, 0, 5000, null]);
});

test('fails at "displayed" when the system rejects a notification, until one is displayed', async () => {
  await deviceTests.settleDue({ kind: 'accepted' });
  assert.equal([await sendReceipt('refused'), await sendReceipt('refused')], [1, 0]);
  const { stages, failure } = await readTest();
  assert.equal([stages.displayed, failure], [null, { stage: 'displayed', reason: 'refused' }]);
  assert.is.not(stages.received, null);
  assert.is(await sendReceipt('displayed'), 1);
  assert.equal([(await readTest()).failure, await sendReceipt('refused')], [null, 0]);
});

test('shows the latest trouble of a push service, until it accepts the push', async () => {
  const failureAfter = async (outcome: Parameters<typeof deviceTests.settleDue>[0]) => {
    assert.is(await deviceTests.settleDue(outcome), 1);
    server.clock.now += HOUR_MS;
    return (await readTest()).failure;
  };
  const retry = { kind: 'retry', reason: 'status-503' } as const;
  assert.equal(await failureAfter(retry), { stage: 'accepted', reason: 'unreachable' });
  assert.equal(await failureAfter({ ...retry, isBusy: true }), {
    stage: 'accepted',
    reason: 'busy',
  });
  assert.is(await failureAfter({ kind: 'accepted' }), null);
});

const RECEIPT_KINDS = ['received', 'refused', 'displayed', 'read', 'acknowledged'] as const;

test('accepts receipts only from the tested device', async () => {
  const tablet = await deviceTests.register(ana, 'tablet');
  const bo = await server.createPerson('ADMIN', { username: 'bo' });
  const othersDevice = await deviceTests.register(bo, 'theirs');
  const elsewhere = await signInAgain();
  for (const as of [tablet.key, othersDevice.key, elsewhere, bo])
    for (const kind of RECEIPT_KINDS)
      assert.is(await deviceTests.reportReceipts(as, { messageId: id, kind, answer: 'Got it' }), 0);
  assert.equal(await readReachedTimes(), [0, null, null, null, null]);
  for (const kind of ['read', 'acknowledged'] as const)
    for (const as of [phone.key, ana])
      assert.is(await deviceTests.reportReceipts(as, { messageId: id, kind, answer: 'Got it' }), 0);
  assert.equal(await readReachedTimes(), [0, null, null, null, null]);
});

test("accepts late receipts from the device's page by its login token", async () => {
  await deviceTests.settleDue({ kind: 'accepted' });
  server.clock.now = startedAt + 60_000;
  const receipts = [
    { messageId: id, kind: 'received', at: iso(startedAt + 2000) },
    { messageId: id, kind: 'displayed', at: iso(startedAt + 3000) },
  ] as const;
  assert.equal(
    [
      await deviceTests.reportReceipts(ana, ...receipts),
      await deviceTests.reportReceipts(ana, ...receipts),
    ],
    [2, 0],
  );
  assert.equal(await readReachedTimes(), [0, 0, 2000, 3000, null]);
  assert.is((await deviceTests.readReach(phone))?.displayed_at, startedAt + 3000);
  const second = (await deviceTests.startTest(ana, phone.id)).body.id;
  assert.is(await deviceTests.reportReceipts(ana, { messageId: second, kind: 'refused' }), 1);
});

const rowOfAna = () =>
  server.services.db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', ana.id)
    .executeTakeFirstOrThrow();

/** Ana in another browser. */
const signInAgain = async (): Promise<{ token: string }> => ({
  token: await createSession(await rowOfAna(), server.services),
});

test('accepts receipts of tests and messages in one request', async () => {
  const audience = createAudienceHelpers(server);
  const sentResponse = await audience.send({ userIds: [ana.id], answers: ['Got it'] });
  const { messageId } = sentResponse.body;
  const second = (await deviceTests.startTest(ana, phone.id)).body.id;
  assert.is(
    await deviceTests.reportReceipts(
      phone.key,
      { messageId, kind: 'received' },
      { messageId, kind: 'refused', answer: 'Got it' },
      { messageId: id, kind: 'displayed' },
      { messageId, kind: 'displayed' },
      { messageId: second, kind: 'received' },
      { messageId: 'nothing', kind: 'received' },
      { messageId: 'a\0b', kind: 'received' },
      { messageId, kind: 'acknowledged', answer: 'Got it' },
    ),
    4,
  );
  assert.is((await deviceTests.readTest(ana, second)).stages.displayed, null);
  const [entry] = await audience.readLedger(messageId);
  assert.is.not(entry?.acknowledged_at, null);
});

test.run();
