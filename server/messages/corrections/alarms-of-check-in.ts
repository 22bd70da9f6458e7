/**
 * The alarms of one check-in, and the messages by which their policies notified other topics: an
 * all-clear is for an alarm and those before it, and notifies each device once.
 */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { addJob } from '../../db/jobs/jobs';
import { ALL_CLEAR_NOTICE_JOB } from '../../db/jobs/kinds';
import { cancelRowsOfDevices } from '../../db/outbox/maintenance';
import { idTable, jsonTable } from '../../db/json-table';
import { lockForUpdate } from '../../db/lock';
import type { MessageRow, Tables } from '../../db/schema';
import { conflictError } from '../../http/errors';
import type { IdRange } from '../../subscriptions/audience';
import { sanitizeIdFromUrl } from '../../lib/url-id';
import { lockMessages } from '../lock-message';

const selectSteps = (alarmIds: readonly string[], transaction: Transaction<Tables>) =>
  transaction
    .selectFrom('escalation_steps')
    .where('message_id', 'in', alarmIds)
    .where('sent_id', 'is not', null)
    .select('sent_id')
    .execute();

/**
 * The earlier alarms of an alarm's check-in, and what their policies and its own sent. A later one
 * is about a new call, which readers of this alarm may not know. Locks the check-in before
 * its messages, as the alarm does, and the message itself in the order of ids.
 */
export async function lockEarlierAlarms(
  messageId: string,
  transaction: Transaction<Tables>,
): Promise<MessageRow[]> {
  const alarm = await transaction
    .selectFrom('check_in_messages')
    .innerJoin('messages', 'messages.id', 'check_in_messages.message_id')
    .where('message_id', '=', sanitizeIdFromUrl(messageId))
    .where('check_in_messages.kind', '=', 'alarm')
    .select(['check_in_id', 'created_at'])
    .executeTakeFirst();
  if (alarm === undefined) return [];
  const checkIn = transaction
    .selectFrom('check_ins')
    .where('id', '=', alarm.check_in_id)
    .select('id');
  await lockForUpdate(checkIn, transaction).execute();
  const earlierAlarms = await transaction
    .selectFrom('check_in_messages')
    .innerJoin('messages', 'messages.id', 'check_in_messages.message_id')
    .where('check_in_id', '=', alarm.check_in_id)
    .where('check_in_messages.kind', '=', 'alarm')
    .where('check_in_messages.state', '=', 'open')
    .where('messages.created_at', '<=', alarm.created_at)
    .select('message_id')
    .execute();
  const ids = [...new Set([...earlierAlarms.map(({ message_id }) => message_id), messageId])];
  const sentIds = (await selectSteps(ids, transaction)).flatMap(({ sent_id }) => sent_id ?? []);
  const messages = await lockMessages([...ids, ...sentIds], transaction);
  return [...messages.values()].filter(({ id }) => id !== messageId);
}

/** The alarm whose policy sent a message to another topic; undefined for other messages. */
export async function findAlarmOfStep(
  messageId: string,
  transaction: Transaction<Tables>,
): Promise<string | undefined> {
  const alarm = await transaction
    .selectFrom('escalation_steps')
    .innerJoin('check_in_messages', 'check_in_messages.message_id', 'escalation_steps.message_id')
    .where('sent_id', '=', sanitizeIdFromUrl(messageId))
    .where('kind', '=', 'alarm')
    .select('check_in_messages.message_id')
    .executeTakeFirst();
  return alarm?.message_id;
}

/** What a message's policy sent to other topics. Needs the locked message. */
export async function lockStepMessages(
  messageId: string,
  transaction: Transaction<Tables>,
): Promise<MessageRow[]> {
  const steps = await selectSteps([messageId], transaction);
  if (steps.length === 0) return [];
  const sentIds = steps.flatMap(({ sent_id }) => sent_id ?? []);
  return [...(await lockMessages(sentIds, transaction)).values()];
}

/**
 * The person's “I’m OK” then neither resolves it nor withdraws its all-clear. A job tells the
 * person of the all-clear.
 */
export async function closeAlarm(
  messageId: string,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const closedAlarm = await transaction
    .updateTable('check_in_messages')
    .set({ state: 'closed' })
    .where('message_id', '=', messageId)
    .where('kind', '=', 'alarm')
    .returning('check_in_id')
    .executeTakeFirst();
  if (closedAlarm === undefined) return;
  const job = { kind: ALL_CLEAR_NOTICE_JOB, subject: String(closedAlarm.check_in_id) };
  await addJob(job, transaction, now);
}

/** All alarms of the check-in that the message is about; none for other messages. */
async function readAlarmIds(
  messageId: string,
  transaction: Transaction<Tables>,
): Promise<string[]> {
  const step = await transaction
    .selectFrom('escalation_steps')
    .where('sent_id', '=', messageId)
    .select('message_id')
    .executeTakeFirst();
  const alarms = await transaction
    .selectFrom('check_in_messages as own')
    .innerJoin('check_in_messages as alarm', 'alarm.check_in_id', 'own.check_in_id')
    .where('own.message_id', 'in', [messageId, step?.message_id ?? messageId])
    .where('own.kind', '=', 'alarm')
    .where('alarm.kind', '=', 'alarm')
    .select('alarm.message_id')
    .execute();
  return alarms.map(({ message_id }) => message_id);
}

/**
 * @throws HttpError 409 if it is an alarm, or what an alarm's policy sent, and the check-in waits
 * for an answer: the alarm says what the server knows, until its all-clear
 */
export async function requireNoOpenAlarm(
  messageId: string,
  transaction: Transaction<Tables>,
): Promise<void> {
  const step = await transaction
    .selectFrom('escalation_steps')
    .where('sent_id', '=', messageId)
    .select('message_id')
    .executeTakeFirst();
  const alarm = await transaction
    .selectFrom('check_in_messages')
    .innerJoin('check_ins', 'check_ins.id', 'check_in_messages.check_in_id')
    .where('message_id', '=', step?.message_id ?? messageId)
    .where('kind', '=', 'alarm')
    .where('check_in_messages.state', '=', 'open')
    .where('ended_at', 'is', null)
    .select('message_id')
    .executeTakeFirst();
  if (alarm !== undefined)
    throw conflictError('This alarm is for someone who works alone. Send the all-clear instead.');
}

/** The other alarms of the check-in that the message is about, and what their policies sent. */
async function readRelatedIds(
  messageId: string,
  transaction: Transaction<Tables>,
): Promise<string[]> {
  const alarmIds = await readAlarmIds(messageId, transaction);
  if (alarmIds.length === 0) return [];
  const steps = await selectSteps(alarmIds, transaction);
  const ids = [...alarmIds, ...steps.flatMap(({ sent_id }) => sent_id ?? [])];
  return ids.filter((id) => id !== messageId);
}

export interface DisplayedAllClear {
  messageId: string;
  userId: number;
  at: number;
}

/** A person gets an all-clear once, though it is for several alarms of the check-in. */
export async function markAllClearOfOtherAlarms(
  displayed: readonly DisplayedAllClear[],
  transaction: Transaction<Tables>,
): Promise<void> {
  for (const messageId of new Set(displayed.map((each) => each.messageId))) {
    const relatedIds = await readRelatedIds(messageId, transaction);
    if (relatedIds.length === 0) continue;
    const people = displayed.filter((each) => each.messageId === messageId);
    await sql`update recipients set all_clear_displayed_at = given.at
      from (select cast(key as bigint) as user_id, cast(cast(value as text) as bigint) as at
        from ${jsonTable(people.map(({ userId, at }) => [userId, at]))}) as given
      where recipients.user_id = given.user_id and recipients.all_clear_displayed_at is null
        and recipients.message_id in (${sql.join(relatedIds)})
        and (select all_clear_at from messages where messages.id = recipients.message_id)
          = (select all_clear_at from messages where messages.id = ${messageId})`.execute(
      transaction,
    );
  }
}

/**
 * Finds devices that another alarm of the same check-in notifies of the all-clear, and withdraws
 * this alarm's waiting pushes to them. A push in flight needs an all-clear of its own.
 */
export async function dropNotifiedDevices(
  { id, all_clear_at }: Pick<MessageRow, 'id' | 'all_clear_at'>,
  { after, upTo }: IdRange,
  transaction: Transaction<Tables>,
  now: number,
): Promise<ReadonlySet<number>> {
  if (all_clear_at === null) return new Set();
  const relatedIds = await readRelatedIds(id, transaction);
  if (relatedIds.length === 0) return new Set();
  const notified = await transaction
    .selectFrom('messages')
    .innerJoin('deliveries', 'deliveries.message_id', 'messages.id')
    .where('messages.id', 'in', relatedIds)
    .where('messages.all_clear_at', '=', all_clear_at)
    .where('deliveries.user_id', '>', after)
    .where('deliveries.user_id', '<=', upTo)
    .where(({ or, and, eb, ref }) =>
      or([
        eb('deliveries.state', '=', 'pending'),
        and([
          eb('deliveries.state', '=', 'accepted'),
          eb('deliveries.round', '>=', ref('messages.revision_round')),
        ]),
      ]),
    )
    .select('deliveries.device_id')
    .distinct()
    .execute();
  if (notified.length === 0) return new Set();
  const deviceIds = notified.map(({ device_id }) => device_id);
  await cancelRowsOfDevices(id, deviceIds, 'cancelled', transaction, now);
  const inFlight = await transaction
    .selectFrom('deliveries')
    .where('message_id', '=', id)
    .where('state', '=', 'pending')
    .where('device_id', 'in', sql<number>`(select id from ${idTable(deviceIds)} as given)`)
    .select('device_id')
    .execute();
  const dropped = new Set(deviceIds);
  for (const { device_id } of inFlight) dropped.delete(device_id);
  return dropped;
}
