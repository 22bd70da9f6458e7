/** Claims due rows. The claim of a dead process expires. */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { isOnPostgres } from './lock';
import type { Database } from './open';

/** If a claim lasts longer, the clock of its process was wrong. */
const MAX_CLAIM_DURATION_MS = 120_000;

/** Whether no process holds a row: unclaimed, expired, or claimed by a wrong clock. */
export const isUnclaimed = (now: number): RawBuilder<SqlBool> =>
  sql`(claimed_until is null or claimed_until <= ${now} or claimed_until > ${now + MAX_CLAIM_DURATION_MS})`;

export interface ClaimOfRows {
  now: number;
  /** Milliseconds until the claim expires; longer than the work. */
  leaseMs: number;
  limit: number;
}

/** Claims due rows, oldest first, and counts an attempt. */
export async function claimRows<Row>(
  table: 'jobs' | 'webhook_calls',
  condition: RawBuilder<SqlBool>,
  { now, leaseMs, limit }: ClaimOfRows,
  db: Database,
): Promise<Row[]> {
  const claimedUntil = now + leaseMs;
  const name = sql.table(table);
  const skipLocked = isOnPostgres(db) ? sql`for update skip locked` : sql``;
  const { rows } = await sql<Row>`
    with due as (select id from ${name} where ${condition} and due_at <= ${now} and ${isUnclaimed(now)}
      order by due_at limit ${limit} ${skipLocked})
    update ${name} set claimed_until = ${claimedUntil}, attempts = attempts + 1
    where id in (select id from due) returning *`.execute(db);
  return rows;
}
