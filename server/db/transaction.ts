import type { Kysely, Transaction } from 'kysely';
import { gaveWay } from './errors';
import type { Tables } from './schema';

const MAX_TRIES = 3;

/**
 * Does work in one transaction. Where PostgreSQL ends it in favour of another one, because each
 * waited for the other, it is done again: the work must change nothing but the database.
 */
export async function inTransaction<Result>(
  db: Kysely<Tables>,
  work: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (tries === MAX_TRIES || !gaveWay(error)) throw error;
    }
  }
}
