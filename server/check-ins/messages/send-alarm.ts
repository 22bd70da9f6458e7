/** Sends the alarm of a check-in, and has it watched. */
import type { Transaction } from 'kysely';
import { recordAudit } from '../../audit/record-audit';
import { findAlarmPolicyId } from '../../db/check-in-settings';
import { addJob } from '../../db/jobs/jobs';
import { ALARM_WATCH_JOB } from '../../db/jobs/kinds';
import type { CheckInRow, Tables } from '../../db/schema';
import { SECOND_MS } from '../../lib/durations';
import { sendInTransaction } from '../../messages/sending/send';
import { writeInAllLanguages } from '../../translation/message-translations';
import type { CheckInChange } from '../check-in-rules';
import { readCheckInSettings } from '../settings';
import { findWatchers } from '../watchers';
import { writeDetails, writeHelp, writeMissed } from './alarm-texts';
import { AUTOMATIC_SENDER, readUsername } from './automatic-sender';

/** How soon an open alarm is sent to others if no one who got it can be notified any more. */
export const WATCH_ALARM_EVERY_MS = 15 * SECOND_MS;

type AlarmCause = 'missed' | 'help';

/** @returns what changes in the check-in */
export async function sendAndRecordAlarm(
  row: CheckInRow,
  why: AlarmCause,
  transaction: Transaction<Tables>,
  now: number,
): Promise<CheckInChange> {
  const alarm_id = await sendAlarm(row, why, false, transaction, now);
  const detail = why === 'help' ? 'Asked for help' : 'No answer in time';
  await recordAudit({ action: 'check-in.alarm', person: row.user_id, detail }, transaction);
  return { alarm_id, alarmed_at: now };
}

/**
 * Sends the alarm once more, because the earlier ones no longer reach anyone.
 * @returns what changes in the check-in
 */
export async function sendAlarmAgain(
  row: CheckInRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<CheckInChange> {
  const why = row.state === 'help' ? 'help' : 'missed';
  const alarm_id = await sendAlarm(row, why, true, transaction, now);
  const detail = 'The earlier alarm no longer reached anyone';
  await recordAudit({ action: 'check-in.alarm', person: row.user_id, detail }, transaction);
  return { alarm_id, alarmed_at: now };
}

/** Notifies the alarm's topic, or all administrators if the topic is gone or has no people. */
async function sendAlarm(
  row: CheckInRow,
  why: AlarmCause,
  isSentAgain: boolean,
  transaction: Transaction<Tables>,
  now: number,
): Promise<string> {
  const name = await readUsername(row, transaction);
  const settings = await readCheckInSettings(transaction);
  // The topic's policy also applies if the alarm goes to administrators instead.
  const policyId = findAlarmPolicyId(settings);
  const texts = writeInAllLanguages((translateText) => ({
    title:
      why === 'help'
        ? translateText('{0} needs help', name)
        : translateText('{0} missed a check-in', name),
    message: [
      why === 'help' ? writeHelp(row, name, translateText) : writeMissed(row, name, translateText),
      ...(isSentAgain ? [translateText('The earlier alarm no longer reaches anyone.')] : []),
      ...writeDetails(row, translateText),
    ].join('\n'),
    // No “I can’t”: every answer counts, and would end the escalation before someone comes.
    answers: [translateText('On my way')],
  }));
  await expireAllClears(row, transaction, now);
  const { messageId } = await sendInTransaction(
    {
      to: await findWatchers(settings.topic_id, row, transaction),
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
  const watch = { kind: ALARM_WATCH_JOB, subject: String(row.id) };
  await addJob(watch, transaction, now, now + WATCH_ALARM_EVERY_MS);
  return messageId;
}

/** An all-clear that still waits, such as for quiet hours, must not follow a new alarm. */
async function expireAllClears(
  { user_id }: CheckInRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const allClears = transaction
    .selectFrom('check_in_messages')
    .innerJoin('check_ins', 'check_ins.id', 'check_in_messages.check_in_id')
    .where('check_ins.user_id', '=', user_id)
    .where('check_in_messages.kind', '=', 'all-clear')
    .select('check_in_messages.message_id');
  await transaction
    .updateTable('messages')
    .set({ expires_at: now })
    .where('id', 'in', allClears)
    .where('expires_at', '>', now)
    .execute();
}
