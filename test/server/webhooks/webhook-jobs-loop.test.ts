import * as assert from 'uvu/assert';
import { createWebhookJobs } from '../../../server/webhooks/webhook-jobs';
import { receiverReplyNever } from '../../support/webhooks/receiver';
import { webhookSuite } from '../../support/webhooks/webhook-suite';

const { test, setup } = webhookSuite('webhook loop');
const countLogLines = (event: string) =>
  setup.server.log.filter((line) => line.includes(event)).length;

test('makes waiting calls without pauses', async () => {
  const id = await setup.addWebhook('/bell');
  // Four at once would take 40 s if the loop paused as usual between looks.
  await setup.queueCalls(id, 80);
  const calling = createWebhookJobs(() => setup.server.services);
  calling.start();
  await setup.receiver.waitForCalls(80);
  await calling.stop(1000);
  assert.is(await setup.countWaiting(), 0);
});

test('logs a call that fails unexpectedly, delays no other, and repeats it', async () => {
  const id = await setup.addWebhook('/bell');
  await setup.queueCalls(id, 6);
  const { services } = setup.server;
  let failures = 0;
  const calling = createWebhookJobs(() => ({
    ...services,
    webhookCaller: {
      ...services.webhookCaller,
      call: (...given) =>
        (failures += 1) > 4
          ? services.webhookCaller.call(...given)
          : Promise.reject(new Error('out of memory')),
    },
  }));
  await calling.runDue();
  assert.equal([setup.receiver.calls.length, await setup.countWaiting()], [2, 4]);
  assert.is(countLogLines('job queue failed'), 4);
  setup.server.clock.now += 31_000;
  await calling.runDue();
  assert.equal([setup.receiver.calls.length, await setup.countWaiting()], [6, 0]);
});

test('finds calls of another process by itself, and stops without waiting for receivers', async () => {
  await setup.addWebhook('/bell');
  await setup.queueEvents({});
  setup.receiver.replies.set('/bell', receiverReplyNever);
  const calling = createWebhookJobs(() => setup.server.services);
  calling.start();
  await setup.receiver.waitForCalls(1);
  const startedAt = performance.now();
  await calling.stop(20);
  assert.ok(performance.now() - startedAt < 5000);
  assert.is(await setup.countWaiting(), 1);
});

test.run();
