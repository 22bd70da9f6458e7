import * as assert from 'uvu/assert';
import { deleteOldData } from '../../../server/operations/delete-old-data';
import { webhookSuite } from '../../support/webhooks/webhook-suite';

const { test, setup } = webhookSuite('cleanup of webhook calls');
const DAY_MS = 24 * 3600_000;

test('deletes calls after two days, in batches, and keeps newer ones', async () => {
  const { db } = setup.server.services;
  const { clock } = setup.server;
  const id = await setup.addWebhook('/bell');
  await setup.queueCalls(id, 1500);
  clock.now += DAY_MS;
  await setup.queueCalls(id, 3);
  const never = new AbortController().signal;
  await deleteOldData(db, clock.now + DAY_MS, never);
  assert.is(await setup.countWaiting(), 1503);
  await deleteOldData(db, clock.now + DAY_MS + 1, never);
  assert.is(await setup.countWaiting(), 3);
});

test.run();
