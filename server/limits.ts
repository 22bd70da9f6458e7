/** Rate limits, counted in the database so that all server processes share them. Windows are fixed, not sliding. */
import { sql } from 'kysely';
import type { Database } from './db/open';
import { hash } from './hash';

export interface Limit {
  /** What is counted, such as `['login', address]`. Stored as a hash: the table names nobody. */
  key: readonly string[];
  most: number;
  windowMilliseconds: number;
}

const hashKey = (key: readonly string[]): string => hash(JSON.stringify(key));

/**
 * Counts one more for each limit, unless that is too much for one of them: then it counts nothing, so that whoever is
 * refused uses up no limit that others share, and fills no table with names they make up.
 * To keep transactions from waiting for each other in a circle, callers name limits in the same order everywhere, the
 * narrowest first.
 * @returns seconds until the fullest one that is exceeded starts afresh, or undefined if none is
 */
export async function count(limits: readonly Limit[], db: Database, now: number): Promise<number | undefined> {
  let waitMilliseconds = 0;
  const exceeded = new Error('What was counted is rolled back.');
  await db
    .transaction()
    .execute(async (transaction) => {
      for (const limit of limits) waitMilliseconds = Math.max(waitMilliseconds, await countOne(limit, transaction, now));
      if (waitMilliseconds > 0) throw exceeded;
    })
    .catch((error: unknown) => {
      if (error !== exceeded) throw error;
    });
  return waitMilliseconds === 0 ? undefined : Math.ceil(waitMilliseconds / 1000);
}

/** @returns milliseconds until the window ends, if this was too much for it, else 0 */
async function countOne({ key, most, windowMilliseconds }: Limit, transaction: Database, now: number): Promise<number> {
  const row = await transaction
    .insertInto('rate_limits')
    .values({ key: hashKey(key), count: 1, ends_at: now + windowMilliseconds })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        count: sql`case when rate_limits.ends_at <= ${now} then 1 else rate_limits.count + 1 end`,
        ends_at: sql`case when rate_limits.ends_at <= ${now} then excluded.ends_at else rate_limits.ends_at end`,
      }),
    )
    .returning(['count', 'ends_at'])
    .executeTakeFirstOrThrow();
  return row.count > most ? row.ends_at - now : 0;
}

/** Takes one count back from each: the attempt turned out to be a rightful one. */
export async function forgive(limits: readonly Limit[], db: Database): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    for (const limit of limits) {
      await transaction
        .updateTable('rate_limits')
        .set({ count: sql`rate_limits.count - 1` })
        .where('key', '=', hashKey(limit.key))
        .where('count', '>', 0)
        .execute();
    }
  });
}

/** Whether this was counted at all within its window. */
export async function wasCounted(key: readonly string[], db: Database, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('rate_limits')
    .select('count')
    .where('key', '=', hashKey(key))
    .where('ends_at', '>', now)
    .executeTakeFirst();
  return row !== undefined;
}
