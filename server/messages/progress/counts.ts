/** Counts for a page of messages: devices from the outbox, people from the ledger. */
import { sql } from 'kysely';
import type { ExpressionBuilder } from 'kysely';
import type { People, TeamReference } from '../../../src/shared/contract';
import { idList, idTable } from '../../db/json-table';
import type { Database } from '../../db/open';
import type { DeliveryState, MessageRow, PushState, Tables } from '../../db/schema';
import { FULL_RANGE } from '../../subscriptions/audience';
import type { IdRange } from '../../subscriptions/audience';
import { readStoredAudience } from '../lock-message';
import { RANGE_SIZE, recipientRanges } from '../recipient-ranges';

export type DeviceCounts = Partial<Record<DeliveryState, number>>;

type PushedMessage = Pick<MessageRow, 'id' | 'all_clear_at' | 'revision_round'>;

/** The pushes of the messages, without the pushes of their all-clears. */
const ofMessages =
  (messages: readonly PushedMessage[]) =>
  ({ eb, and, or }: ExpressionBuilder<Tables, 'deliveries'>) => {
    const openIds = messages.flatMap(({ id, all_clear_at }) => (all_clear_at === null ? id : []));
    return or([
      ...(openIds.length > 0 ? [eb('message_id', 'in', openIds)] : []),
      ...messages
        .filter(({ all_clear_at }) => all_clear_at !== null)
        .map(({ id, revision_round }) =>
          and([eb('message_id', '=', id), eb('round', '<', revision_round)]),
        ),
    ]);
  };

/** Each count is a range of the index on message and state, except after the all-clear. */
export async function countPushedDevices(
  messages: readonly PushedMessage[],
  db: Database,
): Promise<Map<string, DeviceCounts>> {
  const counts = new Map<string, DeviceCounts>();
  if (messages.length === 0) return counts;
  const rows = await db
    .selectFrom('deliveries')
    .where(ofMessages(messages))
    .select(({ fn }) => ['message_id', 'state', fn.countAll<number>().as('devices')])
    .groupBy(['message_id', 'state'])
    .execute();
  for (const row of rows)
    counts.set(row.message_id, { ...counts.get(row.message_id), [row.state]: row.devices });
  return counts;
}

/** Finds the messages that expired with pending pushes. */
export async function findExpiredWhilePending(
  messages: readonly PushedMessage[],
  db: Database,
): Promise<Set<string>> {
  if (messages.length === 0) return new Set();
  const rows = await db
    .selectFrom('deliveries')
    .where(ofMessages(messages))
    .where('state', '=', 'failed')
    .where('reason', '=', 'expired')
    .select('message_id')
    .distinct()
    .execute();
  return new Set(rows.map((row) => row.message_id));
}

type CountedMessage = Pick<MessageRow, 'id' | 'people'>;

/** Large messages are read in ranges, so that no statement takes longer for them. */
async function queryLedger<Row>(
  messages: readonly CountedMessage[],
  db: Database,
  rangeSize: number,
  query: (ids: string[], range: IdRange) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  const smallMessages = messages.filter(({ people }) => people <= rangeSize).map(({ id }) => id);
  if (smallMessages.length > 0) rows.push(...(await query(smallMessages, FULL_RANGE)));
  for (const { id, people } of messages) {
    if (people <= rangeSize) continue;
    for await (const range of recipientRanges(id, db, rangeSize))
      rows.push(...(await query([id], range)));
  }
  return rows;
}

/** Whether a row of `recipients` was reached through one of these topics. */
export const wasReachedThrough = (topicIds: readonly number[]) =>
  sql<boolean>`(recipients.topic_id in ${idList(topicIds)} or recipients.more_topics is not null
    and exists (select 1 from ${idTable(topicIds)} as own
      where recipients.more_topics like '%,' || own.id || ',%'))`;

/**
 * Whether a recipient was shown the newest correction. People who answered an earlier text have
 * seen that text, and perhaps not the correction.
 */
const wasShownCorrection = sql<boolean>`(recipients.revision > 1
  and (recipients.correction_displayed_at is not null
    or (recipients.displayed_at is not null and recipients.acknowledged_at is null)))`;
export const lacksCorrection = sql<boolean>`(not ${wasShownCorrection}
  and (select revision from messages where messages.id = recipients.message_id) > 1)`;

/** Whether a recipient was not shown the message's all-clear. */
export const lacksAllClear = sql<boolean>`(recipients.all_clear_displayed_at is null
  and (select all_clear_at from messages where messages.id = recipients.message_id) is not null)`;

/** Whether the answer that counts is to an earlier text. Older versions did not record it: then its time decides. */
const answeredEarlierText = sql<boolean>`(recipients.revision > 1 and recipients.acknowledged_at is not null
  and case when recipients.answer_revision is null
    then recipients.acknowledged_at < (select revised_at from messages where messages.id = recipients.message_id)
    else recipients.answer_revision < recipients.revision end)`;

/**
 * A person who saw the message in the app counts as displayed, whatever the outcome of the pushes.
 * @param topicIds only people reached through these topics
 */
export async function countRecipients(
  messages: readonly CountedMessage[],
  db: Database,
  rangeSize = RANGE_SIZE,
  topicIds?: readonly number[],
): Promise<Map<string, Required<People>>> {
  const rows = await queryLedger(messages, db, rangeSize, (ids, { after, upTo }) =>
    db
      .selectFrom('recipients')
      .where('message_id', 'in', ids)
      .where('user_id', '>', after)
      .where('user_id', '<=', upTo)
      .$if(topicIds !== undefined, (query) => query.where(wasReachedThrough(topicIds ?? [])))
      .select(({ fn }) => {
        const countUnseen = (state: PushState) =>
          fn
            .countAll<number>()
            .filterWhere('displayed_at', 'is', null)
            .filterWhere('state', '=', state)
            .as(state);
        return [
          'message_id',
          fn.countAll<number>().as('total'),
          countUnseen('unreachable'),
          countUnseen('muted'),
          countUnseen('held'),
          fn.count<number>('displayed_at').as('displayed'),
          fn.count<number>('read_at').as('read'),
          fn.count<number>('acknowledged_at').as('acknowledged'),
          countUnseen('pending'),
          countUnseen('accepted'),
          countUnseen('failed'),
          fn.countAll<number>().filterWhere(wasShownCorrection).as('correctionDisplayed'),
          fn.countAll<number>().filterWhere(answeredEarlierText).as('answeredEarlierText'),
          fn.count<number>('all_clear_displayed_at').as('allClearDisplayed'),
        ];
      })
      // Groups in the index's order: SQLite would sort all rows for anything more.
      .groupBy('message_id')
      .execute(),
  );
  const counts = new Map<string, Required<People>>();
  for (const { message_id, ...people } of rows)
    counts.set(message_id, addPeople(counts.get(message_id) ?? NO_PEOPLE, people));
  return counts;
}

export const NO_PEOPLE: Required<People> = {
  total: 0,
  unreachable: 0,
  muted: 0,
  held: 0,
  displayed: 0,
  read: 0,
  acknowledged: 0,
  pending: 0,
  accepted: 0,
  failed: 0,
  correctionDisplayed: 0,
  answeredEarlierText: 0,
  allClearDisplayed: 0,
};

function addPeople(people: Required<People>, other: Required<People>): Required<People> {
  const total = { ...people };
  for (const name of Object.keys(total) as (keyof People)[]) total[name] += other[name];
  return total;
}

export type RecipientTally = ReadonlyMap<string, number>;

/**
 * Messages without answers are left out.
 * @param topicIds as above
 */
export async function countAnswers(
  messages: readonly CountedMessage[],
  db: Database,
  rangeSize = RANGE_SIZE,
  topicIds?: readonly number[],
): Promise<Map<string, RecipientTally>> {
  const rows = await queryLedger(messages, db, rangeSize, (ids, { after, upTo }) =>
    db
      .selectFrom('recipients')
      .where('message_id', 'in', ids)
      .where('user_id', '>', after)
      .where('user_id', '<=', upTo)
      .where('answer', 'is not', null)
      .$if(topicIds !== undefined, (query) => query.where(wasReachedThrough(topicIds ?? [])))
      .select(({ fn }) => ['message_id', 'answer', fn.countAll<number>().as('people')])
      .groupBy(['message_id', 'answer'])
      .execute(),
  );
  const countsByMessage = new Map<string, Map<string, number>>();
  for (const { message_id, answer, people } of rows) {
    const answerCounts = countsByMessage.get(message_id) ?? new Map<string, number>();
    answerCounts.set(answer ?? '', (answerCounts.get(answer ?? '') ?? 0) + people);
    countsByMessage.set(message_id, answerCounts);
  }
  return countsByMessage;
}

export type TopicTitles = { id: number; title: string }[];

export async function readTopicsByMessage(
  messageIds: string[],
  db: Database,
): Promise<Map<string, TopicTitles>> {
  const topics = new Map<string, TopicTitles>();
  if (messageIds.length === 0) return topics;
  const rows = await db
    .selectFrom('message_topics')
    .innerJoin('topics', 'topics.id', 'message_topics.topic_id')
    .where('message_topics.message_id', 'in', messageIds)
    .select(['message_topics.message_id', 'topics.id', 'topics.title'])
    .orderBy('message_topics.position')
    .execute();
  for (const { message_id, ...topic } of rows)
    topics.set(message_id, [...(topics.get(message_id) ?? []), topic]);
  return topics;
}

/** The teams that messages were sent to, by message, without deleted teams. */
export async function readTeamsOfMessages(
  rows: readonly MessageRow[],
  db: Database,
): Promise<Map<string, TeamReference[]>> {
  const teamMessages = rows.flatMap((row) => {
    // Most audiences have no teams, but the ids of thousands of people.
    const { teamIds = [] } = row.audience.includes('"teamIds"') ? readStoredAudience(row) : {};
    return teamIds.length > 0 ? [{ id: row.id, teamIds }] : [];
  });
  if (teamMessages.length === 0) return new Map();
  const teams = await db
    .selectFrom('teams')
    .where('id', 'in', idList(teamMessages.flatMap(({ teamIds }) => teamIds)))
    .select(['id', 'name'])
    .orderBy('name_key')
    .execute();
  return new Map(
    teamMessages.map(({ id, teamIds }) => [id, teams.filter((team) => teamIds.includes(team.id))]),
  );
}
