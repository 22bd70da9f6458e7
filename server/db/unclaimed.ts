/** Claiming rows that are due: a process that dies leaves a claim that runs out. */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { isOnPostgres } from './lock';
import type { Database } from './open';

/** No claim is for longer: one that seems to be was made by a clock that was wrong. */
const MAX_CLAIM = 120_000;

/**
 * Whether no process holds a row of the outbox, or a job: it was never claimed, its claim has run
 * out, or a clock that was far ahead made it.
 */
export const isFree = (now: number): RawBuilder<SqlBool> =>
  sql`(claimed_until is null or claimed_until <= ${now} or claimed_until > ${now + MAX_CLAIM})`;

export interface ClaimOfRows {
  now: number;
  /** Milliseconds until the claim runs out: longer than the work takes. */
  lease: number;
  limit: number;
}

/**
 * Claims rows that are due, the longest due first, and counts an attempt. No two callers get the
 * same one, unless a claim ran out in between.
 */
export async function claimRows<Row>(
  table: 'jobs' | 'webhook_calls',
  which: RawBuilder<SqlBool>,
  { now, lease, limit }: ClaimOfRows,
  db: Database,
): Promise<Row[]> {
  const claimedUntil = now + lease;
  const name = sql.table(table);
  const passing = isOnPostgres(db) ? sql`for update skip locked` : sql``;
  const { rows } = await sql<Row>`
    with due as (select id from ${name} where ${which} and due_at <= ${now} and ${isFree(now)}
      order by due_at limit ${limit} ${passing})
    update ${name} set claimed_until = ${claimedUntil}, attempts = attempts + 1
    where id in (select id from due) returning *`.execute(db);
  return rows;
}
