import type { Transaction } from 'kysely';
import { lockForUpdate } from '../../db/lock';
import type { Tables, UserRow } from '../../db/schema';

/** @returns the active account; undefined if its sessions have ended since it was read, as by a reset */
export const lockUnchangedAccount = (
  { id, session_version }: Pick<UserRow, 'id' | 'session_version'>,
  transaction: Transaction<Tables>,
): Promise<UserRow | undefined> => {
  const unchangedUser = transaction
    .selectFrom('users')
    .selectAll()
    .where('id', '=', id)
    .where('session_version', '=', session_version)
    .where('status', '=', 'ACTIVE');
  return lockForUpdate(unchangedUser, transaction).executeTakeFirst();
};
