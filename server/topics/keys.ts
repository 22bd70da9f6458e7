/** The keys of topics: who has one sends to its topic. */
import type { Transaction } from 'kysely';
import type { Overview, TopicKey } from '../../src/shared/contract';
import { record } from '../audit/record';
import type { Database } from '../db/open';
import type { Tables, TopicKeyRow, TopicRow } from '../db/schema';
import { hashOfKey, makeTopicKey } from '../http/access/topic-key';
import { conflict, missing } from '../http/errors';

/** Of a topic. People look through them by eye. */
export const MOST_KEYS = 50;
/** To be held by who makes one: their number is judged together. */
export const KEYS_LOCK = 'topic-keys';
export const NO_SUCH_KEY = 'This key does not exist.';
const PREFIX_LENGTH = 8;

/** Administrators see them on the dashboard. */
const MOST_HELD_BACK = 5;
const DAY = 24 * 60 * 60_000;

const toKey = (
  { id, name, prefix, created_at, last_used_at, held_back, held_back_at }: TopicKeyRow,
  now: number,
): TopicKey => ({
  id,
  name,
  prefix,
  createdAt: new Date(created_at).toISOString(),
  lastUsedAt: last_used_at === null ? null : new Date(last_used_at).toISOString(),
  ...(held_back !== null &&
    held_back_at !== null &&
    held_back_at > now - DAY && {
      heldBack: { alerts: held_back, since: new Date(held_back_at).toISOString() },
    }),
});

/** The newest first. */
export async function listKeys(topicId: number, db: Database, now: number): Promise<TopicKey[]> {
  const rows = await db
    .selectFrom('topic_keys')
    .selectAll()
    .where('topic_id', '=', topicId)
    .orderBy('id', 'desc')
    .execute();
  return rows.map((row) => toKey(row, now));
}

/** Those of all topics that were held back within a day: the newest of them. */
export async function listHeldBack(
  db: Database,
  now: number,
): Promise<NonNullable<Overview['health']['heldBack']>> {
  const rows = await db
    .selectFrom('topic_keys')
    .innerJoin('topics', 'topics.id', 'topic_keys.topic_id')
    .where('held_back_at', '>', now - DAY)
    .orderBy('held_back_at', 'desc')
    .limit(MOST_HELD_BACK)
    .select(['name as key', 'title as topic', 'held_back', 'held_back_at'])
    .execute();
  return rows.map(({ key, topic, held_back, held_back_at }) => ({
    key,
    topic,
    alerts: held_back ?? 0,
    since: new Date(held_back_at ?? 0).toISOString(),
  }));
}

/**
 * Makes a key, which is told this once. To be called with `KEYS_LOCK`.
 * @throws HttpError 409 if the topic has as many as it may
 */
export async function addKey(
  { id: topicId, title }: Pick<TopicRow, 'id' | 'title'>,
  name: string,
  transaction: Transaction<Tables>,
  now: number,
): Promise<TopicKey & { key: string }> {
  const { count } = await transaction
    .selectFrom('topic_keys')
    .where('topic_id', '=', topicId)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  if (count >= MOST_KEYS)
    throw conflict(`This topic has ${MOST_KEYS} keys already. Please revoke one first.`);
  const key = makeTopicKey();
  const row = await transaction
    .insertInto('topic_keys')
    .values({
      topic_id: topicId,
      name,
      prefix: key.slice(0, PREFIX_LENGTH),
      hash: hashOfKey(key),
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await record({ action: 'key.add', on: title, detail: name }, transaction);
  return { ...toKey(row, now), key };
}

/** @throws HttpError 404 */
export async function revokeKey(id: number, transaction: Transaction<Tables>): Promise<void> {
  if ((await revoke('id', id, transaction)) === 0) throw missing(NO_SUCH_KEY);
}

/** Those of a topic that is to be deleted: before its row is taken, as who sends has the key's first. */
export async function revokeKeysOf(
  topicId: number,
  transaction: Transaction<Tables>,
): Promise<void> {
  await revoke('topic_id', topicId, transaction);
}

async function revoke(
  by: 'id' | 'topic_id',
  id: number,
  transaction: Transaction<Tables>,
): Promise<number> {
  const rows = await transaction
    .deleteFrom('topic_keys')
    .where(by, '=', id)
    .returning(['name', 'topic_id'])
    .execute();
  const [first] = rows;
  if (first === undefined) return 0;
  const { title: on } = await transaction
    .selectFrom('topics')
    .select('title')
    .where('id', '=', first.topic_id)
    .executeTakeFirstOrThrow();
  await record(
    rows.map(({ name: detail }) => ({ action: 'key.revoke', on, detail })),
    transaction,
  );
  return rows.length;
}
