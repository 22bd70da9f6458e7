/** Subscribing and unsubscribing many people at once. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { Changed } from '../../src/shared/contract';
import type { AuditAction } from '../../src/shared/audit-actions';
import { record } from '../audit/record';
import { lockAgainstDeletion, lockForUpdate } from '../db/lock';
import { someIds, tableOfIds } from '../db/json-table';
import type { Tables } from '../db/schema';
import { HttpError, missing } from '../http/errors';
import { NO_SUCH_TOPIC } from '../topics/topics';

interface Many {
  topicId: number;
  userIds: readonly number[];
}

/** So many ids are named where some do not exist. */
const NAMED = 10;

/**
 * Subscribes all of them, or none. What somebody had switched off stays off.
 * @throws HttpError 404 without the topic, 400 for a user that does not exist
 */
export async function subscribeMany(
  wanted: Many,
  transaction: Transaction<Tables>,
  now: number,
): Promise<Changed> {
  const { people, title } = await takeThem(wanted, transaction);
  const rows = await transaction
    .insertInto('subscriptions')
    .columns(['user_id', 'topic_id', 'created_at'])
    .expression((build) =>
      build
        .selectFrom(tableOfIds(people).as('wanted'))
        .select([
          'wanted.id',
          sql<number>`cast(${wanted.topicId} as bigint)`.as('topic_id'),
          sql<number>`cast(${now} as bigint)`.as('created_at'),
        ])
        // Without a condition SQLite takes `on conflict` for that of a join.
        .where(sql<boolean>`true`)
        .orderBy('wanted.id'),
    )
    .onConflict((conflict) => conflict.columns(['user_id', 'topic_id']).doNothing())
    .returning('user_id')
    .execute();
  return note('subscription.add', { people, title, rows }, transaction);
}

/** Unsubscribes all of them, or none. What they had switched stays, for another time. @throws as above */
export async function unsubscribeMany(
  wanted: Many,
  transaction: Transaction<Tables>,
): Promise<Changed> {
  const { people, title } = await takeThem(wanted, transaction);
  const rows = await transaction
    .deleteFrom('subscriptions')
    .where('topic_id', '=', wanted.topicId)
    .where('user_id', 'in', someIds(people))
    .returning('user_id')
    .execute();
  return note('subscription.remove', { people, title, rows }, transaction);
}

/** Leaves an entry of each person who was changed, and counts them. */
async function note(
  action: AuditAction,
  { people, title, rows }: Taken & { rows: readonly { user_id: number }[] },
  transaction: Transaction<Tables>,
): Promise<Changed> {
  const entries = rows.map(({ user_id }) => ({ action, person: user_id, detail: title }));
  await record(entries, transaction);
  return { changed: rows.length, unchanged: people.length - rows.length };
}

interface Taken {
  people: readonly number[];
  /** The topic's. */
  title: string;
}

/**
 * The people, each once, none of whom is deleted before the end of this transaction. The topic is
 * taken first: of two such wishes for it one waits for the other, whatever the order of its people.
 */
async function takeThem(
  { topicId, userIds }: Many,
  transaction: Transaction<Tables>,
): Promise<Taken> {
  const rowOfTopic = transaction.selectFrom('topics').select('title').where('id', '=', topicId);
  const topic = await lockForUpdate(rowOfTopic, transaction).executeTakeFirst();
  if (topic === undefined) throw missing(NO_SUCH_TOPIC);
  const wanted = [...new Set(userIds)];
  const there = transaction.selectFrom('users').select('id').where('id', 'in', someIds(wanted));
  const rows = await lockAgainstDeletion(there.orderBy('id'), transaction).execute();
  if (rows.length < wanted.length) throw noSuchUsers(wanted, new Set(rows.map(({ id }) => id)));
  return { people: rows.map(({ id }) => id), title: topic.title };
}

function noSuchUsers(wanted: readonly number[], there: ReadonlySet<number>): HttpError {
  const gone = wanted.filter((id) => !there.has(id));
  const more = gone.length > NAMED ? ' and others' : '';
  const ids = gone.slice(0, NAMED).join(', ') + more;
  const message =
    gone.length === 1 ? `This user does not exist: ${ids}.` : `These users do not exist: ${ids}.`;
  return new HttpError(400, [{ message, path: 'userIds' }]);
}
