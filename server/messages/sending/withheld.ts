/** A sender's scheduled message does not go out if they lost the right to send in the meantime. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { recordAudit } from '../../audit/record-audit';
import { MESSAGE_JOB } from '../../db/jobs/kinds';
import { addJob } from '../../db/jobs/jobs';
import { lockForShare } from '../../db/lock';
import type { MessageRow, Tables } from '../../db/schema';
import { conflictError } from '../../http/errors';
import type { Log } from '../../lib/log';
import { lockSenderRights } from '../../http/access/sender-rights';
import { auditTargetOfRow } from '../audit-target';
import { requireLockedMessage } from '../lock-message';

/**
 * Whether a scheduled message may be sent now. Locks its sender and their rights: call it before
 * the message is locked, as other transactions lock them in this order.
 */
export async function lockIfMaySend(
  id: string,
  transaction: Transaction<Tables>,
): Promise<boolean> {
  const message = await transaction
    .selectFrom('messages')
    .where('id', '=', id)
    .where('state', '=', 'scheduled')
    .where('as_sender', '=', 1)
    .select('sender_id')
    .executeTakeFirst();
  if (message === undefined) return true;
  const row = transaction
    .selectFrom('users')
    .where('id', '=', message.sender_id ?? 0)
    .where('status', '=', 'ACTIVE')
    .where('suspended_at', 'is', null)
    .select(['id', 'role']);
  const sender = await lockForShare(row, transaction).executeTakeFirst();
  if (sender === undefined) return false;
  if (sender.role === 'ADMIN') return true;
  const topics = await transaction
    .selectFrom('message_topics')
    .where('message_id', '=', id)
    .select('topic_id')
    .execute();
  return lockSenderRights(
    sender.id,
    topics.map(({ topic_id }) => topic_id),
    transaction,
  );
}

/** Whether a row of `messages` waits for an administrator. */
export const isWithheld = (now: number) =>
  sql<boolean>`messages.withheld is not null and messages.state = 'scheduled' and messages.expires_at > ${now}`;

/** Callers hold the message's lock. */
export async function withholdMessage(
  message: MessageRow,
  transaction: Transaction<Tables>,
  log: Log,
): Promise<void> {
  const { id, sender_id: sender } = message;
  const withheld = 'no-sender';
  await transaction.updateTable('messages').set({ withheld }).where('id', '=', id).execute();
  const detail = 'The sender may no longer send to one of the message’s topics';
  await recordAudit(
    { action: 'message.withhold', ...auditTargetOfRow(message), detail },
    transaction,
  );
  log.warn('message withheld: sender has lost the right to send', { message: id, sender });
}

/**
 * An administrator sends a withheld message as their own decision.
 * @throws HttpError 404, 409
 */
export async function releaseMessage(
  id: string,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const message = await requireLockedMessage(id, transaction);
  if (message.withheld === null || message.state !== 'scheduled')
    throw conflictError('This message is not withheld.');
  if (message.expires_at <= now) throw conflictError('This message has expired.');
  await transaction
    .updateTable('messages')
    .set({ withheld: null, as_sender: 0 })
    .where('id', '=', id)
    .execute();
  await addJob({ kind: MESSAGE_JOB, subject: id }, transaction, now);
  await recordAudit({ action: 'message.release', ...auditTargetOfRow(message) }, transaction);
}
