import { PostgresAdapter } from 'kysely';
import type { Kysely, SelectQueryBuilder, Transaction } from 'kysely';
import type { Tables } from './schema';

/** Runs transactions of the same lock one by one, by writing a row: both engines lock that. */
export async function acquireLock(name: string, transaction: Transaction<Tables>): Promise<void> {
  await transaction
    .insertInto('settings')
    .values({ name: `lock:${name}`, value: '' })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((row) => ({ value: row.ref('excluded.value') })),
    )
    .execute();
}

/** Whether locks are needed. SQLite has one writer and needs none. */
export const isOnPostgres = (db: Kysely<Tables>): boolean =>
  db.getExecutor().adapter instanceof PostgresAdapter;

/** Locks the query's rows against change and deletion. Several transactions may share the lock. */
export function lockForShare<From extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, From, Row>,
  transaction: Transaction<Tables>,
): SelectQueryBuilder<Tables, From, Row> {
  return isOnPostgres(transaction) ? query.forShare() : query;
}

/** Locks the query's rows against deletion only. */
export function lockAgainstDeletion<From extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, From, Row>,
  transaction: Transaction<Tables>,
): SelectQueryBuilder<Tables, From, Row> {
  return isOnPostgres(transaction) ? query.forKeyShare() : query;
}

/** Locks the query's rows for this transaction alone. New rows may still refer to them. */
export function lockForUpdate<From extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, From, Row>,
  transaction: Transaction<Tables>,
): SelectQueryBuilder<Tables, From, Row> {
  return isOnPostgres(transaction) ? query.forNoKeyUpdate() : query;
}

/** Locks like `lockForUpdate`, but skips rows that another transaction holds. */
export function lockSkippingLocked<From extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, From, Row>,
  transaction: Transaction<Tables>,
): SelectQueryBuilder<Tables, From, Row> {
  return isOnPostgres(transaction) ? query.forUpdate().skipLocked() : query;
}
