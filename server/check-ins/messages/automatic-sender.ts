/** What the messages of check-ins share: no person sends them, and they name the check-in's person. */
import type { Transaction } from 'kysely';
import type { CheckInRow, Tables } from '../../db/schema';

export const AUTOMATIC_SENDER = { senderId: null, idempotencyKey: undefined };

export async function readUsername(
  row: CheckInRow,
  transaction: Transaction<Tables>,
): Promise<string> {
  const user = transaction.selectFrom('users').where('id', '=', row.user_id).select('username');
  return (await user.executeTakeFirstOrThrow()).username;
}
