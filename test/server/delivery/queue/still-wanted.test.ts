import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { claimDue } from '../../../../server/db/outbox/claim-pushes';
import { createStillWantedCheck } from '../../../../server/delivery/queue/still-wanted';
import { createOutbox, type Outbox } from '../../../support/delivery/outbox';

const test = suite('whether a push is still wanted');
const START = Date.parse('2026-11-21T09:30:00Z');
let outbox: Outbox;
test.before.each(async () => {
  outbox = await createOutbox();
});
test.after.each(() => outbox.close());

async function claimAll(devices: number) {
  await outbox.addDevices(Array.from({ length: devices }, (_, index) => `token ${index}`));
  await outbox.addMessage({ now: START });
  const from = [{ service: 0, limit: devices }];
  return claimDue(outbox.db, outbox.engine, { now: START, leaseMs: 30_000, from });
}

test('decides each of several pushes separately, and recovers after a database error', async () => {
  const claims = await claimAll(3);
  const isStillWanted = createStillWantedCheck(outbox.db, () => 1000);
  const checkAll = () => Promise.all(claims.map((claim) => isStillWanted(claim, 0)));
  const { deviceId = 0 } = claims[1]?.recipient ?? {};
  await outbox.db.deleteFrom('devices').where('id', '=', deviceId).execute();
  const expected = ['wanted', 'unsubscribed', 'wanted'];
  assert.equal(await checkAll(), expected);
  await outbox.db.schema.alterTable('subscriptions').renameTo('away').execute();
  assert.equal(await checkAll(), Array(3).fill('unknown'));
  await outbox.db.schema.alterTable('away').renameTo('subscriptions').execute();
  assert.equal(await checkAll(), expected);
});

test.run();
