import type { Transaction } from 'kysely';
import type { Tables } from '../db/schema';
import { HttpError } from '../http/errors';
import { NO_SUCH_TOPIC } from './topics';

/**
 * Subscribes an account that is being added.
 * @returns the topics' titles.
 * @throws HttpError 400
 */
export async function subscribeNewUser(
  userId: number,
  topicIds: readonly number[],
  transaction: Transaction<Tables>,
  now: number,
): Promise<string[]> {
  const sortedIds = [...new Set(topicIds)].sort((a, b) => a - b);
  if (sortedIds.length === 0) return [];
  const topics = await transaction
    .selectFrom('topics')
    .select(['id', 'title'])
    .where('id', 'in', sortedIds)
    .orderBy('id')
    .execute();
  if (topics.length < sortedIds.length)
    throw new HttpError(400, [{ message: NO_SUCH_TOPIC, path: 'topicIds' }]);
  await transaction
    .insertInto('subscriptions')
    .values(sortedIds.map((topicId) => ({ user_id: userId, topic_id: topicId, created_at: now })))
    .execute();
  return topics.map(({ title }) => title);
}
