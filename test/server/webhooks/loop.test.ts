import * as assert from 'uvu/assert';
import { createWebhookJobs } from '../../../server/webhooks/webhook-jobs';
import { replyNever } from '../../support/webhooks/receiver';
import { webhookSuite } from '../../support/webhooks/stage';

const { test, stage } = webhookSuite('webhook loop');
const logged = (event: string) => stage.server.log.filter((line) => line.includes(event)).length;

test('makes waiting calls without pauses', async () => {
  const id = await stage.add('/bell');
  // With its usual pause between looks, four at once would take 40 s.
  await stage.fill(id, 80);
  const calling = createWebhookJobs(() => stage.server.services);
  calling.start();
  await stage.receiver.arrived(80);
  await calling.stop(1000);
  assert.is(await stage.waiting(), 0);
});

test('logs a call that fails unexpectedly, delays no other, and repeats it', async () => {
  const id = await stage.add('/bell');
  await stage.fill(id, 6);
  const { services } = stage.server;
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
  assert.equal([stage.receiver.calls.length, await stage.waiting()], [2, 4]);
  assert.is(logged('job queue failed'), 4);
  stage.server.clock.now += 31_000;
  await calling.runDue();
  assert.equal([stage.receiver.calls.length, await stage.waiting()], [6, 0]);
});

test('finds calls of another process by itself, and stops without waiting for receivers', async () => {
  await stage.add('/bell');
  await stage.tell({});
  stage.receiver.replies.set('/bell', replyNever);
  const calling = createWebhookJobs(() => stage.server.services);
  calling.start();
  await stage.receiver.arrived(1);
  const startedAt = performance.now();
  await calling.stop(20);
  assert.ok(performance.now() - startedAt < 5000);
  assert.is(await stage.waiting(), 1);
});

test.run();
