/** A limit allows `max` at once, then one more each `windowMs / max` (GCRA). */
import { sql } from 'kysely';
import type { RawBuilder, Transaction } from 'kysely';
import type { Database } from '../db/open';
import type { Tables } from '../db/schema';
import { inTransaction } from '../db/transaction';
import { sha256 } from '../lib/sha256';

export interface Limit {
  /** Identifies the counter, such as `['login', address]`. Stored as a hash, so that it names no one. */
  key: readonly string[];
  max: number;
  windowMs: number;
  /** A strict limit never allows more than `max` within any window, so it has no bursts. */
  isStrict?: boolean;
  /** Counts, but rejects nothing itself: other limits refer to this one. */
  isCountOnly?: boolean;
  /** Rejects only while this limit of the same count is exceeded, too. */
  onlyWhile?: Limit;
}

const hashKey = (key: readonly string[]): string => sha256(JSON.stringify(key));
const refillInterval = ({ max, windowMs }: Limit): number => Math.floor(windowMs / max);

/** A bucket that is fuller than it can be is invalid: the clock was ahead. */
const isEmptyOrInvalid = (limit: Limit, now: number): RawBuilder<boolean> =>
  sql`rate_limits.ends_at <= ${now} or rate_limits.ends_at > ${now + limit.windowMs + refillInterval(limit)}`;

/**
 * Counts in all limits or, if one is exceeded, in none: rejected attempts must not use up what
 * others share. Callers pass the narrowest first, to avoid deadlocks.
 * @returns seconds until all allow one, or undefined if none rejects
 */
export async function consumeLimit(
  limits: readonly Limit[],
  db: Database,
  now: number,
): Promise<number | undefined> {
  let waitMilliseconds = 0;
  const rollback = new Error('Rolls back the counts.');
  await inTransaction(db, async (transaction) => {
    const waits = new Map<Limit, number>();
    for (const limit of limits) {
      const count = limit.isStrict ? countStrictly : fillBucket;
      waits.set(limit, await count(limit, transaction, now));
    }
    const appliedLimits = limits.filter(
      (limit) =>
        !limit.isCountOnly &&
        (limit.onlyWhile === undefined || (waits.get(limit.onlyWhile) ?? 0) > 0),
    );
    waitMilliseconds = Math.max(0, ...appliedLimits.map((limit) => waits.get(limit) ?? 0));
    if (waitMilliseconds > 0) throw rollback;
  }).catch((error: unknown) => {
    if (error !== rollback) throw error;
  });
  return waitMilliseconds === 0 ? undefined : Math.ceil(waitMilliseconds / 1000);
}

/**
 * Counts in the caller's transaction, which the error undoes.
 * @throws what `createError` returns
 */
export async function consumeLimitOrThrow(
  limit: Limit,
  transaction: Transaction<Tables>,
  now: number,
  createError: (seconds: number) => Error,
): Promise<void> {
  const wait = await fillBucket(limit, transaction, now);
  if (wait > 0) throw createError(Math.ceil(wait / 1000));
}

/**
 * Stops at a full bucket, so that people can sign in soon after an attack ends. After the clock
 * went back, a bucket is no fuller than its uses made it: `count` has those since it was last
 * empty.
 * @returns milliseconds until it allows one, else 0
 */
async function fillBucket(limit: Limit, transaction: Database, now: number): Promise<number> {
  const [interval, fullAt] = [refillInterval(limit), now + limit.windowMs];
  const isInvalid = isEmptyOrInvalid(limit, now);
  const filledByUses = sql`cast(${now} as bigint) + cast(rate_limits.count as bigint) * ${interval}`;
  const row = await transaction
    .insertInto('rate_limits')
    .values({ key: hashKey(limit.key), count: 1, ends_at: now + interval })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        count: sql`case
          when ${isInvalid} then excluded.count
          when rate_limits.count < ${limit.max} then rate_limits.count + 1
          else rate_limits.count end`,
        ends_at: sql`case
          when ${isInvalid} then excluded.ends_at
          when rate_limits.ends_at > ${filledByUses} then ${filledByUses} + ${interval}
          else rate_limits.ends_at + ${interval} end`,
      }),
    )
    .returning('ends_at')
    .executeTakeFirstOrThrow();
  return Math.max(0, row.ends_at - fullAt);
}

/** Counts a use. The count restarts only after a pause as long as the window. */
async function countStrictly(
  { key, max, windowMs }: Limit,
  transaction: Database,
  now: number,
): Promise<number> {
  const storedLimit = await transaction
    .selectFrom('rate_limits')
    .select('ends_at')
    .where('key', '=', hashKey(key))
    .executeTakeFirst();
  const row = await transaction
    .insertInto('rate_limits')
    .values({ key: hashKey(key), count: 1, ends_at: now + windowMs })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        count: sql`case when rate_limits.ends_at <= ${now} or rate_limits.ends_at > ${now + windowMs} then 1 else rate_limits.count + 1 end`,
        ends_at: sql`excluded.ends_at`,
      }),
    )
    .returning('count')
    .executeTakeFirstOrThrow();
  return row.count > max ? Math.max(1, (storedLimit?.ends_at ?? now) - now) : 0;
}

/** Consumes up to `requested`. Returns how many, and how long until there is room for the rest. */
export async function consumeLimitUpTo(
  limit: Limit,
  requested: number,
  transaction: Transaction<Tables>,
  now: number,
): Promise<{ granted: number; waitMilliseconds: number }> {
  const [interval, fullAt] = [refillInterval(limit), now + limit.windowMs];
  const isInvalid = isEmptyOrInvalid(limit, now);
  // A write that changes nothing locks the row until this transaction ends.
  const row = await transaction
    .insertInto('rate_limits')
    .values({ key: hashKey(limit.key), count: 0, ends_at: now })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        count: sql`case when ${isInvalid} then excluded.count else rate_limits.count end`,
        ends_at: sql`case when ${isInvalid} then excluded.ends_at else rate_limits.ends_at end`,
      }),
    )
    .returning(['count', 'ends_at'])
    .executeTakeFirstOrThrow();
  const usedUntil = Math.min(row.ends_at, now + row.count * interval);
  const room = Math.max(0, Math.floor((fullAt - usedUntil) / interval));
  const granted = Math.min(requested, room);
  await transaction
    .updateTable('rate_limits')
    .set({
      count: Math.min(limit.max, row.count + granted),
      ends_at: usedUntil + granted * interval,
    })
    .where('key', '=', hashKey(limit.key))
    .execute();
  return {
    granted,
    waitMilliseconds: Math.max(0, usedUntil + requested * interval - fullAt),
  };
}

export async function clearLimits(
  limits: readonly Limit[],
  transaction: Transaction<Tables>,
): Promise<void> {
  const keys = limits.map(({ key }) => hashKey(key));
  await transaction.deleteFrom('rate_limits').where('key', 'in', keys).execute();
}

/** Takes one count back from each limit: the attempt was legitimate or did not happen. */
export function refundLimit(limits: readonly Limit[], db: Database): Promise<void> {
  return inTransaction(db, (transaction) => refundLimitInTransaction(limits, transaction));
}

export async function refundLimitInTransaction(
  limits: readonly Limit[],
  transaction: Transaction<Tables>,
): Promise<void> {
  for (const limit of limits) {
    const refund = limit.isStrict
      ? { count: sql<number>`rate_limits.count - 1` }
      : { ends_at: sql<number>`rate_limits.ends_at - ${refillInterval(limit)}` };
    await transaction
      .updateTable('rate_limits')
      .set(refund)
      .where('key', '=', hashKey(limit.key))
      .where('count', '>', 0)
      .execute();
  }
}
