import type { Transaction } from 'kysely';
import type { Tables } from '../../db/schema';

/**
 * Cancels the addition of a passkey, too.
 * @returns whether the person had a passkey
 */
export async function removeAllPasskeys(
  userId: number,
  transaction: Transaction<Tables>,
): Promise<boolean> {
  await transaction.deleteFrom('passkey_challenges').where('user_id', '=', userId).execute();
  const { numDeletedRows } = await transaction
    .deleteFrom('passkeys')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
