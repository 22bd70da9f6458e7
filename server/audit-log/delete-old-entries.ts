import { sql } from 'kysely';
import type { Database } from '../db/open';
import { AUDIT_KEPT_SINCE, writeSetting } from '../db/settings';
import { runInBatches } from '../lib/loop';
import { DAY_MS } from '../lib/durations';

/** Small batches, so that other writers do not wait long. */
const BATCH_ROWS = 1000;

/** Removes expired entries until none is left or it must stop. Safe in several processes. */
export async function deleteOldEntries(
  db: Database,
  now: number,
  keptDays: number,
  stopSignal: AbortSignal,
): Promise<void> {
  const since = now - keptDays * DAY_MS;
  const isExpired = sql`at < ${since}`;
  const { rows } = await sql`select 1 from audit_entries where ${isExpired} limit 1`.execute(db);
  if (rows.length === 0) return;
  // A trigger rejects the removal of later entries.
  await writeSetting(AUDIT_KEPT_SINCE, String(since), db);
  // Skip removed entries: PostgreSQL keeps them in the index until a vacuum.
  let from = 0;
  await runInBatches(async () => {
    const deletedEntries = await sql<{
      at: number;
    }>`delete from audit_entries where ${isExpired} and id in
      (select id from audit_entries where ${isExpired} and at >= ${from} order by at limit ${sql.lit(BATCH_ROWS)})
      returning at`.execute(db);
    from = deletedEntries.rows.reduce((latest, { at }) => Math.max(latest, at), from);
    return deletedEntries.rows.length === BATCH_ROWS;
  }, stopSignal);
}
