/** Changes are made on the word of somebody who may make them, at the moment when they are made. */
import type { Transaction } from 'kysely';
import { held, takeLock, takenAlone } from '../db/lock';
import type { Database } from '../db/open';
import { inTransaction } from '../db/transaction';
import type { Tables, UserRow } from '../db/schema';
import { ended } from './session';

export interface Order {
  /**
   * To be taken before anything else (`takeLock`), for work that changes accounts: two
   * administrators who remove each other would otherwise each hold their own row and wait for the
   * other's.
   */
  lock?: string;
  /** One after the other for each person, where what they have is counted. */
  alone?: boolean;
}

/**
 * Does work in one transaction, unless the one who asked for it has lost the right to meanwhile.
 * @throws HttpError 401, and nothing has changed
 */
export type Transact = <Result>(
  work: (transaction: Transaction<Tables>) => Promise<Result>,
  order?: Order,
) => Promise<Result>;

/**
 * Between the check of a session and what is done on its strength lies whatever a caller can
 * stretch, such as a body that takes its time. So each transaction asks again, of the account as it
 * was when the request came, and holds the account's row until its end: a deletion, a demotion or a
 * new password comes either before it, and refuses it, or after it.
 */
export function transactAs({ id, role, session_version }: UserRow, db: Database): Transact {
  return (work, { lock, alone = false } = {}) =>
    inTransaction(db, async (transaction) => {
      if (lock !== undefined) await takeLock(lock, transaction);
      const same = transaction
        .selectFrom('users')
        .select('id')
        .where('id', '=', id)
        .where('role', '=', role)
        .where('session_version', '=', session_version)
        .where('status', '=', 'ACTIVE');
      const own = alone ? takenAlone(same, transaction) : held(same, transaction);
      if ((await own.executeTakeFirst()) === undefined) throw ended();
      return work(transaction);
    });
}
