/** What is counted of a page of messages: devices from the outbox, people from the ledger. */
import type { People } from '../../../src/shared/contract';
import type { Database } from '../../db/open';
import type { DeliveryState, MessageRow, PushState } from '../../db/schema';
import { EVERYBODY } from '../../subscriptions/audience';
import type { Range } from '../../subscriptions/audience';
import { MANY, recipientRanges } from '../recipient-ranges';

export type DeviceCounts = Partial<Record<DeliveryState, number>>;

/** Each is a range of the index on message and state. */
export async function countPushedDevices(
  messageIds: string[],
  db: Database,
): Promise<Map<string, DeviceCounts>> {
  const counts = new Map<string, DeviceCounts>();
  if (messageIds.length === 0) return counts;
  const rows = await db
    .selectFrom('deliveries')
    .where('message_id', 'in', messageIds)
    .select(({ fn }) => ['message_id', 'state', fn.countAll<number>().as('devices')])
    .groupBy(['message_id', 'state'])
    .execute();
  for (const row of rows)
    counts.set(row.message_id, { ...counts.get(row.message_id), [row.state]: row.devices });
  return counts;
}

/** Of these messages, those that ended while pushes of them still waited. */
export async function findCutOff(messageIds: string[], db: Database): Promise<Set<string>> {
  if (messageIds.length === 0) return new Set();
  const rows = await db
    .selectFrom('deliveries')
    .where('message_id', 'in', messageIds)
    .where('state', '=', 'failed')
    .where('reason', '=', 'expired')
    .select('message_id')
    .distinct()
    .execute();
  return new Set(rows.map((row) => row.message_id));
}

/** Of which message, and for how many people it is. */
type Counted = Pick<MessageRow, 'id' | 'people'>;

/**
 * What the ledger says of these messages: of those to many it is asked for some ten thousand people
 * at a time, so that no statement takes longer for a larger message.
 * @param many so many people at a time
 * @param ask of which messages, and of whom
 */
async function askLedger<Row>(
  messages: readonly Counted[],
  db: Database,
  many: number,
  ask: (ids: string[], range: Range) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  const few = messages.filter(({ people }) => people <= many).map(({ id }) => id);
  if (few.length > 0) rows.push(...(await ask(few, EVERYBODY)));
  for (const { id, people } of messages) {
    if (people <= many) continue;
    for await (const range of recipientRanges(id, db, many)) rows.push(...(await ask([id], range)));
  }
  return rows;
}

/**
 * Who saw the message all the same, in the app, counts among those who did, whatever became of the
 * pushes.
 * @param many given only by tests
 */
export async function countRecipients(
  messages: readonly Counted[],
  db: Database,
  many = MANY,
): Promise<Map<string, Required<People>>> {
  const rows = await askLedger(messages, db, many, (ids, { after, upTo }) =>
    db
      .selectFrom('recipients')
      .where('message_id', 'in', ids)
      .where('user_id', '>', after)
      .where('user_id', '<=', upTo)
      .select(({ fn }) => {
        const unseen = (state: PushState) =>
          fn
            .countAll<number>()
            .filterWhere('displayed_at', 'is', null)
            .filterWhere('state', '=', state)
            .as(state);
        return [
          'message_id',
          fn.countAll<number>().as('total'),
          unseen('unreachable'),
          unseen('muted'),
          unseen('held'),
          fn.count<number>('displayed_at').as('displayed'),
          fn.count<number>('read_at').as('read'),
          fn.count<number>('acknowledged_at').as('acknowledged'),
          unseen('pending'),
          unseen('accepted'),
          unseen('failed'),
        ];
      })
      // In the order of the index: by anything more, SQLite would sort all of them first.
      .groupBy('message_id')
      .execute(),
  );
  const counts = new Map<string, Required<People>>();
  for (const { message_id, ...people } of rows)
    counts.set(message_id, sum(counts.get(message_id) ?? NO_ONE, people));
  return counts;
}

/** Of a message that has not left. */
export const NO_ONE: Required<People> = {
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
};

function sum(one: Required<People>, other: Required<People>): Required<People> {
  const both = { ...one };
  for (const name of Object.keys(both) as (keyof People)[]) both[name] += other[name];
  return both;
}

/** How many chose each answer. */
export type RecipientTally = ReadonlyMap<string, number>;

/** Only of messages that somebody answered. @param many given only by tests */
export async function countAnswers(
  messages: readonly Counted[],
  db: Database,
  many = MANY,
): Promise<Map<string, RecipientTally>> {
  const rows = await askLedger(messages, db, many, (ids, { after, upTo }) =>
    db
      .selectFrom('recipients')
      .where('message_id', 'in', ids)
      .where('user_id', '>', after)
      .where('user_id', '<=', upTo)
      .where('answer', 'is not', null)
      .select(({ fn }) => ['message_id', 'answer', fn.countAll<number>().as('people')])
      .groupBy(['message_id', 'answer'])
      .execute(),
  );
  const tallies = new Map<string, Map<string, number>>();
  for (const { message_id, answer, people } of rows) {
    const tally = tallies.get(message_id) ?? new Map<string, number>();
    tally.set(answer ?? '', (tally.get(answer ?? '') ?? 0) + people);
    tallies.set(message_id, tally);
  }
  return tallies;
}

export type TopicNames = { id: number; title: string }[];

/** In the sender's order, as they are called now. */
export async function readTopicsOf(
  messageIds: string[],
  db: Database,
): Promise<Map<string, TopicNames>> {
  const topics = new Map<string, TopicNames>();
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
