/** Ends a check-in's alarms and reminders, and sends the all-clear. */
import type { Transaction } from 'kysely';
import type { CheckInRow, Tables } from '../../db/schema';
import type { CheckInMessagesTable } from '../../db/tables/check-ins';
import { stopEscalation } from '../../escalation/stop-escalation';
import { writeInAllLanguages } from '../../translation/message-translations';
import {
  cancelWithStepMessages,
  resolveAlertMessage,
  withdrawReminder,
} from '../../messages/cancel';
import { sendInTransaction } from '../../messages/sending/send';
import { readCheckInSettings } from '../settings';
import { findWatchers } from '../watchers';
import { createTimeFormatter, writeReceived, writeTimeZone } from './alarm-texts';
import { AUTOMATIC_SENDER, readUsername } from './automatic-sender';

/** Ends the alarms that were sent, and notifies everyone who got an alarm. */
export async function sendAllClear(
  row: CheckInRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const name = await readUsername(row, transaction);
  const alarmedUserIds = await readAlarmedUserIds(row, transaction);
  await closeMessages(
    row,
    hasCurrentReminders(row) ? ['alarm'] : ALL_MESSAGE_KINDS,
    transaction,
    now,
  );
  // After a restore, the alarm may be gone. Those who watch are notified all the same.
  const { topic_id } = await readCheckInSettings(transaction);
  const to =
    alarmedUserIds.length > 0
      ? { userIds: alarmedUserIds }
      : await findWatchers(topic_id, row, transaction);
  const time = createTimeFormatter(row);
  const texts = writeInAllLanguages((translateText) => {
    const outcomeText =
      row.ended_at !== null || row.answered_at === null
        ? translateText('{0} ended the check-in at {1}.', name, time(row.ended_at ?? now))
        : translateText('{0} answered “I’m OK” at {1}.', name, time(row.answered_at));
    const isLate = row.ended_at === null && row.received_at !== null;
    const lateNote = isLate ? ` ${writeReceived(row, row.received_at ?? now, translateText)}` : '';
    return {
      title: translateText('All clear: {0}', name),
      message: `${outcomeText}${lateNote}\n${writeTimeZone(row, translateText)}`,
    };
  });
  const { messageId } = await sendInTransaction(
    {
      to,
      ...AUTOMATIC_SENDER,
      ...texts,
      priority: 'normal',
      isAllClear: true,
      // The topic's policy does not apply, since an all-clear needs no answer.
      policyId: null,
    },
    transaction,
    now,
  );
  await transaction
    .insertInto('check_in_messages')
    .values({ message_id: messageId, check_in_id: row.id, kind: 'all-clear', state: 'closed' })
    .execute();
}

/** Everyone whom an open alarm of the check-in notified, also by its policy. */
export async function readAlarmedUserIds(
  row: CheckInRow,
  transaction: Transaction<Tables>,
): Promise<number[]> {
  const alarms = openAlarms(row.id, transaction);
  // The policy may have notified other topics.
  const byPolicy = transaction
    .selectFrom('escalation_steps')
    .where('message_id', 'in', alarms)
    .where('sent_id', 'is not', null)
    .select('sent_id as message_id')
    .$narrowType<{ message_id: string }>();
  const alarmedUsers = await transaction
    .selectFrom('recipients')
    .innerJoin('users', 'users.id', 'recipients.user_id')
    .where('recipients.message_id', 'in', alarms.unionAll(byPolicy))
    .where('recipients.state', '<>', 'muted')
    .where('users.suspended_at', 'is', null)
    .select('recipients.user_id')
    .distinct()
    .execute();
  return alarmedUsers.map(({ user_id }) => user_id);
}

/** Whether open reminders ask about the running check-in: the last one's all-clear came late. */
export const hasCurrentReminders = ({
  state,
  asked,
}: Pick<CheckInRow, 'state' | 'asked'>): boolean => state === 'running' && asked > 0;

type CheckInMessageKind = CheckInMessagesTable['kind'];
export const ALL_MESSAGE_KINDS: readonly CheckInMessageKind[] = ['reminder', 'alarm'];

/**
 * Withdraws all open messages of these kinds of a check-in. A suspended person's alarm is canceled
 * rather than resolved, because no one knows whether the person is OK.
 */
export async function closeMessages(
  { id: checkInId, end_reason }: Pick<CheckInRow, 'id' | 'end_reason'>,
  kinds: readonly CheckInMessageKind[],
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const closedMessages = await transaction
    .updateTable('check_in_messages')
    .set({ state: 'closed' })
    .where('check_in_id', '=', checkInId)
    .where('kind', 'in', kinds)
    .where('state', '=', 'open')
    .returning(['message_id', 'kind'])
    .execute();
  for (const { message_id, kind } of closedMessages.sort((one, other) =>
    one.message_id < other.message_id ? -1 : 1,
  ))
    if (kind === 'alarm' && end_reason === 'suspended')
      await cancelWithStepMessages(message_id, 'User suspended', transaction, now);
    else if (kind === 'alarm') await resolveAlertMessage(message_id, transaction, now);
    else await withdrawReminder(message_id, transaction, now);
}

/**
 * Withdraws “We’ve sent the alarm” once the person asks for help. Earlier reminders stay, because
 * they show whether the person was asked, and so does the notice of an all-clear.
 */
export async function withdrawAlarmNotices(
  { id: checkInId, alarmed_at }: Pick<CheckInRow, 'id' | 'alarmed_at'>,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  if (alarmed_at === null) return;
  const notices = await transaction
    .updateTable('check_in_messages')
    .set({ state: 'closed' })
    .where('check_in_id', '=', checkInId)
    .where('kind', '=', 'reminder')
    .where('state', '=', 'open')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('messages')
          .whereRef('messages.id', '=', 'check_in_messages.message_id')
          .where('messages.created_at', '>=', alarmed_at)
          .where('messages.is_all_clear', '=', 0)
          .select('messages.id'),
      ),
    )
    .returning('message_id')
    .execute();
  for (const id of notices.map(({ message_id }) => message_id).sort())
    await withdrawReminder(id, transaction, now);
}

/** Stops the escalation of the alarms that are out: nothing rings after “I’m OK”. */
export async function stopAlarmsOfCheckIn(
  checkInId: number,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const escalatingAlarms = await transaction
    .selectFrom('messages')
    .where('id', 'in', openAlarms(checkInId, transaction))
    .where('policy', 'is not', null)
    .where('stopped', 'is', null)
    .select('id')
    .orderBy('id')
    .execute();
  const stop = { stopped: 'resolved', at: now, userId: null } as const;
  for (const { id } of escalatingAlarms) await stopEscalation(id, stop, transaction);
}

const openAlarms = (checkInId: number, transaction: Transaction<Tables>) =>
  transaction
    .selectFrom('check_in_messages')
    .where('check_in_id', '=', checkInId)
    .where('kind', '=', 'alarm')
    .where('state', '=', 'open')
    .select('message_id');
