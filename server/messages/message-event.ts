/** Webhook events of messages. They contain no emails and no tokens. */
import type { Transaction } from 'kysely';
import type { Priority, Timestamp, Topic } from '../../src/shared/contract';
import type { Database } from '../db/open';
import type { Tables } from '../db/schema';
import { addWebhookCalls } from '../db/webhook-calls';
import { senderName } from './lock-message';
import { readTopicsByMessage } from './progress/counts';
import { toTime } from '../lib/clock';

interface MessageEvent {
  id: string;
  /** The sender's, else the first topic's, else `Fieldbell`. */
  title: string;
  text: string;
  priority: Priority;
  answers: string[];
  topics: Pick<Topic, 'id' | 'title'>[];
  /** A username, or `key: NAME`; null if the person was deleted, or if Fieldbell sent it. */
  sender: string | null;
  people: number;
  /** The number of the message's text, from 1. */
  revision: number;
  sentAt: Timestamp;
  expiresAt: Timestamp;
}

/** @returns undefined for tests and digests */
export async function describeEvent(
  messageId: string,
  db: Database,
): Promise<MessageEvent | undefined> {
  const row = await db
    .selectFrom('messages')
    .leftJoin('users', 'users.id', 'messages.sender_id')
    .selectAll('messages')
    .select('users.username as sender')
    .where('messages.id', '=', messageId)
    .where('messages.kind', '=', 'message')
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const topics = (await readTopicsByMessage([messageId], db)).get(messageId) ?? [];
  return {
    id: messageId,
    title: row.title ?? (row.topic_title || 'Fieldbell'),
    text: row.text,
    priority: row.priority,
    answers: JSON.parse(row.answers) as string[],
    topics,
    sender: senderName(row),
    people: row.people,
    revision: row.revision,
    sentAt: toTime(row.send_at ?? row.created_at),
    expiresAt: toTime(row.expires_at),
  };
}

export const addSentEvent = (
  messageId: string,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> => addMessageEvent('message.sent', messageId, transaction, now);

/** @param more what the event contains besides its message */
export async function addMessageEvent(
  event: 'message.sent' | 'message.corrected' | 'message.all-clear',
  messageId: string,
  transaction: Transaction<Tables>,
  now: number,
  more: object = {},
): Promise<void> {
  await addWebhookCalls(
    event,
    async () => {
      const message = await describeEvent(messageId, transaction);
      return message === undefined ? [] : [{ message, ...more }];
    },
    transaction,
    now,
  );
}
