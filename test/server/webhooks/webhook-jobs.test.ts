import * as assert from 'uvu/assert';
import { createWebhookJobs } from '../../../server/webhooks/webhook-jobs';
import { eventually } from '../../support/eventually';
import { receiverReplyNever, receiverReplyWithStatus } from '../../support/webhooks/receiver';
import { webhookSuite } from '../../support/webhooks/webhook-suite';

const METRICS_TOKEN = 'a-token-for-prometheus';
const { test, setup } = webhookSuite('webhook calls', { METRICS_TOKEN });
const [MINUTE, HOUR, DAY] = [60_000, 3600_000, 24 * 3600_000];

const logLines = (event: string) =>
  setup.server.log.map((line) => JSON.parse(line)).filter((line) => line.event === event);
async function readMetric(sample: string): Promise<number> {
  const text = await (
    await setup.server.request('/api/metrics', {
      headers: { Authorization: `Bearer ${METRICS_TOKEN}` },
    })
  ).text();
  const line = text.split('\n').find((each) => each.startsWith(`${sample} `));
  return Number(line?.slice(sample.length + 1) ?? 0);
}

test('sends a call once, as JSON, with a valid signature', async () => {
  const id = await setup.addWebhook('/bell');
  await setup.queueEvents({ n: 1 });
  assert.is(await readMetric('fieldbell_webhook_calls_pending'), 1);
  await setup.server.webhookRunner.runDue();
  await setup.server.webhookRunner.runDue();
  const [call, ...otherCalls] = setup.receiver.calls;
  assert.equal(otherCalls, []);
  assert.is(call?.isGenuine, true);
  assert.is(call?.headers['content-type'], 'application/json');
  assert.is(call?.headers['user-agent'], 'Fieldbell-Webhook');
  const timestamp = new Date(setup.server.clock.now).toISOString();
  assert.equal(call?.body, { type: 'message.sent', timestamp, data: { n: 1 } });
  const { last_status, last_at, failing_since } = await setup.readWebhook(id);
  assert.equal([last_status, last_at, failing_since], [204, setup.server.clock.now, null]);
  assert.is(await setup.countWaiting(), 0);
  assert.is(await readMetric('fieldbell_webhook_calls_total{outcome="delivered"}'), 1);
});

test('sends any characters unchanged and correctly signed', async () => {
  await setup.addWebhook('/bell');
  const n = 'Störung in Ølsted, 変電所 🔔';
  await setup.queueEvents({ n } as never);
  await setup.server.webhookRunner.runDue();
  const [call] = setup.receiver.calls;
  assert.equal([call?.isGenuine, call?.body.data.n], [true, n as never]);
});

test('retries a failed call with the same id and a new signature', async () => {
  const id = await setup.addWebhook('/bell');
  setup.receiver.replies.set('/bell', receiverReplyWithStatus(500));
  await setup.queueEvents({});
  const { now } = setup.server.clock;
  await setup.advance(HOUR);
  const { calls } = setup.receiver;
  const failedCount = calls.length;
  assert.ok(failedCount > 4 && failedCount < 20, String(failedCount));
  const webhook = await setup.readWebhook(id);
  assert.equal([webhook.last_status, webhook.failing_since], [500, now]);
  setup.receiver.replies.clear();
  await setup.advance(HOUR);
  assert.is(calls.length, failedCount + 1);
  assert.is(new Set(calls.map((call) => call.id)).size, 1);
  assert.ok(calls.every(({ isGenuine }) => isGenuine));
  assert.is(new Set(calls.map(({ headers }) => headers['webhook-timestamp'])).size, calls.length);
  assert.is((await setup.readWebhook(id)).failing_since, null);
  // The log has one line for all attempts.
  assert.equal([logLines('webhook fails').length, logLines('webhook works again').length], [1, 1]);
  assert.is(await readMetric('fieldbell_webhook_calls_total{outcome="retry"}'), failedCount);
});

test('gives up a call after a day', async () => {
  await setup.addWebhook('/bell');
  setup.receiver.replies.set('/bell', receiverReplyWithStatus(503));
  await setup.queueEvents({});
  await setup.advance(DAY);
  assert.is(await setup.countWaiting(), 0);
  const { length } = setup.receiver.calls;
  assert.ok(length > 80 && length < 250, String(length));
  await setup.advance(DAY);
  assert.is(setup.receiver.calls.length, length);
  assert.is(logLines('webhook call abandoned').length, 1);
  assert.is(await readMetric('fieldbell_webhook_calls_total{outcome="given-up"}'), 1);
});

test('waits as long as Retry-After', async () => {
  await setup.addWebhook('/bell');
  setup.receiver.replies.set('/bell', receiverReplyWithStatus(429, { 'retry-after': '3600' }));
  await setup.queueEvents({});
  await setup.advance(59 * MINUTE);
  assert.is(setup.receiver.calls.length, 1);
  await setup.advance(2 * MINUTE);
  assert.is(setup.receiver.calls.length, 2);
});

test('disables a webhook on 410, and drops its calls', async () => {
  const id = await setup.addWebhook('/bell');
  setup.receiver.replies.set('/bell', receiverReplyWithStatus(410));
  await setup.queueEvents({ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }, { n: 5 }, { n: 6 });
  await setup.advance(HOUR);
  const { length } = setup.receiver.calls;
  assert.ok(length <= 4, String(length));
  const { off_since, last_status } = await setup.readWebhook(id);
  assert.ok(off_since !== null);
  assert.is(last_status, 410);
  assert.is(await setup.countWaiting(), 0);
  await setup.queueEvents({ n: 7 });
  assert.is(await setup.countWaiting(), 0);
  const [alert, ...others] = logLines('webhook disabled');
  assert.equal(others, []);
  assert.equal([alert.level, alert.alert, alert.webhook, alert.status], ['error', true, id, 410]);
});

test('disables a webhook after three days of failures, with one alert, until a test succeeds', async () => {
  const id = await setup.addWebhook('/bell');
  setup.receiver.replies.set('/bell', receiverReplyWithStatus(500));
  const startedAt = setup.server.clock.now;
  for (const later of [0, DAY, 3 * DAY - 1]) {
    setup.server.clock.now = startedAt + later;
    await setup.queueEvents({ later });
    await setup.server.webhookRunner.runDue();
    assert.is((await setup.readWebhook(id)).off_since, null, `after ${later} ms`);
  }
  setup.server.clock.now = startedAt + 3 * DAY;
  await setup.queueEvents({ n: 1 }, { n: 2 }, { n: 3 });
  await setup.server.webhookRunner.runDue();
  const { off_since, failing_since } = await setup.readWebhook(id);
  assert.equal([failing_since, off_since], [startedAt, startedAt + 3 * DAY]);
  assert.is(await setup.countWaiting(), 0);
  assert.is(logLines('webhook disabled').length, 1);
  // The administrator's session has expired.
  setup.admin = await setup.server.createPerson('ADMIN');
  const health = async () =>
    (await setup.server.call('GET /api/admin/overview', { as: setup.admin })).body.health;
  assert.is((await health()).webhooks?.off, 1);
  const test_ = () =>
    setup.server.call('POST /api/admin/webhooks/:id/test', { as: setup.admin, params: { id } });
  setup.server.clock.now += HOUR;
  const { body: still } = await test_();
  assert.equal(
    [still.lastStatus, still.offSince, still.failingSince],
    [500, new Date(startedAt + 3 * DAY).toISOString(), new Date(startedAt).toISOString()],
    'it is off since then, whatever is tried',
  );
  assert.is(logLines('webhook disabled').length, 1);
  setup.receiver.replies.clear();
  const { body } = await test_();
  assert.equal([body.lastStatus, body.offSince, body.failingSince], [204, null, null]);
  assert.is((await health()).webhooks?.off, 0);
  const earlierCount = setup.receiver.calls.length;
  await setup.queueEvents({ day: 5 });
  await setup.advance(MINUTE);
  assert.is(setup.receiver.calls.length, earlierCount + 1);
});

test('shows failing webhooks and the last success on the dashboard', async () => {
  await setup.addWebhook('/good');
  await setup.addWebhook('/bad');
  setup.receiver.replies.set('/bad', receiverReplyWithStatus(500));
  const look = async () =>
    (await setup.server.call('GET /api/admin/overview', { as: setup.admin })).body.health.webhooks;
  const counts = { failing: 0, off: 0, total: 2, waiting: 0, succeededAt: null };
  assert.equal(await look(), counts);
  await setup.queueEvents({});
  await setup.advance(1000);
  const { succeededAt, ...now } = (await look())!;
  assert.equal({ ...now, succeededAt: null }, { ...counts, failing: 1, waiting: 1 });
  assert.type(succeededAt, 'string');
});

test('limits calls per webhook to four at once, and to one while it fails', async () => {
  const held: (() => void)[] = [];
  setup.receiver.replies.set('/bell', (response) => held.push(() => response.writeHead(200).end()));
  const id = await setup.addWebhook('/bell');
  await setup.queueEvents(...Array.from({ length: 10 }, (_, n) => ({ n })));
  const runOfDueCalls = setup.server.webhookRunner.runDue();
  await eventually(() => held.length === 4, 'four calls');
  for (let endedCount = 0; endedCount < 10; endedCount += 1) {
    await eventually(() => held.length > 0, 'a call to answer');
    held.shift()?.();
  }
  await runOfDueCalls;
  assert.is(setup.receiver.calls.length, 10);
  assert.is(setup.receiver.countAtOnce('/bell').most, 4);

  await setup.server.services.db
    .updateTable('webhooks')
    .set({ failing_since: setup.server.clock.now })
    .where('id', '=', id)
    .execute();
  setup.receiver.replies.set('/bell', receiverReplyWithStatus(500));
  await setup.queueEvents(...Array.from({ length: 5 }, (_, n) => ({ n })));
  let maxRunning = 0;
  setup.receiver.replies.set('/bell', (response) => {
    maxRunning = Math.max(maxRunning, setup.receiver.countAtOnce('/bell').now);
    setImmediate(() => response.writeHead(500).end());
  });
  await setup.server.webhookRunner.runDue();
  assert.is(setup.receiver.calls.length, 15);
  assert.is(maxRunning, 1);
});

test('delivers in time to one of twenty receivers while the others hang', async () => {
  for (let index = 0; index < 19; index += 1) {
    await setup.addWebhook(`/hang-${index}`);
    setup.receiver.replies.set(`/hang-${index}`, receiverReplyNever);
  }
  await setup.addWebhook('/good');
  await setup.queueEvents(...Array.from({ length: 6 }, (_, n) => ({ n })));
  const calling = createWebhookJobs(() => setup.server.services);
  const runOfDueCalls = calling.runDue();
  await eventually(
    () => setup.receiver.calls.filter(({ path }) => path === '/good').length === 6,
    'all calls of the one that answers',
  );
  const hanging = setup.receiver.calls.length - 6;
  assert.ok(hanging >= 19 && hanging <= 31, String(hanging));
  await calling.stop(1);
  await setup.receiver.close();
  await runOfDueCalls;
});

test('repeats the call of a crashed process with the same id when its lease expires', async () => {
  await setup.addWebhook('/bell');
  setup.receiver.replies.set('/bell', receiverReplyNever);
  await setup.queueEvents({});
  const dying = createWebhookJobs(() => setup.server.services);
  void dying.runDue();
  await setup.receiver.waitForCalls(1);
  await dying.stop(1);
  setup.receiver.replies.clear();
  await setup.server.webhookRunner.runDue();
  assert.is(setup.receiver.calls.length, 1);
  setup.server.clock.now += 31_000;
  await setup.server.webhookRunner.runDue();
  const [firstCall, secondCall, ...otherCalls] = setup.receiver.calls;
  assert.equal(otherCalls, []);
  assert.is(secondCall?.id, firstCall?.id);
  assert.is(await setup.countWaiting(), 0);
});

test('makes each call once with two processes', async () => {
  await setup.addWebhook('/bell');
  await setup.queueEvents(...Array.from({ length: 40 }, (_, n) => ({ n })));
  const secondProcess = createWebhookJobs(() => setup.server.services);
  await Promise.all([setup.server.webhookRunner.runDue(), secondProcess.runDue()]);
  const numbers = setup.receiver.calls.map(({ body }) => body.data.n).sort((a, b) => a - b);
  assert.equal(
    numbers,
    Array.from({ length: 40 }, (_, n) => n),
  );
});

test('drops a call written while its webhook was disabled', async () => {
  const [off, on] = [await setup.addWebhook('/off'), await setup.addWebhook('/on')];
  const { db } = setup.server.services;
  await db.updateTable('webhooks').set({ off_since: 1 }).where('id', '=', off).execute();
  await setup.queueCalls(off, 1);
  await setup.queueCalls(on, 1);
  await setup.server.webhookRunner.runDue();
  assert.equal(
    setup.receiver.calls.map(({ path }) => path),
    ['/on'],
  );
});

test.run();
