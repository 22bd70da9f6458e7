/** The round that brings a correction or an all-clear to all recipients, in chunks. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { isUnclaimed } from '../../db/claim-rows';
import { idTable } from '../../db/json-table';
import { NOTIFY_AGAIN_JOB, REVISION_JOB } from '../../db/jobs/kinds';
import { addJob, dropJobs } from '../../db/jobs/jobs';
import { lockForUpdate, lockSkippingLocked } from '../../db/lock';
import { cancelRowsOfDevices } from '../../db/outbox/maintenance';
import { firstOrderKey } from '../../db/outbox/queue-order';
import { writeRecipientReceipts } from '../../db/recipient-receipts';
import type { MessageRow, RecipientRow, Tables } from '../../db/schema';
import { countAnswered } from '../../escalation/count-answered';
import { lockEscalating, resumeEscalations } from '../../escalation/stop-escalation';
import type { AudienceMember, IdRange } from '../../subscriptions/audience';
import { holdForQuietHours } from '../held-messages/hold';
import { NO_ROUND } from '../notify-again';
import { nextRange } from '../recipient-ranges';
import { readStillWanted, writeRound } from '../write-round';
import { MAX_RECIPIENTS_WRITTEN_AT_ONCE, LEDGER_CHUNK_SIZE } from '../sending/ledger';
import { dropNotifiedDevices } from './alarms-of-check-in';
import { receiptsOfAllClear, receiptsOfRevision } from './answer-revisions';

type RevisionCursor = Pick<MessageRow, 'revised_to' | 'next_key'>;

/** Begins the round; for more than 5,000 people, a job continues it. */
export async function sendRevision(
  message: MessageRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  // Everyone is notified anyway.
  await dropJobs([NOTIFY_AGAIN_JOB], message.id, transaction);
  const rounds = message.rounds + 1;
  // While the message is being written, `written_to` says how far.
  const written_to = message.state === 'writing' ? message.written_to : NO_ROUND;
  const round = { rounds, revision_round: rounds, written_to };
  const revision = { ...message, ...round, revised_to: 0, next_key: firstOrderKey(message, now) };
  const { next_key, revised_to } = revision;
  await transaction
    .updateTable('messages')
    .set({ ...round, next_key, revised_to })
    .where('id', '=', message.id)
    .execute();
  if (message.people > MAX_RECIPIENTS_WRITTEN_AT_ONCE)
    return addJob({ kind: REVISION_JOB, subject: message.id }, transaction, now);
  for (let cursor = revision; cursor.revised_to !== NO_ROUND; )
    cursor = { ...cursor, ...(await reviseRecipients(cursor, transaction, now)) };
}

/** Whether people are still to get a correction or an all-clear. */
export const isRevising = (
  { expires_at, revised_to }: Pick<MessageRow, 'expires_at' | 'revised_to'>,
  now: number,
): boolean => expires_at > now && revised_to !== NO_ROUND;

/**
 * A step of the job.
 * @returns whether it is complete
 */
export async function continueRevision(
  message: MessageRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<boolean> {
  // The message expired, or another process completed the round.
  if (!isRevising(message, now)) return true;
  return (await reviseRecipients(message, transaction, now)).revised_to === NO_ROUND;
}

async function reviseRecipients(
  message: MessageRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<RevisionCursor> {
  const range = await nextRange(message.id, message.revised_to, LEDGER_CHUNK_SIZE, transaction);
  const waiting = await lockWaitingDevices(message.id, range, transaction, now);
  if (message.priority === 'info') await lockInboxes(message.id, range, transaction);
  const recipients = transaction
    .selectFrom('recipients')
    .selectAll()
    .where('message_id', '=', message.id)
    .where('user_id', '>', range.after)
    .where('user_id', '<=', range.upTo)
    .orderBy('user_id');
  let rows = await lockForUpdate(recipients, transaction).execute();
  if (message.all_clear_at !== null && waiting.size > 0) {
    // These devices get new pushes with the all-clear. Their waiting pushes end as `cleared`.
    await cancelRowsOfDevices(message.id, [...waiting.keys()], 'cleared', transaction, now);
    waiting.clear();
    rows = await recipients.execute();
  }
  const people = await updateReceipts(message, rows, transaction);
  await markAsAwaitingNewText(message.id, waiting.values(), transaction);
  const elsewhere = await dropNotifiedDevices(message, range, transaction, now);
  const notifiedIds = new Set([...waiting.keys(), ...elsewhere]);
  const next_key = await notifyOthers(message, people, notifiedIds, transaction, now);
  const revised_to = rows.length < LEDGER_CHUNK_SIZE ? NO_ROUND : range.upTo;
  const cursor = { revised_to, next_key };
  await transaction.updateTable('messages').set(cursor).where('id', '=', message.id).execute();
  if (revised_to === NO_ROUND) await resumeIfCalled(message.id, transaction, now);
  return cursor;
}

/** During the round, a call for help cannot continue an escalation that answers had stopped. */
async function resumeIfCalled(
  id: string,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const escalating = await lockEscalating([id], transaction, now);
  const message = escalating.get(id);
  if (!message?.stopped) return;
  const { callsForHelp } = await countAnswered({ id, ...message }, transaction);
  if (callsForHelp > 0) await resumeEscalations([id], escalating, transaction, now);
}

/**
 * Devices, with their people, that have a push of any round that has not been claimed: it will
 * carry the new text. The rows are locked, so that no process claims them before this transaction
 * ends.
 */
async function lockWaitingDevices(
  messageId: string,
  { after, upTo }: IdRange,
  transaction: Transaction<Tables>,
  now: number,
): Promise<Map<number, number>> {
  const rows = await lockSkippingLocked(
    transaction
      .selectFrom('deliveries')
      .select(['device_id', 'user_id'])
      .where('message_id', '=', messageId)
      .where('state', '=', 'pending')
      .where('user_id', '>', after)
      .where('user_id', '<=', upTo)
      .where(isUnclaimed(now))
      .orderBy('id'),
    transaction,
  ).execute();
  return new Map(rows.map(({ device_id, user_id }) => [device_id, user_id]));
}

/** Pushes of the earlier text say nothing about the new text. */
async function markAsAwaitingNewText(
  messageId: string,
  userIds: Iterable<number>,
  transaction: Transaction<Tables>,
): Promise<void> {
  const ids = [...new Set(userIds)];
  if (ids.length === 0) return;
  await transaction
    .updateTable('recipients')
    .set({ state: 'pending' })
    .where('message_id', '=', messageId)
    .where('user_id', 'in', sql<number>`(select id from ${idTable(ids)} as waiting)`)
    .where('state', 'in', ['accepted', 'failed'])
    .execute();
}

/** Inboxes are locked before the ledger, because quiet hours are read. */
async function lockInboxes(
  messageId: string,
  { after, upTo }: IdRange,
  transaction: Transaction<Tables>,
): Promise<void> {
  const people = transaction
    .selectFrom('recipients')
    .where('message_id', '=', messageId)
    .where('user_id', '>', after)
    .where('user_id', '<=', upTo)
    .select('user_id');
  const inboxes = transaction
    .selectFrom('inboxes')
    .select('user_id')
    .where('user_id', 'in', people)
    .orderBy('user_id');
  await lockForUpdate(inboxes, transaction).execute();
}

async function updateReceipts(
  message: MessageRow,
  rows: readonly RecipientRow[],
  transaction: Transaction<Tables>,
): Promise<RecipientRow[]> {
  const people = rows.map((row) => ({
    ...row,
    ...receiptsOfAllClear(receiptsOfRevision(row, message), message),
  }));
  const changedPeople = people.filter(
    ({ revision, unread_again }, index) =>
      revision !== rows[index]?.revision || unread_again !== rows[index].unread_again,
  );
  await writeRecipientReceipts(changedPeople, transaction);
  return people;
}

/** Everyone with a device and without mute; `info` waits for the end of quiet hours. */
async function notifyOthers(
  message: MessageRow,
  people: readonly RecipientRow[],
  notifiedIds: ReadonlySet<number>,
  transaction: Transaction<Tables>,
  now: number,
): Promise<number> {
  const recipientIds = people.flatMap(({ user_id, state }) => (state === 'held' ? [] : user_id));
  const stillWanted = await readStillWanted(message, recipientIds, people, transaction);
  const targets = stillWanted.flatMap((member) => {
    const devices = member.devices.filter(({ id }) => !notifiedIds.has(id));
    return devices.length > 0 ? [{ ...member, devices }] : [];
  });
  const awake =
    message.priority === 'info'
      ? await holdUnreadForQuietHours(message.id, people, targets, transaction, now)
      : targets;
  return writeRound(message, awake, transaction, now);
}

/** @returns those who are not in quiet hours */
async function holdUnreadForQuietHours(
  messageId: string,
  people: readonly RecipientRow[],
  members: readonly AudienceMember[],
  transaction: Transaction<Tables>,
  now: number,
): Promise<AudienceMember[]> {
  const entries = await holdForQuietHours(members, transaction, now);
  const peopleInQuietHours = new Set(
    entries.flatMap(({ userId, state }) => (state === 'held' ? userId : [])),
  );
  // Messages that were read meanwhile are not announced.
  const heldIds = people.flatMap(({ user_id, read_at, waiting }) =>
    peopleInQuietHours.has(user_id) && read_at === null && waiting === 0 ? user_id : [],
  );
  if (heldIds.length > 0)
    await transaction
      .updateTable('recipients')
      .set({ state: 'held' })
      .where('message_id', '=', messageId)
      .where('user_id', 'in', sql<number>`(select id from ${idTable(heldIds)} as quiet)`)
      .execute();
  return members.filter(({ userId }) => !peopleInQuietHours.has(userId));
}
