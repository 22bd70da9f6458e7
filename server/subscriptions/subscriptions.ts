import type { Subscription, Topic } from '../../src/shared/contract';
import type { Transaction } from 'kysely';
import { findUser } from '../accounts/users';
import { record } from '../audit/record';
import type { Database } from '../db/open';
import type { Tables } from '../db/schema';
import { missing } from '../http/errors';
import { findTopic, toTopic } from '../topics/topics';
import { toTime } from '../lib/clock';

interface Pair {
  userId: number;
  topicId: number;
}

function selectSubscriptions(userId: number, db: Database) {
  return db
    .selectFrom('subscriptions')
    .innerJoin('topics', 'topics.id', 'subscriptions.topic_id')
    .where('subscriptions.user_id', '=', userId)
    .select([
      'subscriptions.id',
      'subscriptions.created_at',
      'topics.id as topic_id',
      'topics.title',
      'topics.description',
    ])
    .orderBy('subscriptions.id', 'desc');
}

interface SubscriptionRow {
  id: number;
  created_at: number;
  topic_id: number;
  title: string;
  description: string;
}

function toSubscription({
  id,
  created_at,
  topic_id,
  title,
  description,
}: SubscriptionRow): Subscription {
  return {
    id,
    createdAt: toTime(created_at),
    topic: { id: topic_id, title, description },
  };
}

export async function listSubscriptions(
  userId: number,
  db: Database,
  limit?: number,
): Promise<Subscription[]> {
  const all = selectSubscriptions(userId, db);
  const rows = await (limit === undefined ? all : all.limit(limit)).execute();
  return rows.map(toSubscription);
}

/** Topics that the user is not subscribed to, by title. @throws HttpError 404 */
export async function listAvailableTopics(userId: number, db: Database): Promise<Topic[]> {
  await findUser(userId, db);
  const rows = await db
    .selectFrom('topics')
    .selectAll()
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('subscriptions')
            .select('subscriptions.id')
            .whereRef('subscriptions.topic_id', '=', 'topics.id')
            .where('subscriptions.user_id', '=', userId),
        ),
      ),
    )
    .orderBy('search_key')
    .execute();
  return rows.map(toTopic);
}

/** A repeat answers the same subscription. @throws HttpError 404 if either does not exist */
export async function subscribe(
  { userId, topicId }: Pair,
  transaction: Transaction<Tables>,
  now: number,
): Promise<Subscription> {
  await findUser(userId, transaction);
  const { title: detail } = await findTopic(topicId, transaction);
  const added = await transaction
    .insertInto('subscriptions')
    .values({ user_id: userId, topic_id: topicId, created_at: now })
    .onConflict((conflict) => conflict.columns(['user_id', 'topic_id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (added !== undefined)
    await record({ action: 'subscription.add', person: userId, detail }, transaction);
  const row = await selectSubscriptions(userId, transaction)
    .where('topics.id', '=', topicId)
    .executeTakeFirst();
  if (row === undefined) throw missing('The subscription was removed at the same time.');
  return toSubscription(row);
}

/** Keeps the person's switches. A missing subscription is no error. */
export async function unsubscribe(
  { userId, topicId }: Pair,
  transaction: Transaction<Tables>,
): Promise<void> {
  await findUser(userId, transaction);
  const { title: detail } = await findTopic(topicId, transaction);
  const gone = await transaction
    .deleteFrom('subscriptions')
    .where('user_id', '=', userId)
    .where('topic_id', '=', topicId)
    .returning('id')
    .executeTakeFirst();
  if (gone !== undefined)
    await record({ action: 'subscription.remove', person: userId, detail }, transaction);
}
