import type { Transaction } from 'kysely';
import type { Overview, TopicKey } from '../../src/shared/contract';
import { recordAudit } from '../audit/record-audit';
import type { Database } from '../db/open';
import type { Tables, TopicKeyRow, TopicRow } from '../db/schema';
import { hashTopicKey, generateTopicKey } from '../http/access/topic-key';
import { conflictError, notFoundError } from '../http/errors';
import { toTime, toTimeOrNull } from '../lib/clock';
import { DAY_MS } from '../lib/durations';

/** A topic has at most this many keys, because people read the list. */
export const MAX_KEYS_PER_TOPIC = 50;
/** Creating a key holds this lock, because the number of keys is limited. */
export const KEYS_LOCK = 'topic-keys';
export const NO_SUCH_KEY = 'This key does not exist.';
const PREFIX_LENGTH = 8;

const MAX_LISTED_KEYS_OVER_BUDGET = 5;

const toKey = (
  { id, name, prefix, created_at, last_used_at, held_back, held_back_at }: TopicKeyRow,
  now: number,
): TopicKey => ({
  id,
  name,
  prefix,
  createdAt: toTime(created_at),
  lastUsedAt: toTimeOrNull(last_used_at),
  ...(held_back !== null &&
    held_back_at !== null &&
    held_back_at > now - DAY_MS && {
      heldBack: { alerts: held_back, since: toTime(held_back_at) },
    }),
});

export async function listKeys(topicId: number, db: Database, now: number): Promise<TopicKey[]> {
  const rows = await db
    .selectFrom('topic_keys')
    .selectAll()
    .where('topic_id', '=', topicId)
    .orderBy('id', 'desc')
    .execute();
  return rows.map((row) => toKey(row, now));
}

/** Keys of all topics that reached their limit within a day, newest first. */
export async function listKeysOverBudget(
  db: Database,
  now: number,
): Promise<NonNullable<Overview['health']['heldBack']>> {
  const rows = await db
    .selectFrom('topic_keys')
    .innerJoin('topics', 'topics.id', 'topic_keys.topic_id')
    .where('held_back_at', '>', now - DAY_MS)
    .orderBy('held_back_at', 'desc')
    .limit(MAX_LISTED_KEYS_OVER_BUDGET)
    .select(['name as key', 'title as topic', 'held_back', 'held_back_at'])
    .execute();
  return rows.map(({ key, topic, held_back, held_back_at }) => ({
    key,
    topic,
    alerts: held_back ?? 0,
    since: toTime(held_back_at ?? 0),
  }));
}

/**
 * The key is shown once. The caller holds `KEYS_LOCK`.
 * @throws HttpError 409 if too many
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
  if (count >= MAX_KEYS_PER_TOPIC)
    throw conflictError(
      `This topic already has ${MAX_KEYS_PER_TOPIC} keys. Please revoke one first.`,
    );
  const key = generateTopicKey();
  const row = await transaction
    .insertInto('topic_keys')
    .values({
      topic_id: topicId,
      name,
      prefix: key.slice(0, PREFIX_LENGTH),
      hash: hashTopicKey(key),
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordAudit({ action: 'key.add', on: title, detail: name }, transaction);
  return { ...toKey(row, now), key };
}

/** @throws HttpError 404 */
export async function revokeKey(id: number, transaction: Transaction<Tables>): Promise<void> {
  if ((await revokeKeys('id', id, transaction)) === 0) throw notFoundError(NO_SUCH_KEY);
}

/** Callers that delete a topic lock its keys first, because a machine that sends does so, too. */
export async function revokeTopicKeys(
  topicId: number,
  transaction: Transaction<Tables>,
): Promise<void> {
  await revokeKeys('topic_id', topicId, transaction);
}

async function revokeKeys(
  by: 'id' | 'topic_id',
  id: number,
  transaction: Transaction<Tables>,
): Promise<number> {
  const rows = await transaction
    .deleteFrom('topic_keys')
    .where(by, '=', id)
    .returning(['name', 'topic_id'])
    .execute();
  const [firstKey] = rows;
  if (firstKey === undefined) return 0;
  const { title: topicTitle } = await transaction
    .selectFrom('topics')
    .select('title')
    .where('id', '=', firstKey.topic_id)
    .executeTakeFirstOrThrow();
  await recordAudit(
    rows.map(({ name: detail }) => ({ action: 'key.revoke', on: topicTitle, detail })),
    transaction,
  );
  return rows.length;
}
