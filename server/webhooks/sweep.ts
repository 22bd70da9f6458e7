/** Removes calls that nobody makes any more. */
import { sql } from 'kysely';
import type { Database } from '../db/open';
import { inSteps } from '../lib/in-steps';

/** A call is tried for a day; what is older was written for a webhook that was just switched off. */
const KEPT_MILLISECONDS = 2 * 24 * 60 * 60 * 1000;
/** Few enough that nobody who wants to write has to wait long. */
const BATCH = 1000;

/** Goes on until there is nothing to remove, or until it is told to stop. */
export async function sweepCalls(db: Database, now: number, stopping: AbortSignal): Promise<void> {
  const before = now - KEPT_MILLISECONDS;
  await inSteps(async () => {
    const { numAffectedRows } = await sql`delete from webhook_calls where id in
      (select id from webhook_calls where created_at < ${before} order by created_at limit ${sql.lit(BATCH)})`.execute(
      db,
    );
    return Number(numAffectedRows ?? 0) === BATCH;
  }, stopping);
}
