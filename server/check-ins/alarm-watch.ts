/** Watches open alarms: once no one who got an alarm can be notified any more, others get it. */
import type { Transaction } from 'kysely';
import type { Job } from '../db/jobs/jobs';
import { ALARM_WATCH_JOB } from '../db/jobs/kinds';
import { idList } from '../db/json-table';
import { lockForUpdate } from '../db/lock';
import type { CheckInRow, Tables } from '../db/schema';
import { inBatches } from '../jobs/job-steps';
import type { JobOutcomes, JobSteps } from '../jobs/job-steps';
import type { Services } from '../services';
import { findReachingAlarms } from './alarm-reach';
import { WATCH_ALARM_EVERY_MS, sendAlarmAgain } from './messages/send-alarm';
import { withdrawAlarmNotices } from './messages/send-messages';
import { sendReminders } from './reminders';
import { readCheckInSettings } from './settings';
import { findUnprotected } from './watchers';

const ALARMS_PER_RUN = 200;
const ALARMS_AT_ONCE = 50;
/** Alarms need statements of their own. */
const SENT_AT_ONCE = 5;

export const alarmWatchSteps: JobSteps = {
  // The job has a kind of its own, so that processes of an older version leave it to others.
  kinds: [ALARM_WATCH_JOB],
  limit: ALARMS_PER_RUN,
  groupJobs: (jobs) => inBatches(jobs, ALARMS_AT_ONCE),
  runTogether: watchAlarms,
  step: async (job, transaction, services) =>
    (await watchAlarms([job], transaction, services)).get(job),
};

const checkInIdOfJob = ({ subject }: Job): number => Number(subject);

/** @returns when to look at each again; undefined once its alarm is over */
async function watchAlarms(
  jobs: readonly Job[],
  transaction: Transaction<Tables>,
  { now: clock, log }: Services,
): Promise<JobOutcomes> {
  const now = clock();
  const openRows = await selectOpenAlarms(jobs.map(checkInIdOfJob), transaction).execute();
  const unheardIds = await findUnheard(openRows, transaction, now);
  const nextLookAt = new Map(openRows.map(({ id }) => [id, now + WATCH_ALARM_EVERY_MS]));
  for (const id of unheardIds.slice(SENT_AT_ONCE)) nextLookAt.set(id, now);
  const lockedRows = await lockForUpdate(
    selectOpenAlarms(unheardIds.slice(0, SENT_AT_ONCE), transaction),
    transaction,
  ).execute();
  // An answer or another process may have come first.
  const stillUnheardIds = new Set(await findUnheard(lockedRows, transaction, now));
  for (const row of lockedRows.filter(({ id }) => stillUnheardIds.has(id))) {
    await sendAgain(row, transaction, now);
    log.info('alarm sent again', { checkIn: row.id });
  }
  return new Map(jobs.map((job) => [job, nextLookAt.get(checkInIdOfJob(job))]));
}

/** In the order in which presses lock them, too. */
const selectOpenAlarms = (ids: readonly number[], transaction: Transaction<Tables>) =>
  transaction
    .selectFrom('check_ins')
    .selectAll()
    .where('id', 'in', idList(ids))
    .where('state', 'in', ['missed', 'help'])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('messages')
            .whereRef('messages.id', '=', 'check_ins.alarm_id')
            .where('messages.all_clear_at', 'is not', null)
            .select('messages.id'),
        ),
      ),
    )
    .orderBy('id');

/** Finds alarms that reach no one who got them, although others can be notified. */
async function findUnheard(
  rows: readonly CheckInRow[],
  transaction: Transaction<Tables>,
  now: number,
): Promise<number[]> {
  // The job of the check-in sends what the row owes.
  const watchedRows = rows.filter(({ owes }) => owes === null);
  const reaching = await findReachingAlarms(
    watchedRows.map(({ id }) => id),
    transaction,
    now,
  );
  const silentRows = watchedRows.filter(({ id }) => !reaching.has(id));
  if (silentRows.length === 0) return [];
  const { topic_id } = await readCheckInSettings(transaction);
  const personIds = silentRows.map(({ user_id }) => user_id);
  const unprotected = await findUnprotected(topic_id, personIds, transaction);
  return silentRows.flatMap(({ id, user_id }) => (unprotected.has(user_id) ? [] : id));
}

/** The person's notice of the earlier alarm may say that we can’t notify anyone. */
async function sendAgain(
  row: CheckInRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  await withdrawAlarmNotices(row, transaction, now);
  const change = await sendAlarmAgain(row, transaction, now);
  await transaction.updateTable('check_ins').set(change).where('id', '=', row.id).execute();
  await sendReminders([{ ...row, ...change }], transaction, now);
}
