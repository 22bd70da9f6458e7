/** Tells a person that someone else gave the all-clear for their alarm, and that their check-in is still running. A suspended person’s check-in ends. */
import type { Transaction } from 'kysely';
import { ALL_CLEAR_NOTICE_JOB } from '../db/jobs/kinds';
import type { CheckInRow, Tables } from '../db/schema';
import type { JobSteps } from '../jobs/job-steps';
import { writeInAllLanguages } from '../translation/message-translations';
import { CHECK_IN_ANSWERS } from '../../src/shared/contract/check-ins';
import { createTimeFormatter } from './messages/alarm-texts';
import { lockCheckIn } from './check-in-press';
import { writeReminders } from './reminders';
import { endIfSuspended } from './suspended';

export const allClearNoticeSteps: JobSteps = {
  // The job has a kind of its own, so that processes of an older version leave it to others.
  kinds: [ALL_CLEAR_NOTICE_JOB],
  limit: 20,
  async step({ subject }, transaction, { now }) {
    const row = await lockCheckIn(Number(subject), transaction);
    const allClear = row && (await readAllClear(row, transaction));
    if (row === undefined || allClear === undefined) return undefined;
    if (await endIfSuspended(row, transaction, now())) return undefined;
    await writeReminders(
      [{ row, texts: writeNotice(row, allClear), isAllClear: true }],
      transaction,
      now(),
    );
    return undefined;
  },
};

interface AllClear {
  at: number;
  words: string | null;
  /** The username is null if the person was deleted. */
  username: string | null;
}

/** @returns undefined if the person answered meanwhile, or asked for help again */
async function readAllClear(
  { state, owes, alarm_id }: CheckInRow,
  transaction: Transaction<Tables>,
): Promise<AllClear | undefined> {
  if ((state !== 'missed' && state !== 'help') || owes !== null) return undefined;
  const alarm = await transaction
    .selectFrom('messages')
    .leftJoin('users', 'users.id', 'messages.all_clear_by')
    .where('messages.id', '=', alarm_id)
    .select(['all_clear_at', 'all_clear', 'username'])
    .executeTakeFirst();
  if (alarm === undefined || alarm.all_clear_at === null) return undefined;
  return { at: alarm.all_clear_at, words: alarm.all_clear, username: alarm.username };
}

function writeNotice(row: CheckInRow, { at, words, username }: AllClear) {
  const time = createTimeFormatter(row)(at);
  return writeInAllLanguages((translateText) => ({
    title: translateText('Your check-in isn’t over'),
    message: [
      username === null
        ? translateText('The all-clear was given at {0}.', time)
        : translateText('{0} gave the all-clear at {1}.', username, time),
      ...(words ? [translateText('“{0}”', words)] : []),
      translateText(
        'We won’t check on you again until you answer. If you’re still working alone, press “I’m OK”. Otherwise, end the check-in.',
      ),
    ].join('\n'),
    answers: CHECK_IN_ANSWERS.map((answer) => translateText(answer)),
  }));
}
