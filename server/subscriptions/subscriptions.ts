import type { Subscription, TeamReference, Topic } from '../../src/shared/contract';
import type { Transaction } from 'kysely';
import { requireUser } from '../accounts/users';
import { recordAudit } from '../audit/record-audit';
import type { Database } from '../db/open';
import type { Tables } from '../db/schema';
import { notFoundError } from '../http/errors';
import {
  describeSubscribedBy,
  findTeamOnlySubscription,
  readTeamsByTopic,
} from '../memberships/subscribed-by';
import { requireTopic, toTopic } from '../topics/topics';
import { toTime } from '../lib/clock';
import { endSubscriptionsByName, addByNameOnConflict } from './subscriptions-by-name';

interface UserAndTopic {
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
      'subscriptions.by_name',
      'topics.id as topic_id',
      'topics.title',
      'topics.description',
    ])
    .orderBy('subscriptions.id', 'desc');
}

interface SubscriptionRow {
  id: number;
  created_at: number;
  by_name: 0 | 1;
  topic_id: number;
  title: string;
  description: string;
}

const toSubscription = (
  { id, created_at, by_name, topic_id, title, description }: SubscriptionRow,
  teams: ReadonlyMap<number, TeamReference[]>,
): Subscription => ({
  id,
  createdAt: toTime(created_at),
  topic: { id: topic_id, title, description },
  ...describeSubscribedBy(by_name, teams.get(topic_id)),
});

export async function listSubscriptions(
  userId: number,
  db: Database,
  limit?: number,
): Promise<Subscription[]> {
  const subscriptions = selectSubscriptions(userId, db);
  const rows = await (limit === undefined ? subscriptions : subscriptions.limit(limit)).execute();
  const teams = await readTeamsByTopic(userId, db);
  return rows.map((row) => toSubscription(row, teams));
}

/**
 * Topics that the user is not subscribed to, by title.
 * @throws HttpError 404
 */
export async function listAvailableTopics(userId: number, db: Database): Promise<Topic[]> {
  await requireUser(userId, db);
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

/**
 * A repeat returns the same subscription.
 * @throws HttpError 404 if either does not exist
 */
export async function subscribeToTopic(
  { userId, topicId }: UserAndTopic,
  transaction: Transaction<Tables>,
  now: number,
): Promise<Subscription> {
  await requireUser(userId, transaction);
  const { title: detail } = await requireTopic(topicId, transaction);
  const insertedRow = await transaction
    .insertInto('subscriptions')
    .values({ user_id: userId, topic_id: topicId, created_at: now })
    .onConflict(addByNameOnConflict)
    .returning('id')
    .executeTakeFirst();
  if (insertedRow !== undefined)
    await recordAudit({ action: 'subscription.add', person: userId, detail }, transaction);
  const row = await selectSubscriptions(userId, transaction)
    .where('topics.id', '=', topicId)
    .executeTakeFirst();
  if (row === undefined) throw notFoundError('Someone else has just removed this subscription.');
  return toSubscription(row, await readTeamsByTopic(userId, transaction));
}

/**
 * Keeps the person's switches and subscriptions from teams. A missing subscription is not an error. The caller
 * holds `TEAMS_LOCK`.
 * @throws HttpError 404; 409 if only a team subscribes them
 */
export async function unsubscribeFromTopic(
  { userId, topicId }: UserAndTopic,
  transaction: Transaction<Tables>,
): Promise<void> {
  await requireUser(userId, transaction);
  const { title: detail } = await requireTopic(topicId, transaction);
  const rejection = await findTeamOnlySubscription({ topicId, userIds: [userId] }, transaction);
  if (rejection !== undefined) throw rejection;
  const endedRows = await endSubscriptionsByName({ topicId, userIds: [userId] }, transaction);
  if (endedRows.length > 0)
    await recordAudit({ action: 'subscription.remove', person: userId, detail }, transaction);
}
