/** Who gets the alarm. */
import type { Transaction } from 'kysely';
import type { CheckInRow, Tables } from '../db/schema';
import type { MessageAudience } from '../messages/sending/send-request';

/** The people of the topic; all administrators if it is gone or has no one else. */
export async function findWatchers(
  topicId: number | null,
  { user_id }: Pick<CheckInRow, 'user_id'>,
  transaction: Transaction<Tables>,
): Promise<MessageAudience> {
  if (topicId !== null && (await hasPeople(topicId, transaction, user_id))) return { topicId };
  const admins = await transaction
    .selectFrom('users')
    .where('role', '=', 'ADMIN')
    .where('status', '=', 'ACTIVE')
    .where('suspended_at', 'is', null)
    .select('id')
    .execute();
  return { userIds: admins.map(({ id }) => id) };
}

/** Whether a message to this topic has a recipient. @param alone not this one */
export async function hasPeople(
  topicId: number,
  transaction: Transaction<Tables>,
  alone = 0,
): Promise<boolean> {
  const someone = await transaction
    .selectFrom('subscriptions')
    .innerJoin('users', 'users.id', 'subscriptions.user_id')
    .where('subscriptions.topic_id', '=', topicId)
    .where('users.suspended_at', 'is', null)
    .where('users.id', '<>', alone)
    .select('users.id')
    .limit(1)
    .executeTakeFirst();
  return someone !== undefined;
}
