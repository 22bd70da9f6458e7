/** The address that somebody asked for, until its link is opened. */
import type { Transaction } from 'kysely';
import type { Database } from '../../db/open';
import type { Tables } from '../../db/schema';
import { endTokens } from '../one-time-tokens';

/** @returns undefined if none is asked for, or not any more */
export async function readPendingEmail(
  userId: number,
  db: Database,
  now: number,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('email_changes')
    .select('email')
    .where('user_id', '=', userId)
    .where('ends_at', '>', now)
    .executeTakeFirst();
  return row?.email;
}

/** It does not count any more, whatever was mailed. */
export async function forgetEmailChange(
  userId: number,
  transaction: Transaction<Tables>,
): Promise<void> {
  await transaction.deleteFrom('email_changes').where('user_id', '=', userId).execute();
  await endTokens(userId, ['email-change'], transaction);
}
