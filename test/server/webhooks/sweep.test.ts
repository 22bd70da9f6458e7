import * as assert from 'uvu/assert';
import { cleanUp } from '../../../server/operations/cleanup';
import { webhookSuite } from '../../support/webhooks/stage';

const { test, stage } = webhookSuite('old calls of webhooks');
const DAY = 24 * 3600_000;

test('calls that nobody made in two days go with their jobs, more than a batch of them, and others stay', async () => {
  const { db } = stage.server.services;
  const { clock } = stage.server;
  const id = await stage.add('/bell');
  await stage.fill(id, 1500);
  // A job whose call is gone, as its webhook is.
  const old = await stage.add('/old');
  await stage.fill(old, 1);
  await db.deleteFrom('webhooks').where('id', '=', old).execute();
  clock.now += DAY;
  await stage.fill(id, 3);
  const count = async () => [
    await stage.waiting(),
    (await db.selectFrom('jobs').select('id').where('kind', '=', 'webhook').execute()).length,
  ];
  const never = new AbortController().signal;
  await cleanUp(db, clock.now + DAY, never);
  assert.equal(await count(), [1503, 1504]);
  await cleanUp(db, clock.now + DAY + 1, never);
  assert.equal(await count(), [3, 3]);
});

test.run();
