import type { Transaction } from 'kysely';
import type { Topic, TopicPage } from '../../src/shared/contract';
import { recordAudit } from '../audit/record-audit';
import { findCheckInSettings } from '../db/check-in-settings';
import { queryInReadThread } from '../db/open';
import type { Database } from '../db/open';
import type { Tables, TopicRow } from '../db/schema';
import { foldCase } from '../../src/shared/case-fold';
import { countedNoun } from '../lib/counted-noun';
import { requirePolicy, findPolicyNaming } from '../escalation/policies';
import { conflictError, notFoundError } from '../http/errors';
import { storeResponse, claimOrReadResponse } from '../http/idempotency';
import type { IdempotentRequest } from '../http/idempotency';
import { byNameMatch, containsWords, readPageFields } from '../http/paging';
import type { Paging } from '../http/paging';
import { revokeTopicKeys } from './keys';
import { toTime } from '../lib/clock';

export const NO_SUCH_TOPIC = 'This topic does not exist.';

type TopicText = Pick<Topic, 'title' | 'description'>;
/** If `policyId` is missing, the policy stays. */
type TopicFields = TopicText & Pick<Topic, 'policyId'>;

export function toTopic(row: TopicRow): Topic {
  const { id, title, description } = row;
  const [createdAt, updatedAt] = [toTime(row.created_at), toTime(row.updated_at)];
  return { id, title, description, createdAt, updatedAt, policyId: row.policy_id };
}

const searchKey = ({ title, description }: TopicText): string =>
  foldCase(`${title}\n${description}`);

/**
 * Lists the newest first, in a search those whose title matches. Each word may be in the title or
 * the description.
 */
export async function listTopics(paging: Paging, db: Database): Promise<TopicPage> {
  const { limit, offset, words } = paging;
  const topicsQuery = db
    .selectFrom('topics')
    .where(({ ref }) => containsWords(words, ref('search_key')));
  const rows = await topicsQuery
    .selectAll()
    .$if(words.length > 0, (search) =>
      search.orderBy(({ fn }) => byNameMatch(words, fn<string>('lower', ['title']))),
    )
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  const counts = await countSubscribers(
    rows.map(({ id }) => id),
    db,
  );
  return {
    topics: rows.map((row) => ({ ...toTopic(row), subscribers: counts.get(row.id) ?? 0 })),
    ...(await readPageFields(rows, paging, topicsQuery, db)),
  };
}

async function countSubscribers(
  topicIds: readonly number[],
  db: Database,
): Promise<Map<number, number>> {
  if (topicIds.length === 0) return new Map();
  const countQuery = db
    .selectFrom('subscriptions')
    .where('topic_id', 'in', topicIds)
    .groupBy('topic_id')
    .select(({ fn }) => ['topic_id', fn.countAll<number>().as('subscribers')]);
  const rows = await queryInReadThread(countQuery.compile(), db);
  return new Map(rows.map(({ topic_id, subscribers }) => [topic_id, Number(subscribers)]));
}

export async function requireTopic(id: number, db: Database): Promise<TopicRow> {
  const row = await db.selectFrom('topics').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFoundError(NO_SUCH_TOPIC);
  return row;
}

/**
 * A repeat returns the same topic, as it was then.
 * @throws HttpError 400, 409
 */
export async function addTopic(
  fields: TopicFields,
  request: IdempotentRequest | undefined,
  transaction: Transaction<Tables>,
  now: number,
): Promise<Topic> {
  const storedResponse = await claimOrReadResponse(request, transaction, now);
  if (storedResponse !== undefined) return JSON.parse(storedResponse) as Topic;
  const row = await transaction
    .insertInto('topics')
    .values({ ...(await toValues(fields, transaction)), created_at: now, updated_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();
  const topic = toTopic(row);
  await recordAudit({ action: 'topic.add', on: topic.title }, transaction);
  await storeResponse(request, JSON.stringify(topic), transaction);
  return topic;
}

/** @throws HttpError 404; 400 for an unknown policy */
export async function updateTopic(
  id: number,
  fields: TopicFields,
  transaction: Transaction<Tables>,
  now: number,
): Promise<Topic> {
  const row = await transaction
    .updateTable('topics')
    .set({ ...(await toValues(fields, transaction)), updated_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw notFoundError(NO_SUCH_TOPIC);
  await recordAudit({ action: 'topic.change', on: row.title }, transaction);
  return toTopic(row);
}

async function toValues({ title, description, policyId }: TopicFields, db: Database) {
  if (policyId) await requirePolicy(policyId, db);
  const text = { title, description };
  return {
    ...text,
    search_key: searchKey(text),
    ...(policyId !== undefined && { policy_id: policyId }),
  };
}

/** Whether the alarm of a check-in that has not ended went to it, also by the alarm's policy. */
async function hasOpenAlarm(id: number, db: Transaction<Tables>): Promise<boolean> {
  const alarm = await db
    .selectFrom('check_in_messages')
    .innerJoin('check_ins', 'check_ins.id', 'check_in_messages.check_in_id')
    .leftJoin('escalation_steps', 'escalation_steps.message_id', 'check_in_messages.message_id')
    .innerJoin('message_topics', (join) =>
      join.on(({ or, ref, eb }) =>
        or([
          eb('message_topics.message_id', '=', ref('check_in_messages.message_id')),
          eb('message_topics.message_id', '=', ref('escalation_steps.sent_id')),
        ]),
      ),
    )
    .where('check_ins.ended_at', 'is', null)
    .where('check_in_messages.kind', '=', 'alarm')
    .where('check_in_messages.state', '=', 'open')
    .where('message_topics.topic_id', '=', id)
    .select('check_in_messages.message_id')
    .limit(1)
    .executeTakeFirst();
  return alarm !== undefined;
}

/**
 * @throws HttpError 404; 409 while a policy notifies it, as the step would silently do nothing, and
 * while check-ins alert it
 */
export async function deleteTopic(id: number, db: Transaction<Tables>): Promise<void> {
  const policy = await findPolicyNaming({ topicId: id }, db);
  if (policy !== undefined)
    throw conflictError(
      `The policy “${policy}” notifies this topic. Please change the policy first.`,
    );
  const alarm = await findCheckInSettings(db);
  if (alarm?.enabled === 1 && alarm.topic_id === id)
    throw conflictError(
      'This topic receives check-in alarms. Please choose another topic in the check-in settings first.',
    );
  if (await hasOpenAlarm(id, db))
    throw conflictError(
      'An alarm for someone who works alone went to this topic. Send the all-clear first.',
    );
  await revokeTopicKeys(id, db);
  // Deletes heartbeats before the topic, because a heartbeat’s job locks in this order.
  const { numDeletedRows } = await db
    .deleteFrom('heartbeats')
    .where('topic_id', '=', id)
    .executeTakeFirst();
  const { subscribers } = await db
    .selectFrom('subscriptions')
    .where('topic_id', '=', id)
    .select(({ fn }) => fn.countAll<number>().as('subscribers'))
    .executeTakeFirstOrThrow();
  const row = await db
    .deleteFrom('topics')
    .where('id', '=', id)
    .returning('title')
    .executeTakeFirst();
  if (row === undefined) throw notFoundError(NO_SUCH_TOPIC);
  const heartbeats = Number(numDeletedRows);
  const detail = [
    countedNoun(subscribers, 'subscriber'),
    ...(heartbeats > 0 ? [countedNoun(heartbeats, 'heartbeat')] : []),
  ].join(', ');
  await recordAudit({ action: 'topic.delete', on: row.title, detail }, db);
}
