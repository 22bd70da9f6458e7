import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClaimedPush } from '../../../../server/db/outbox/claimed-push';
import { claimDue, releaseClaims } from '../../../../server/db/outbox/claim-pushes';
import { expireRows, cancelRows } from '../../../../server/db/outbox/maintenance';
import { createOutbox, type Outbox } from '../../../support/delivery/outbox';

const test = suite('claims of the outbox');
const [START, LEASE, LIFETIME] = [1_700_000_000_000, 30_000, 3600_000];
let outbox: Outbox;
let messageId: string;

test.before.each(async () => {
  outbox = await createOutbox();
  await outbox.addDevices(['one', 'two', 'three']);
  messageId = await outbox.addMessage({ now: START, lifetime: LIFETIME });
});
test.after.each(() => outbox.close());

const claim = (now: number, limit: number): Promise<ClaimedPush[]> =>
  claimDue(outbox.db, outbox.engine, { now, leaseMs: LEASE, from: [{ service: 0, limit }] });
const rows = async () =>
  (await outbox.listDeliveries()).map(({ state, attempts, claimed_until }) => [
    state,
    attempts,
    claimed_until,
  ]);
const FREE_ROW = ['pending', 0, null];

test('ignores a release after the lease expired', async () => {
  const latePushes = await claim(START + 1000, 3);
  const now = START + 1000 + LEASE;
  assert.is((await claim(now, 2)).length, 2);
  await releaseClaims(outbox.db, latePushes);
  assert.equal(await rows(), [['pending', 2, now + LEASE], ['pending', 2, now + LEASE], FREE_ROW]);
});

test('dates a push by when its message was sent', async () => {
  assert.is((await claim(START + 1000, 1))[0]?.message.sentAt, START);
  const send_at = START + 60_000;
  await outbox.db.updateTable('messages').set({ send_at }).where('id', '=', messageId).execute();
  assert.is((await claim(START + 61_000, 1))[0]?.message.sentAt, send_at);
});

test('leaves a push in flight alone when its message expires or is canceled', async () => {
  const now = START + LIFETIME;
  await claim(now, 1);
  assert.is(await expireRows(outbox.db, now), 2);
  const held = ['pending', 1, now + LEASE];
  assert.equal((await rows())[0], held);
  const withdraw = () =>
    outbox.db.transaction().execute((transaction) => cancelRows(messageId, transaction, now));
  assert.is(await withdraw(), 0);
  assert.equal((await rows())[0], held);
});

test.run();
