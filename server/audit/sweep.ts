/** Ends the audit log: what is older than it is kept goes. */
import { sql } from 'kysely';
import type { Database } from '../db/open';
import { AUDIT_KEPT_SINCE, writeSetting } from '../db/settings';
import { inSteps } from '../lib/in-steps';

const DAY = 24 * 60 * 60 * 1000;
/** Few enough that nobody who wants to write has to wait long. */
const BATCH = 1000;

/**
 * Goes on until there is nothing to remove, or until it is told to stop. Several processes may do so
 * at once.
 */
export async function sweepEntries(
  db: Database,
  now: number,
  keptDays: number,
  stopping: AbortSignal,
): Promise<void> {
  const since = now - keptDays * DAY;
  const isOver = sql`at < ${since}`;
  const { rows } = await sql`select 1 from audit_entries where ${isOver} limit 1`.execute(db);
  if (rows.length === 0) return;
  // A trigger refuses to remove what is later.
  await writeSetting(AUDIT_KEPT_SINCE, String(since), db);
  // What went before is not looked through again: PostgreSQL has it in the index until it is swept.
  let from = 0;
  await inSteps(async () => {
    const removed = await sql<{ at: number }>`delete from audit_entries where ${isOver} and id in
      (select id from audit_entries where ${isOver} and at >= ${from} order by at limit ${sql.lit(BATCH)})
      returning at`.execute(db);
    from = removed.rows.reduce((last, { at }) => Math.max(last, at), from);
    return removed.rows.length === BATCH;
  }, stopping);
}
