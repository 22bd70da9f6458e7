import * as assert from 'uvu/assert';
import { deleteOldData } from '../../../server/operations/delete-old-data';
import { webhookSuite } from '../../support/webhooks/stage';

const { test, stage } = webhookSuite('cleanup of webhook calls');
const DAY_MS = 24 * 3600_000;

test('deletes calls after two days, in batches, and keeps newer ones', async () => {
  const { db } = stage.server.services;
  const { clock } = stage.server;
  const id = await stage.add('/bell');
  await stage.fill(id, 1500);
  clock.now += DAY_MS;
  await stage.fill(id, 3);
  const never = new AbortController().signal;
  await deleteOldData(db, clock.now + DAY_MS, never);
  assert.is(await stage.waiting(), 1503);
  await deleteOldData(db, clock.now + DAY_MS + 1, never);
  assert.is(await stage.waiting(), 3);
});

test.run();
