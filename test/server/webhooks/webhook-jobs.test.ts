import * as assert from 'uvu/assert';
import { createWebhookJobs } from '../../../server/webhooks/webhook-jobs';
import { eventually } from '../../support/eventually';
import { replyNever, replyWithStatus } from '../../support/webhooks/receiver';
import { webhookSuite } from '../../support/webhooks/stage';

const METRICS_TOKEN = 'a-token-for-prometheus';
const { test, stage } = webhookSuite('webhook calls', { METRICS_TOKEN });
const [MINUTE, HOUR, DAY] = [60_000, 3600_000, 24 * 3600_000];

const logged = (event: string) =>
  stage.server.log.map((line) => JSON.parse(line)).filter((line) => line.event === event);
async function metric(sample: string): Promise<number> {
  const text = await (
    await stage.server.request('/api/metrics', {
      headers: { Authorization: `Bearer ${METRICS_TOKEN}` },
    })
  ).text();
  const line = text.split('\n').find((each) => each.startsWith(`${sample} `));
  return Number(line?.slice(sample.length + 1) ?? 0);
}

test('sends a call once, as JSON, with a valid signature', async () => {
  const id = await stage.add('/bell');
  await stage.tell({ n: 1 });
  assert.is(await metric('fieldbell_webhook_calls_pending'), 1);
  await stage.server.calling.runDue();
  await stage.server.calling.runDue();
  const [call, ...otherCalls] = stage.receiver.calls;
  assert.equal(otherCalls, []);
  assert.is(call?.isGenuine, true);
  assert.is(call?.headers['content-type'], 'application/json');
  assert.is(call?.headers['user-agent'], 'Fieldbell-Webhook');
  const timestamp = new Date(stage.server.clock.now).toISOString();
  assert.equal(call?.body, { type: 'message.sent', timestamp, data: { n: 1 } });
  const { last_status, last_at, failing_since } = await stage.webhook(id);
  assert.equal([last_status, last_at, failing_since], [204, stage.server.clock.now, null]);
  assert.is(await stage.waiting(), 0);
  assert.is(await metric('fieldbell_webhook_calls_total{outcome="delivered"}'), 1);
});

test('sends any characters unchanged and correctly signed', async () => {
  await stage.add('/bell');
  const n = 'Störung in Ølsted, 変電所 🔔';
  await stage.tell({ n } as never);
  await stage.server.calling.runDue();
  const [call] = stage.receiver.calls;
  assert.equal([call?.isGenuine, call?.body.data.n], [true, n as never]);
});

test('retries a failed call with the same id and a new signature', async () => {
  const id = await stage.add('/bell');
  stage.receiver.replies.set('/bell', replyWithStatus(500));
  await stage.tell({});
  const { now } = stage.server.clock;
  await stage.pass(HOUR);
  const { calls } = stage.receiver;
  const failedCount = calls.length;
  assert.ok(failedCount > 4 && failedCount < 20, String(failedCount));
  const webhook = await stage.webhook(id);
  assert.equal([webhook.last_status, webhook.failing_since], [500, now]);
  stage.receiver.replies.clear();
  await stage.pass(HOUR);
  assert.is(calls.length, failedCount + 1);
  assert.is(new Set(calls.map((call) => call.id)).size, 1);
  assert.ok(calls.every(({ isGenuine }) => isGenuine));
  assert.is(new Set(calls.map(({ headers }) => headers['webhook-timestamp'])).size, calls.length);
  assert.is((await stage.webhook(id)).failing_since, null);
  // Not one line per attempt.
  assert.equal([logged('webhook fails').length, logged('webhook works again').length], [1, 1]);
  assert.is(await metric('fieldbell_webhook_calls_total{outcome="retry"}'), failedCount);
});

test('gives up a call after a day', async () => {
  await stage.add('/bell');
  stage.receiver.replies.set('/bell', replyWithStatus(503));
  await stage.tell({});
  await stage.pass(DAY);
  assert.is(await stage.waiting(), 0);
  const { length } = stage.receiver.calls;
  assert.ok(length > 80 && length < 250, String(length));
  await stage.pass(DAY);
  assert.is(stage.receiver.calls.length, length);
  assert.is(logged('webhook call abandoned').length, 1);
  assert.is(await metric('fieldbell_webhook_calls_total{outcome="given-up"}'), 1);
});

test('waits as long as Retry-After', async () => {
  await stage.add('/bell');
  stage.receiver.replies.set('/bell', replyWithStatus(429, { 'retry-after': '3600' }));
  await stage.tell({});
  await stage.pass(59 * MINUTE);
  assert.is(stage.receiver.calls.length, 1);
  await stage.pass(2 * MINUTE);
  assert.is(stage.receiver.calls.length, 2);
});

test('disables a webhook on 410, and drops its calls', async () => {
  const id = await stage.add('/bell');
  stage.receiver.replies.set('/bell', replyWithStatus(410));
  await stage.tell({ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }, { n: 5 }, { n: 6 });
  await stage.pass(HOUR);
  const { length } = stage.receiver.calls;
  assert.ok(length <= 4, String(length));
  const { off_since, last_status } = await stage.webhook(id);
  assert.ok(off_since !== null);
  assert.is(last_status, 410);
  assert.is(await stage.waiting(), 0);
  await stage.tell({ n: 7 });
  assert.is(await stage.waiting(), 0);
  const [alert, ...others] = logged('webhook disabled');
  assert.equal(others, []);
  assert.equal([alert.level, alert.alert, alert.webhook, alert.status], ['error', true, id, 410]);
});

test('disables a webhook after three days of failures, with one alert, until a test succeeds', async () => {
  const id = await stage.add('/bell');
  stage.receiver.replies.set('/bell', replyWithStatus(500));
  const startedAt = stage.server.clock.now;
  for (const later of [0, DAY, 3 * DAY - 1]) {
    stage.server.clock.now = startedAt + later;
    await stage.tell({ later });
    await stage.server.calling.runDue();
    assert.is((await stage.webhook(id)).off_since, null, `after ${later} ms`);
  }
  stage.server.clock.now = startedAt + 3 * DAY;
  await stage.tell({ n: 1 }, { n: 2 }, { n: 3 });
  await stage.server.calling.runDue();
  const { off_since, failing_since } = await stage.webhook(id);
  assert.equal([failing_since, off_since], [startedAt, startedAt + 3 * DAY]);
  assert.is(await stage.waiting(), 0);
  assert.is(logged('webhook disabled').length, 1);
  // The administrator's session has expired.
  stage.admin = await stage.server.makePerson('ADMIN');
  const health = async () =>
    (await stage.server.call('GET /api/admin/overview', { as: stage.admin })).body.health;
  assert.is((await health()).webhooks?.off, 1);
  const test_ = () =>
    stage.server.call('POST /api/admin/webhooks/:id/test', { as: stage.admin, params: { id } });
  stage.server.clock.now += HOUR;
  const { body: still } = await test_();
  assert.equal(
    [still.lastStatus, still.offSince, still.failingSince],
    [500, new Date(startedAt + 3 * DAY).toISOString(), new Date(startedAt).toISOString()],
    'it is off since then, whatever is tried',
  );
  assert.is(logged('webhook disabled').length, 1);
  stage.receiver.replies.clear();
  const { body } = await test_();
  assert.equal([body.lastStatus, body.offSince, body.failingSince], [204, null, null]);
  assert.is((await health()).webhooks?.off, 0);
  const earlierCount = stage.receiver.calls.length;
  await stage.tell({ day: 5 });
  await stage.pass(MINUTE);
  assert.is(stage.receiver.calls.length, earlierCount + 1);
});

test('shows failing webhooks and the last success on the dashboard', async () => {
  await stage.add('/good');
  await stage.add('/bad');
  stage.receiver.replies.set('/bad', replyWithStatus(500));
  const look = async () =>
    (await stage.server.call('GET /api/admin/overview', { as: stage.admin })).body.health.webhooks;
  const counts = { failing: 0, off: 0, total: 2, waiting: 0, succeededAt: null };
  assert.equal(await look(), counts);
  await stage.tell({});
  await stage.pass(1000);
  const { succeededAt, ...now } = (await look())!;
  assert.equal({ ...now, succeededAt: null }, { ...counts, failing: 1, waiting: 1 });
  assert.type(succeededAt, 'string');
});

test('limits calls per webhook to four at once, and to one while it fails', async () => {
  const held: (() => void)[] = [];
  stage.receiver.replies.set('/bell', (response) => held.push(() => response.writeHead(200).end()));
  const id = await stage.add('/bell');
  await stage.tell(...Array.from({ length: 10 }, (_, n) => ({ n })));
  const done = stage.server.calling.runDue();
  await eventually(() => held.length === 4, 'four calls');
  for (let endedCount = 0; endedCount < 10; endedCount += 1) {
    await eventually(() => held.length > 0, 'a call to answer');
    held.shift()?.();
  }
  await done;
  assert.is(stage.receiver.calls.length, 10);
  assert.is(stage.receiver.atOnce('/bell').most, 4);

  await stage.server.services.db
    .updateTable('webhooks')
    .set({ failing_since: stage.server.clock.now })
    .where('id', '=', id)
    .execute();
  stage.receiver.replies.set('/bell', replyWithStatus(500));
  await stage.tell(...Array.from({ length: 5 }, (_, n) => ({ n })));
  let most = 0;
  stage.receiver.replies.set('/bell', (response) => {
    most = Math.max(most, stage.receiver.atOnce('/bell').now);
    setImmediate(() => response.writeHead(500).end());
  });
  await stage.server.calling.runDue();
  assert.is(stage.receiver.calls.length, 15);
  assert.is(most, 1);
});

test('delivers in time to one of twenty receivers while the others hang', async () => {
  for (let index = 0; index < 19; index += 1) {
    await stage.add(`/hang-${index}`);
    stage.receiver.replies.set(`/hang-${index}`, replyNever);
  }
  await stage.add('/good');
  await stage.tell(...Array.from({ length: 6 }, (_, n) => ({ n })));
  const calling = createWebhookJobs(() => stage.server.services);
  const done = calling.runDue();
  await eventually(
    () => stage.receiver.calls.filter(({ path }) => path === '/good').length === 6,
    'all calls of the one that answers',
  );
  const hanging = stage.receiver.calls.length - 6;
  assert.ok(hanging >= 19 && hanging <= 31, String(hanging));
  await calling.stop(1);
  await stage.receiver.close();
  await done;
});

test('repeats the call of a crashed process with the same id when its lease expires', async () => {
  await stage.add('/bell');
  stage.receiver.replies.set('/bell', replyNever);
  await stage.tell({});
  const dying = createWebhookJobs(() => stage.server.services);
  void dying.runDue();
  await stage.receiver.arrived(1);
  await dying.stop(1);
  stage.receiver.replies.clear();
  await stage.server.calling.runDue();
  assert.is(stage.receiver.calls.length, 1);
  stage.server.clock.now += 31_000;
  await stage.server.calling.runDue();
  const [firstCall, secondCall, ...otherCalls] = stage.receiver.calls;
  assert.equal(otherCalls, []);
  assert.is(secondCall?.id, firstCall?.id);
  assert.is(await stage.waiting(), 0);
});

test('makes each call once with two processes', async () => {
  await stage.add('/bell');
  await stage.tell(...Array.from({ length: 40 }, (_, n) => ({ n })));
  const other = createWebhookJobs(() => stage.server.services);
  await Promise.all([stage.server.calling.runDue(), other.runDue()]);
  const numbers = stage.receiver.calls.map(({ body }) => body.data.n).sort((a, b) => a - b);
  assert.equal(
    numbers,
    Array.from({ length: 40 }, (_, n) => n),
  );
});

test('drops a call written while its webhook was disabled', async () => {
  const [off, on] = [await stage.add('/off'), await stage.add('/on')];
  const { db } = stage.server.services;
  await db.updateTable('webhooks').set({ off_since: 1 }).where('id', '=', off).execute();
  await stage.fill(off, 1);
  await stage.fill(on, 1);
  await stage.server.calling.runDue();
  assert.equal(
    stage.receiver.calls.map(({ path }) => path),
    ['/on'],
  );
});

test.run();
