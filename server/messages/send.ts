/** Sending a message to a topic: stored together with its outbox rows, delivered behind the answer. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { Database } from '../db/open';
import type { Tables, TopicRow } from '../db/schema';
import { fold } from '../fold';
import { keyTaken } from '../http/idempotency';
import { devicesOfTopic, inForce } from '../subscriptions/reach';
import { findTopic } from '../topics/topics';

/** News from the field is stale after a day: what could not be delivered by then is given up. */
const LIFETIME_MILLISECONDS = 24 * 60 * 60 * 1000;

interface Sending {
  topicId: number;
  text: string;
  senderId: number;
  /** Repeating a request with the same key sends nothing twice. */
  idempotencyKey: string | undefined;
}

/**
 * Stores the message and one delivery for each device that has the topic enabled, all or nothing.
 * @returns the message's id and a sentence for the sender
 * @throws HttpError 404 without the topic; 409 if the key was used for another message
 */
export async function send(sending: Sending, db: Database, now: number): Promise<{ message: string; messageId: string }> {
  return db.transaction().execute(async (transaction) => {
    const topic = await findTopic(sending.topicId, transaction);
    const messageId = await insertMessage(sending, topic, transaction, now);
    if (messageId === undefined) return repeat(sending, transaction);
    await insertDeliveries(messageId, topic.id, transaction, now);
    const answer = await describeReach(messageId, topic.id, transaction);
    await transaction.updateTable('messages').set({ answer }).where('id', '=', messageId).execute();
    return { message: answer, messageId };
  });
}

/** @returns undefined if this sender used the key before */
async function insertMessage(sending: Sending, topic: TopicRow, transaction: Transaction<Tables>, now: number): Promise<string | undefined> {
  const row = await transaction
    .insertInto('messages')
    .values({
      id: randomUUID(),
      topic_id: topic.id,
      topic_title: topic.title,
      sender_id: sending.senderId,
      text: sending.text,
      search_key: fold(`${topic.title}\n${sending.text}`),
      created_at: now,
      expires_at: now + LIFETIME_MILLISECONDS,
      idempotency_key: sending.idempotencyKey ?? null,
    })
    .onConflict((taken) => taken.columns(['sender_id', 'idempotency_key']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

async function repeat(sending: Sending, transaction: Transaction<Tables>): Promise<{ message: string; messageId: string }> {
  const before = await transaction
    .selectFrom('messages')
    .select(['id', 'topic_id', 'text', 'answer'])
    .where('sender_id', '=', sending.senderId)
    .where('idempotency_key', '=', sending.idempotencyKey ?? null)
    .executeTakeFirstOrThrow();
  if (before.topic_id !== sending.topicId || before.text !== sending.text) {
    throw keyTaken('message');
  }
  return { message: before.answer, messageId: before.id };
}

async function insertDeliveries(messageId: string, topicId: number, transaction: Transaction<Tables>, now: number): Promise<void> {
  const time = sql<number>`cast(${now} as bigint)`;
  await transaction
    .insertInto('deliveries')
    .columns(['message_id', 'device_id', 'device_type', 'state', 'due_at', 'updated_at'])
    .expression(
      devicesOfTopic(topicId, transaction)
        .where(inForce, '=', 1)
        .select([
          sql<string>`cast(${messageId} as text)`.as('message_id'),
          'devices.id as device_id',
          'devices.type as device_type',
          sql<'pending'>`'pending'`.as('state'),
          time.as('due_at'),
          time.as('updated_at'),
        ]),
    )
    .execute();
}

/** What the sender is told, from the rows that the message really has. */
async function describeReach(messageId: string, topicId: number, transaction: Transaction<Tables>): Promise<string> {
  const { devices, people } = await transaction
    .selectFrom('deliveries')
    .leftJoin('devices', 'devices.id', 'deliveries.device_id')
    .where('deliveries.message_id', '=', messageId)
    .select(({ fn }) => [fn.countAll<number>().as('devices'), fn.count<number>('devices.user_id').distinct().as('people')])
    .executeTakeFirstOrThrow();
  if (devices > 0) return `Notification sent to ${amount(devices, 'device')} of ${amount(people, 'subscriber')}.`;
  const { subscribers } = await transaction
    .selectFrom('subscriptions')
    .where('topic_id', '=', topicId)
    .select(({ fn }) => fn.countAll<number>().as('subscribers'))
    .executeTakeFirstOrThrow();
  if (subscribers === 0) return 'Nobody was notified: this topic has no subscribers yet.';
  const nobody = subscribers === 1 ? 'the only subscriber has no' : `none of the ${subscribers} subscribers has a`;
  return `Nobody was notified: ${nobody} device with notifications enabled for this topic.`;
}

const amount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
