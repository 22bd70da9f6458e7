import * as assert from 'uvu/assert';
import { cleanUp } from '../../../server/operations/cleanup';
import { webhookSuite } from '../../support/webhooks/stage';

const { test, stage } = webhookSuite('old calls of webhooks');
const DAY = 24 * 3600_000;

test('calls that nobody made in two days go, more than a batch of them, and others stay', async () => {
  const { db } = stage.server.services;
  const { clock } = stage.server;
  const id = await stage.add('/bell');
  await stage.fill(id, 1500);
  clock.now += DAY;
  await stage.fill(id, 3);
  const never = new AbortController().signal;
  await cleanUp(db, clock.now + DAY, never);
  assert.is(await stage.waiting(), 1503);
  await cleanUp(db, clock.now + DAY + 1, never);
  assert.is(await stage.waiting(), 3);
});

test.run();
