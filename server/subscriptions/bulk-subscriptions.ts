import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { ChangedSubscriptions } from '../../src/shared/contract';
import type { AuditAction } from '../../src/shared/audit-actions';
import { recordAudit } from '../audit/record-audit';
import { lockAgainstDeletion, lockForUpdate } from '../db/lock';
import { idList, idTable } from '../db/json-table';
import type { Tables } from '../db/schema';
import { HttpError, notFoundError } from '../http/errors';
import { findTeamOnlySubscription } from '../memberships/subscribed-by';
import { NO_SUCH_TOPIC } from '../topics/topics';
import { endSubscriptionsByName, addByNameOnConflict } from './subscriptions-by-name';

interface BulkChange {
  topicId: number;
  userIds: readonly number[];
}

/** Unknown ids named in the error. */
const MAX_NAMED_UNKNOWN_IDS = 10;

/**
 * Subscribes all of the people or none. Muted topics stay muted.
 * @throws HttpError 404 without the topic, 400
 */
export async function subscribeMany(
  change: BulkChange,
  transaction: Transaction<Tables>,
  now: number,
): Promise<ChangedSubscriptions> {
  const { people, title } = await lockPeople(change, transaction);
  const rows = await transaction
    .insertInto('subscriptions')
    .columns(['user_id', 'topic_id', 'created_at'])
    .expression((build) =>
      build
        .selectFrom(idTable(people).as('wanted'))
        .select([
          'wanted.id',
          sql<number>`cast(${change.topicId} as bigint)`.as('topic_id'),
          sql<number>`cast(${now} as bigint)`.as('created_at'),
        ])
        // SQLite needs a condition, or reads `on conflict` as a join's.
        .where(sql<boolean>`true`)
        .orderBy('wanted.id'),
    )
    .onConflict(addByNameOnConflict)
    .returning('user_id')
    .execute();
  return recordChanges('subscription.add', { people, title, rows }, transaction);
}

/**
 * Unsubscribes all of the people or none. The caller holds `TEAMS_LOCK`.
 * @throws as above; 409 if only a team subscribes some
 */
export async function unsubscribeMany(
  change: BulkChange,
  transaction: Transaction<Tables>,
): Promise<ChangedSubscriptions> {
  const { people, title } = await lockPeople(change, transaction);
  const subscriptions = { topicId: change.topicId, userIds: people };
  const rejection = await findTeamOnlySubscription(subscriptions, transaction);
  if (rejection !== undefined) throw rejection;
  const rows = await endSubscriptionsByName(subscriptions, transaction);
  return recordChanges('subscription.remove', { people, title, rows }, transaction);
}

async function recordChanges(
  action: AuditAction,
  { people, title, rows }: LockedPeople & { rows: readonly { user_id: number }[] },
  transaction: Transaction<Tables>,
): Promise<ChangedSubscriptions> {
  const entries = rows.map(({ user_id }) => ({ action, person: user_id, detail: title }));
  await recordAudit(entries, transaction);
  return { changed: rows.length, unchanged: people.length - rows.length };
}

interface LockedPeople {
  people: readonly number[];
  title: string;
}

/** The topic comes first, so that two bulk changes can't deadlock. */
async function lockPeople(
  { topicId, userIds }: BulkChange,
  transaction: Transaction<Tables>,
): Promise<LockedPeople> {
  const rowOfTopic = transaction.selectFrom('topics').select('title').where('id', '=', topicId);
  const topic = await lockForUpdate(rowOfTopic, transaction).executeTakeFirst();
  if (topic === undefined) throw notFoundError(NO_SUCH_TOPIC);
  return { people: await lockUsers(userIds, transaction), title: topic.title };
}

/**
 * Locks each person once, by id, against deletion.
 * @throws HttpError 400 with unknown ids
 */
export async function lockUsers(
  userIds: readonly number[],
  transaction: Transaction<Tables>,
): Promise<number[]> {
  const uniqueUserIds = [...new Set(userIds)];
  const existingUsers = transaction
    .selectFrom('users')
    .select('id')
    .where('id', 'in', idList(uniqueUserIds));
  const rows = await lockAgainstDeletion(existingUsers.orderBy('id'), transaction).execute();
  const people = rows.map(({ id }) => id);
  if (people.length < uniqueUserIds.length)
    throw unknownIdsError('user', uniqueUserIds, new Set(people));
  return people;
}

/** Lists the ids that do not exist. */
export function unknownIdsError(
  kind: 'user' | 'team',
  requestedIds: readonly number[],
  existingUsers: { has(id: number): boolean },
): HttpError {
  const unknown = requestedIds.filter((id) => !existingUsers.has(id));
  const moreText =
    unknown.length > MAX_NAMED_UNKNOWN_IDS ? `, +${unknown.length - MAX_NAMED_UNKNOWN_IDS}` : '';
  const ids = unknown.slice(0, MAX_NAMED_UNKNOWN_IDS).join(', ') + moreText;
  const message =
    unknown.length === 1
      ? `This ${kind} does not exist: ${ids}.`
      : `These ${kind}s do not exist: ${ids}.`;
  return new HttpError(400, [{ message, path: `${kind}Ids` }]);
}
