import type { Kysely, Transaction } from 'kysely';
import { isDeadlock } from './errors';
import type { Tables } from './schema';

const MAX_TRANSACTION_TRIES = 3;

/** Runs work in a transaction, again after a deadlock. It may change only the database. */
export async function inTransaction<Result>(
  db: Kysely<Tables>,
  work: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (tries === MAX_TRANSACTION_TRIES || !isDeadlock(error)) throw error;
    }
  }
}
