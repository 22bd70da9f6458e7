import { PostgresAdapter } from 'kysely';
import type { Kysely, SelectQueryBuilder, Transaction } from 'kysely';
import type { Tables } from './schema';

/**
 * Lets transactions that name the same lock run one after the other, in all server processes, until
 * this one ends. A row that is written is the one lock that both engines have.
 */
export async function takeLock(name: string, transaction: Transaction<Tables>): Promise<void> {
  await transaction
    .insertInto('settings')
    .values({ name: `lock:${name}`, value: '' })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((row) => ({ value: row.ref('excluded.value') })),
    )
    .execute();
}

/** Which engine runs, where its locks differ. SQLite has one writer, so it has no need of any. */
export const isOnPostgres = (db: Kysely<Tables>): boolean =>
  db.getExecutor().adapter instanceof PostgresAdapter;

/**
 * Keeps the rows that a query reads as they are until its transaction ends: others that want to
 * change or delete them wait. Several may hold them at once. SQLite needs nothing for it: a
 * transaction has the whole database to itself.
 */
export function held<From extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, From, Row>,
  transaction: Transaction<Tables>,
): SelectQueryBuilder<Tables, From, Row> {
  return isOnPostgres(transaction) ? query.forShare() : query;
}

/**
 * Keeps the rows that a query reads from being deleted until its transaction ends. Others may change
 * and hold them meanwhile.
 */
export function kept<From extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, From, Row>,
  transaction: Transaction<Tables>,
): SelectQueryBuilder<Tables, From, Row> {
  return isOnPostgres(transaction) ? query.forKeyShare() : query;
}

/**
 * Takes the rows that a query reads for this transaction alone: others who hold, take or change
 * them wait until its end. New rows may refer to them meanwhile.
 */
export function takenAlone<From extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, From, Row>,
  transaction: Transaction<Tables>,
): SelectQueryBuilder<Tables, From, Row> {
  return isOnPostgres(transaction) ? query.forNoKeyUpdate() : query;
}

/**
 * Takes the rows that a query reads for this transaction alone, as far as no other one holds them;
 * the rest is left out.
 */
export function takenIfFree<From extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, From, Row>,
  transaction: Transaction<Tables>,
): SelectQueryBuilder<Tables, From, Row> {
  return isOnPostgres(transaction) ? query.forUpdate().skipLocked() : query;
}
