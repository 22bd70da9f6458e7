/** Removes calls that nobody makes any more. */
import type { Database } from '../db/open';
import { addOutcomes } from '../db/step-outcomes';
import { inTransaction } from '../db/transaction';
import { inSteps } from '../lib/in-steps';
import { droppedCalls } from './webhooks';

/** A call is tried for a day; what is older was written for a webhook that was just switched off. */
const KEPT_MILLISECONDS = 2 * 24 * 60 * 60 * 1000;
/** Few enough that nobody who wants to write has to wait long. */
const BATCH = 1000;

/** Goes on until there is nothing to remove, or until it is told to stop. */
export async function sweepCalls(db: Database, now: number, stopping: AbortSignal): Promise<void> {
  const before = now - KEPT_MILLISECONDS;
  await inSteps(async () => {
    const old = db
      .selectFrom('webhook_calls')
      .where('created_at', '<', before)
      .orderBy('created_at')
      .limit(BATCH)
      .select('id');
    const swept = await inTransaction(db, async (transaction) => {
      const calls = await transaction
        .deleteFrom('webhook_calls')
        .where('id', 'in', old)
        .returning(['message_id', 'position', 'people'])
        .execute();
      await addOutcomes(droppedCalls(calls, 'webhook-off'), transaction);
      return calls.length;
    });
    return swept === BATCH;
  }, stopping);
}
