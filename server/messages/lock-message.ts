import type { Transaction } from 'kysely';
import { lockForUpdate } from '../db/lock';
import { sanitizeIdFromUrl } from '../lib/url-id';
import type { MessageRow, Tables } from '../db/schema';
import { messageNotFoundError } from '../http/errors';
import type { AudienceIds } from '../subscriptions/audience';

/** Locks a message against other writes, cancels and notifications. */
export async function lockMessage(
  id: string,
  transaction: Transaction<Tables>,
): Promise<MessageRow | undefined> {
  const message = transaction
    .selectFrom('messages')
    .selectAll()
    .where('id', '=', sanitizeIdFromUrl(id));
  return lockForUpdate(message, transaction).executeTakeFirst();
}

export async function lockMessages(
  ids: readonly string[],
  transaction: Transaction<Tables>,
): Promise<Map<string, MessageRow>> {
  const messages = transaction.selectFrom('messages').selectAll().where('id', 'in', ids);
  const rows = await lockForUpdate(messages.orderBy('id'), transaction).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** @throws HttpError 404, also for tests and digests */
export async function requireLockedMessage(
  id: string,
  transaction: Transaction<Tables>,
): Promise<MessageRow> {
  const message = await lockMessage(id, transaction);
  if (message === undefined || message.kind !== 'message') throw messageNotFoundError();
  return message;
}

/** The sender as shown: a username or a topic key. */
export const senderName = ({
  sender,
  key_name,
}: Pick<MessageRow, 'key_name'> & { sender: string | null }): string | null =>
  key_name === null ? sender : `key: ${key_name}`;

export const readStoredAudience = ({ audience }: Pick<MessageRow, 'audience'>): AudienceIds =>
  JSON.parse(audience) as AudienceIds;
