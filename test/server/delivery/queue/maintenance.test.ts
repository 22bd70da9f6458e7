import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { claimDue } from '../../../../server/db/outbox/claim-pushes';
import { recordOutcomes } from '../../../../server/db/outbox/outcomes';
import { repairDueTimes } from '../../../../server/db/outbox/maintenance';
import { createOutbox, type Outbox } from '../../../support/delivery/outbox';

const test = suite('maintenance of the outbox');
const START = Date.parse('2026-11-21T09:30:00Z');
const [SECOND, HOUR] = [1000, 3600_000];
let outbox: Outbox;
test.before.each(async () => {
  outbox = await createOutbox();
});
test.after.each(() => outbox.close());

test('limits every wait to seven hours, and leaves shorter ones alone', async () => {
  await outbox.addDevices(['six hours', 'eight hours', 'never tried']);
  await outbox.addMessage({ now: START });
  const from = [{ service: 0, limit: 2 }];
  const claims = await claimDue(outbox.db, outbox.engine, { now: START, leaseMs: SECOND, from });
  const settlements = claims.map((claim, index) => ({
    ...{ claim, state: 'pending' as const, reason: 'status-429', attempted: true },
    dueAt: START + (6 + 2 * index) * HOUR,
  }));
  await recordOutcomes(outbox.db, settlements, START);
  assert.equal(
    [await repairDueTimes(outbox.db, START), await repairDueTimes(outbox.db, START)],
    [1, 0],
  );
  assert.equal(
    (await outbox.listDeliveries()).map(({ due_at }) => due_at - START),
    [6 * HOUR, 7 * HOUR, 0],
  );
});

test.run();
