import * as assert from 'uvu/assert';
import type { Receipt } from '../../../src/shared/contract';
import { createAudienceHelpers } from '../../support/server/audience';
import { createDeviceTestHelpers } from '../../support/server/device-tests';
import type { TestDevice } from '../../support/server/device-tests';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('reach by outcomes of pushes');
let deviceTests: ReturnType<typeof createDeviceTestHelpers>;
let audience: ReturnType<typeof createAudienceHelpers>;
let ana: Person;
let phone: TestDevice;
let tablet: TestDevice;
let startedAt: number;
test.before.each(async () => {
  deviceTests = createDeviceTestHelpers(server);
  audience = createAudienceHelpers(server);
  ana = await server.createPerson('TECHNICIAN', { username: 'ana' });
  phone = await deviceTests.register(ana, 'phone');
  tablet = await deviceTests.register(ana, 'tablet');
  startedAt = server.clock.now;
});

/** A message to ana, a second later. */
async function send(): Promise<string> {
  server.clock.now += 1000;
  return (await audience.send({ userIds: [ana.id], answers: ['Got it'] })).body.messageId;
}
const sendReceipt = (
  as: { token: string },
  messageId: string,
  kind: Receipt['kind'] = 'displayed',
) => deviceTests.reportReceipts(as, { messageId, kind });
/** Times in milliseconds from the start. */
async function reachOf(device: TestDevice) {
  const row = await deviceTests.readReach(device);
  const since = (time: number | null | undefined) => (time ? time - startedAt : null);
  return (
    row && {
      accepted: since(row.accepted_at),
      third: since(row.third_accepted_at),
      displayed: since(row.displayed_at),
      median: row.median_delay,
      rejected: [since(row.refused_at), row.refused_reason, row.refusals],
      recent: (JSON.parse(row.recent) as [string, number | null, number | null][]).map(
        ([key, ...times]) => [key, ...times.map(since)],
      ),
    }
  );
}

test('records accepted and displayed messages and tests per device', async () => {
  const messageId = await send();
  server.clock.now += 1000;
  assert.is(await deviceTests.settleDue({ kind: 'accepted' }), 2);
  server.clock.now += 5000;
  assert.is(await sendReceipt(phone.key, messageId), 1);
  const testId = (await deviceTests.startTest(ana, phone.id)).body.id;
  await deviceTests.settleDue({ kind: 'accepted' });
  server.clock.now += 3000;
  await sendReceipt(phone.key, testId);
  assert.equal(await reachOf(phone), {
    accepted: 7000,
    third: null,
    displayed: 10_000,
    median: 4000,
    rejected: [null, null, 0],
    recent: [
      [testId.slice(0, 8), 7000, 10_000],
      [messageId.slice(0, 8), 2000, 7000],
    ],
  });
  assert.equal((await reachOf(tablet))?.recent, [[messageId.slice(0, 8), 2000, null]]);
});

test('ignores what a person does in the app', async () => {
  const messageId = await send();
  await deviceTests.settleDue({ kind: 'accepted' });
  const acknowledgement = { messageId, kind: 'acknowledged', answer: 'Got it' } as const;
  assert.is(await sendReceipt(ana, messageId), 1);
  assert.is(await deviceTests.reportReceipts(ana, acknowledgement), 1);
  assert.is(await deviceTests.reportReceipts(phone.key, { ...acknowledgement, inApp: true }), 0);
  assert.is(await sendReceipt(phone.key, messageId, 'received'), 0);
  assert.equal((await reachOf(phone))?.displayed, null);
});

for (const kind of ['read', 'acknowledged'] as const)
  test(`counts a press reported as ${kind} with the device's key as a display`, async () => {
    const messageId = await send();
    server.clock.now += 90_000;
    assert.is(
      await deviceTests.reportReceipts(phone.key, { messageId, kind, answer: 'Got it' }),
      1,
    );
    await deviceTests.settleDue({ kind: 'accepted' });
    const states = (await server.call('GET /api/notifications/devices', { as: ana })).body;
    assert.equal(
      [phone.id, tablet.id].map((id) => states.find((one) => one.id === id)?.reach?.state),
      ['reachable', 'untested'],
    );
    const { displayed, median } = (await reachOf(phone))!;
    assert.equal([displayed, median], [91_000, null], 'how long it took is not known');
  });

test('ignores receipts of messages for other people', async () => {
  const bo = await server.createPerson('TECHNICIAN');
  const { body } = await audience.send({ userIds: [bo.id] });
  const othersTestId = (await deviceTests.startTest(ana, tablet.id)).body.id;
  assert.is(await sendReceipt(phone.key, body.messageId), 0);
  assert.is(await sendReceipt(phone.key, othersTestId), 0);
  const row = await deviceTests.readReach(phone);
  assert.equal([row?.displayed_at, row?.recent], [null, '[]']);
});

test('counts only a rejection of the device itself', async () => {
  await send();
  await deviceTests.settleDue({ kind: 'retry', reason: 'status-503' });
  for (const outcome of [
    { kind: 'retry', reason: 'status-429', isBusy: true },
    { kind: 'retry', reason: 'timeout', isUnreachable: true },
    { kind: 'misconfigured', reason: 'status-401', scope: 'service' },
    { kind: 'misconfigured', reason: 'no-service-account', scope: 'device', isOurs: true },
  ] as const) {
    server.clock.now += 60_000 * 60;
    assert.is(await deviceTests.settleDue(outcome), 2);
    assert.is(await deviceTests.readReach(phone), undefined, outcome.reason);
  }
  server.clock.now += 60_000 * 60;
  const rejectedAt = server.clock.now - startedAt;
  await deviceTests.settleDue({ kind: 'misconfigured', reason: 'status-403', scope: 'device' });
  assert.equal((await reachOf(phone))?.rejected, [rejectedAt, 'status-403', 1]);
  await send();
  await deviceTests.settleDue({ kind: 'failed', reason: 'status-413' });
  const [, reason, rejections] = (await reachOf(phone))?.rejected ?? [];
  assert.equal([reason, rejections], ['status-413', 2]);
  server.clock.now += 60_000 * 60;
  await deviceTests.settleDue({ kind: 'accepted' });
  assert.equal((await reachOf(phone))?.rejected, [null, null, 0]);
});

test('deletes the reach of a device that is gone', async () => {
  await send();
  await deviceTests.settleDue({ kind: 'accepted' });
  await send();
  await deviceTests.settleDue({ kind: 'gone', reason: 'status-410' });
  const { db } = server.services;
  assert.equal(await db.selectFrom('device_reach').selectAll().execute(), []);
  assert.equal(await db.selectFrom('devices').selectAll().execute(), []);
});

test.run();
