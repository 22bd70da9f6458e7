import type { Transaction } from 'kysely';
import { lockForUpdate } from '../db/lock';
import { asTypedId } from '../lib/typed-id';
import type { MessageRow, Tables } from '../db/schema';
import { noSuchMessage } from '../http/errors';
import type { AudienceIds } from '../subscriptions/audience';

/**
 * A message, to be changed by this transaction alone: no other writes, cancels or repeats it
 * meanwhile.
 */
export async function lockMessage(
  id: string,
  transaction: Transaction<Tables>,
): Promise<MessageRow | undefined> {
  const message = transaction.selectFrom('messages').selectAll().where('id', '=', asTypedId(id));
  return lockForUpdate(message, transaction).executeTakeFirst();
}

/** As `lockMessage`, of several. Each transaction takes them in the order of their ids. */
export async function lockMessages(
  ids: readonly string[],
  transaction: Transaction<Tables>,
): Promise<Map<string, MessageRow>> {
  const messages = transaction.selectFrom('messages').selectAll().where('id', 'in', ids);
  const rows = await lockForUpdate(messages.orderBy('id'), transaction).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** @throws HttpError 404, also for tests of devices and for digests */
export async function findMessage(
  id: string,
  transaction: Transaction<Tables>,
): Promise<MessageRow> {
  const message = await lockMessage(id, transaction);
  if (message === undefined || message.kind !== 'message') throw noSuchMessage();
  return message;
}

/** Who sent it, as people are told: a person by name, or a machine. */
export const senderName = ({
  sender,
  key_name,
}: Pick<MessageRow, 'key_name'> & { sender: string | null }): string | null =>
  key_name === null ? sender : `key: ${key_name}`;

/** For whom a message is. */
export const audienceOfRow = ({ audience }: MessageRow): AudienceIds =>
  JSON.parse(audience) as AudienceIds;
