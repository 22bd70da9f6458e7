/** The messages of check-ins to others: the alarm, and the all-clear. */
import type { Transaction } from 'kysely';
import type { CheckInRow, Tables } from '../db/schema';
import type { CheckInMessagesTable } from '../db/tables/check-ins';
import { stopEscalation } from '../escalation/stop-escalation';
import { writeInAllLanguages } from '../translation/message-translations';
import { resolveAlertMessage, withdrawReminder } from '../messages/cancel';
import { sendInTransaction } from '../messages/sending/send';
import { readCheckInSettings } from './settings';
import { findWatchers } from './watchers';

/** Writes times in the person's time zone: those who look for them are near. */
export function createTimeFormatter({
  time_zone,
}: Pick<CheckInRow, 'time_zone'>): (time: number) => string {
  const format = new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    timeZone: time_zone,
  });
  return (time) => format.format(time);
}

/** Notifies the alarm's topic, or all administrators if the topic is gone or has no people. */
export async function sendAlarm(
  row: CheckInRow,
  why: 'missed' | 'help',
  transaction: Transaction<Tables>,
  now: number,
): Promise<string> {
  const { username: name } = await readPerson(row, transaction);
  const { topic_id, policy_id, topic_policy_id } = await readCheckInSettings(transaction);
  // The topic's policy also applies if the alarm goes to administrators instead.
  const policyId = policy_id ?? topic_policy_id;
  const time = createTimeFormatter(row);
  const texts = writeInAllLanguages((translateText) => {
    const lines = [
      why === 'help'
        ? translateText('{0} pressed “I need help” at {1}.', name, time(row.help_at ?? now))
        : translateText('{0} didn’t answer by {1}.', name, time(row.alarm_at)),
      ...(row.note === '' ? [] : [translateText('Note: {0}', row.note)]),
      translateText('Started at {0}, due at {1}.', time(row.started_at), time(row.due_at)),
      ...(row.answered_at === null
        ? []
        : [translateText('Last answer at {0}.', time(row.answered_at))]),
      translateText('Time zone: {0}', row.time_zone),
    ];
    return {
      title:
        why === 'help'
          ? translateText('{0} needs help', name)
          : translateText('{0} missed a check-in', name),
      message: lines.join('\n'),
      // No “I can’t”: every answer counts, and would end the escalation before someone comes.
      answers: [translateText('On my way')],
    };
  });
  const { messageId } = await sendInTransaction(
    {
      to: await findWatchers(topic_id, row, transaction),
      ...AUTOMATIC_SENDER,
      ...texts,
      priority: 'urgent',
      ...(policyId !== null && { policyId }),
    },
    transaction,
    now,
  );
  await transaction
    .insertInto('check_in_messages')
    .values({ message_id: messageId, check_in_id: row.id, kind: 'alarm' })
    .execute();
  return messageId;
}

const AUTOMATIC_SENDER = { senderId: null, idempotencyKey: undefined };

/** Ends the alarms that were sent, and notifies everyone who got an alarm. */
export async function sendAllClear(
  row: CheckInRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const { username: name, suspended_at } = await readPerson(row, transaction);
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
  await closeMessages(
    row.id,
    hasCurrentReminders(row) ? ['alarm'] : ALL_MESSAGE_KINDS,
    transaction,
    now,
  );
  // After a restore, the alarm may be gone. Those who watch are notified all the same.
  const { topic_id } = await readCheckInSettings(transaction);
  const to =
    alarmedUsers.length > 0
      ? { userIds: alarmedUsers.map(({ user_id }) => user_id) }
      : await findWatchers(topic_id, row, transaction);
  const time = createTimeFormatter(row);
  const isSuspended = suspended_at !== null && suspended_at === row.ended_at;
  const texts = writeInAllLanguages((translateText) => {
    const zone = translateText('Time zone: {0}', row.time_zone);
    if (isSuspended) {
      const suspensionText = translateText(
        '{0} was suspended at {1}. We don’t know whether they’re OK.',
        name,
        time(suspended_at),
      );
      return {
        title: translateText('Check-in ended: {0}', name),
        message: `${suspensionText}\n${zone}`,
      };
    }
    const outcomeText =
      row.ended_at !== null || row.answered_at === null
        ? translateText('{0} ended the check-in at {1}.', name, time(row.ended_at ?? now))
        : translateText('{0} answered “I’m OK” at {1}.', name, time(row.answered_at));
    const isLate = row.ended_at === null && row.received_at !== null;
    const lateNote = isLate
      ? ` ${translateText('The server received this answer at {0}.', time(row.received_at ?? now))}`
      : '';
    return {
      title: translateText('All clear: {0}', name),
      message: `${outcomeText}${lateNote}\n${zone}`,
    };
  });
  await sendInTransaction(
    {
      to,
      ...AUTOMATIC_SENDER,
      ...texts,
      priority: 'normal',
      isAllClear: !isSuspended,
      // The topic's policy does not apply, since an all-clear needs no answer.
      policyId: null,
    },
    transaction,
    now,
  );
}

/** Whether open reminders ask about the running check-in: the last one's all-clear came late. */
export const hasCurrentReminders = ({
  state,
  asked,
}: Pick<CheckInRow, 'state' | 'asked'>): boolean => state === 'running' && asked > 0;

type CheckInMessageKind = CheckInMessagesTable['kind'];
export const ALL_MESSAGE_KINDS: readonly CheckInMessageKind[] = ['reminder', 'alarm'];

/** Withdraws all open messages of these kinds of a check-in. */
export async function closeMessages(
  checkInId: number,
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
    if (kind === 'alarm') await resolveAlertMessage(message_id, transaction, now);
    else await withdrawReminder(message_id, transaction, now);
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

async function readPerson(row: CheckInRow, transaction: Transaction<Tables>) {
  const user = transaction.selectFrom('users').where('id', '=', row.user_id);
  return user.select(['username', 'suspended_at']).executeTakeFirstOrThrow();
}
