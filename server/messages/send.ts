/**
 * Sending a message to a topic: stored together with its outbox rows, delivered behind the answer.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { Transact } from '../http/authority';
import { effectiveEnabled } from '../db/effective-preference';
import { firstKey } from '../db/outbox';
import type { Tables, TopicRow } from '../db/schema';
import { foldCase } from '../lib/case-fold';
import { keyTaken } from '../http/idempotency';
import { devicesOfTopic } from '../topics/reach';
import { findTopic } from '../topics/topics';

/** News from the field is stale after a day: what could not be delivered by then is given up. */
const LIFETIME_MILLISECONDS = 24 * 60 * 60 * 1000;

/** What the sender is told, the message's id, and whether it goes to any device. */
export interface Accepted {
  message: string;
  messageId: string;
  notified: boolean;
}

interface Sending {
  topicId: number;
  text: string;
  senderId: number;
  /** Repeating a request with the same key sends nothing twice. */
  idempotencyKey: string | undefined;
}

/**
 * Stores the message and one delivery for each device that has the topic enabled, all or nothing.
 * @throws HttpError 404 without the topic; 409 if the key was used for another message
 */
export async function send(sending: Sending, transact: Transact, now: number): Promise<Accepted> {
  return transact(async (transaction) => {
    // Before the topic is looked up: what was sent was sent, even if its topic is deleted now.
    const before = await findRepeated(sending, transaction);
    if (before !== undefined) return before;
    const topic = await findTopic(sending.topicId, transaction);
    const messageId = await insertMessage(sending, topic, transaction, now);
    // Sent by the same request at this very moment: whoever came second has waited for it.
    if (messageId === undefined)
      return (await findRepeated(sending, transaction)) ?? Promise.reject(keyTaken('message'));
    await insertDeliveries(messageId, topic.id, transaction, now);
    const message = describeReach(
      await countReached(messageId, transaction),
      await countSubscribers(topic.id, transaction),
    );
    await transaction
      .updateTable('messages')
      .set({ answer: message })
      .where('id', '=', messageId)
      .execute();
    return accepted(messageId, message);
  });
}

/** @returns undefined if this sender used the key before */
async function insertMessage(
  sending: Sending,
  topic: TopicRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<string | undefined> {
  const row = await transaction
    .insertInto('messages')
    .values({
      id: randomUUID(),
      topic_id: topic.id,
      topic_title: topic.title,
      sender_id: sending.senderId,
      text: sending.text,
      search_key: foldCase(`${topic.title}\n${sending.text}`),
      created_at: now,
      expires_at: now + LIFETIME_MILLISECONDS,
      idempotency_key: sending.idempotencyKey ?? null,
    })
    .onConflict((taken) => taken.columns(['sender_id', 'idempotency_key']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

/**
 * What was answered to this very request before. @throws HttpError 409 if the key was used for
 * another message
 */
async function findRepeated(
  sending: Sending,
  transaction: Transaction<Tables>,
): Promise<Accepted | undefined> {
  if (sending.idempotencyKey === undefined) return undefined;
  const before = await transaction
    .selectFrom('messages')
    .select(['id', 'topic_id', 'text', 'answer'])
    .where('sender_id', '=', sending.senderId)
    .where('idempotency_key', '=', sending.idempotencyKey)
    .executeTakeFirst();
  if (before === undefined) return undefined;
  // Null once the topic was deleted.
  if ((before.topic_id ?? sending.topicId) !== sending.topicId || before.text !== sending.text)
    throw keyTaken('message');
  return accepted(before.id, before.answer);
}

async function insertDeliveries(
  messageId: string,
  topicId: number,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const time = sql<number>`cast(${now} as bigint)`;
  await transaction
    .insertInto('deliveries')
    .columns([
      'message_id',
      'device_id',
      'device_type',
      'state',
      'due_at',
      'updated_at',
      'service_id',
      'sort_key',
    ])
    .expression(
      devicesOfTopic(topicId, transaction)
        .where(effectiveEnabled, '=', 1)
        .select([
          sql<string>`cast(${messageId} as text)`.as('message_id'),
          'devices.id as device_id',
          'devices.type as device_type',
          sql<'pending'>`'pending'`.as('state'),
          time.as('due_at'),
          time.as('updated_at'),
          'devices.service_id as service_id',
          firstKey(now).as('sort_key'),
        ]),
    )
    .execute();
}

/** How many people are notified, counted in the rows that the message really has. */
async function countReached(messageId: string, transaction: Transaction<Tables>): Promise<number> {
  const { people } = await transaction
    .selectFrom('deliveries')
    .leftJoin('devices', 'devices.id', 'deliveries.device_id')
    .where('deliveries.message_id', '=', messageId)
    .select(({ fn }) => fn.count<number>('devices.user_id').distinct().as('people'))
    .executeTakeFirstOrThrow();
  return people;
}

async function countSubscribers(
  topicId: number,
  transaction: Transaction<Tables>,
): Promise<number> {
  const { subscribers } = await transaction
    .selectFrom('subscriptions')
    .where('topic_id', '=', topicId)
    .select(({ fn }) => fn.countAll<number>().as('subscribers'))
    .executeTakeFirstOrThrow();
  return subscribers;
}

const NOBODY = 'Sent, but nobody is notified now:';

/** What the sender is told. */
function describeReach(people: number, subscribers: number): string {
  if (people > 0)
    return `Sent. ${people} of ${subscribers} ${subscribers === 1 ? 'subscriber is' : 'subscribers are'} notified now.`;
  if (subscribers === 0) return `${NOBODY} this topic has no subscribers yet.`;
  const none =
    subscribers === 1
      ? 'the only subscriber has no'
      : `none of the ${subscribers} subscribers has a`;
  return `${NOBODY} ${none} device with notifications enabled for this topic.`;
}

/** The sentence is kept with the message, so that a repeated request is answered alike. */
const accepted = (messageId: string, message: string): Accepted => ({
  message,
  messageId,
  notified: !message.startsWith(NOBODY),
});
