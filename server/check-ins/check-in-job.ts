/** The job of a check-in: reminders, the alarm, and the all-clear. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { recordAudit } from '../audit/record-audit';
import type { Job } from '../db/jobs/jobs';
import { CHECK_IN_JOB } from '../db/jobs/kinds';
import { idList, jsonTable } from '../db/json-table';
import { lockForUpdate } from '../db/lock';
import type { Database } from '../db/open';
import type { CheckInRow, Tables } from '../db/schema';
import { inBatches } from '../jobs/job-steps';
import type { JobOutcomes, JobSteps } from '../jobs/job-steps';
import type { Services } from '../services';
import { remindersDueBy, findDueStep, nextCheckInDueAt } from './check-in-rules';
import type { CheckInChange } from './check-in-rules';
import { consumeAllClearLimit, consumeHelpAlarmLimit } from './all-clear-limit';
import {
  ALL_MESSAGE_KINDS,
  closeMessages,
  hasCurrentReminders,
  sendAllClear,
  stopAlarmsOfCheckIn,
  withdrawAlarmNotices,
} from './messages/send-messages';
import { sendAndRecordAlarm } from './messages/send-alarm';
import { sendSuspensionNotice } from './messages/suspension-notice';
import { readAlarmEnd } from './sent-alarms';
import { REMINDERS_AT_ONCE, nextReminderSlot } from './reminder-slots';
import { sendReminders } from './reminders';

/** Alarms, and what else needs statements of its own. */
const ALARMS_AT_ONCE = 5;
const CHECK_INS_PER_RUN = 200;

export const checkInSteps: JobSteps = {
  kinds: [CHECK_IN_JOB],
  limit: CHECK_INS_PER_RUN,
  atOnce: 4,
  groupJobs,
  runTogether: runDueSteps,
  step: async (job, transaction, services) =>
    (await runDueSteps([job], transaction, services)).get(job),
};

const checkInIdOfJob = ({ subject }: Job): number => Number(subject);

/** Alarms first. A press may change a check-in afterwards, so this decides only about the sizes. */
async function groupJobs(jobs: readonly Job[], { db, now }: Services): Promise<Job[][]> {
  const rows = await selectCheckIns(jobs, db).execute();
  const at = now();
  const reminderRows = new Map(
    rows.flatMap((row) =>
      row.owes === null && findDueStep(row, at) === 'reminder' ? [[row.id, row] as const] : [],
    ),
  );
  const groupSize = (job: Job): number => {
    const row = reminderRows.get(checkInIdOfJob(job));
    if (row === undefined) return ALARMS_AT_ONCE;
    // Most jobs whose turn has not come only get a new due time, so a batch may be large.
    return isPostponed(job, row) ? REMINDERS_AT_ONCE : CHECK_INS_PER_RUN;
  };
  return [ALARMS_AT_ONCE, REMINDERS_AT_ONCE, CHECK_INS_PER_RUN].flatMap((size) =>
    inBatches(
      jobs.filter((job) => groupSize(job) === size),
      size,
    ),
  );
}

/** Whether the job was postponed to its turn, rather than due when the person is to be asked. */
const isPostponed = (job: Job | undefined, row: CheckInRow): boolean =>
  (job?.dueAt ?? 0) > (nextCheckInDueAt(row) ?? Infinity);

const selectCheckIns = (jobs: readonly Job[], db: Database) =>
  db
    .selectFrom('check_ins')
    .selectAll()
    .where('id', 'in', idList(jobs.map(checkInIdOfJob)))
    // Presses lock check-ins in this order, too.
    .orderBy('id');

/** @returns when each is due again; undefined if it waits only for its person */
async function runDueSteps(
  jobs: readonly Job[],
  transaction: Transaction<Tables>,
  { db, now: clock, log }: Services,
): Promise<JobOutcomes> {
  const jobByCheckIn = new Map(jobs.map((job) => [checkInIdOfJob(job), job]));
  const rows = await lockForUpdate(selectCheckIns(jobs, transaction), transaction).execute();
  const now = clock();
  const changedRows: CheckInRow[] = [];
  const remindedRows: CheckInRow[] = [];
  const postponedTo = new Map<number, number>();
  for (const row of rows) {
    const { change: settlement, retryAt } = await sendOwedMessage(row, transaction, now);
    const settledRow = { ...row, ...settlement };
    const dueStep = findDueStep(settledRow, now);
    const isFirst = row.owes === null && !isPostponed(jobByCheckIn.get(row.id), row);
    const remindAt = dueStep === 'reminder' && isFirst ? nextReminderSlot(db, now) : now;
    if (remindAt > now) {
      postponedTo.set(row.id, remindAt);
      continue;
    }
    const isHelpSent = row.owes === 'help' && settledRow.owes === null;
    if (dueStep === 'reminder' || isHelpSent) remindedRows.push(settledRow);
    if (dueStep === 'alarm')
      log.info('check-in missed', { checkIn: row.id, late: now - row.alarm_at });
    const change: CheckInChange =
      dueStep === 'alarm'
        ? {
            state: 'missed',
            owes: null,
            ...(await sendAndRecordAlarm(settledRow, 'missed', transaction, now)),
          }
        : dueStep === 'reminder'
          ? { asked: remindersDueBy(settledRow, now) }
          : {};
    const changedRow = { ...settledRow, ...change };
    // The person's reminders still say that the alarm is to come.
    if (dueStep === 'alarm') remindedRows.push(changedRow);
    changedRows.push(changedRow);
    if (retryAt !== undefined && changedRow.owes !== null)
      postponedTo.set(
        row.id,
        Math.min(retryAt, nextCheckInDueAt({ ...changedRow, owes: null }) ?? Infinity),
      );
  }
  await sendReminders(remindedRows, transaction, now);
  await storeCheckIns(changedRows, transaction);
  const dueAt = new Map(changedRows.map((row) => [row.id, nextCheckInDueAt(row)]));
  for (const [id, time] of postponedTo) dueAt.set(id, time);
  // A check-in without a row was deleted with its person.
  const inOrder = [...jobs].sort((one, other) => checkInIdOfJob(one) - checkInIdOfJob(other));
  return new Map(inOrder.map((job) => [job, dueAt.get(checkInIdOfJob(job))]));
}

/** Writes what the job changes in check-ins. */
async function storeCheckIns(
  rows: readonly CheckInRow[],
  transaction: Transaction<Tables>,
): Promise<void> {
  await sql`update check_ins set state = given.state, asked = given.asked, owes = given.owes,
      alarm_id = given.alarm_id, alarmed_at = given.alarmed_at
    from (select cast(key as bigint) as id, value->>0 as state, cast(value->>1 as integer) as asked, value->>2 as owes,
      value->>3 as alarm_id, cast(value->>4 as bigint) as alarmed_at
      from ${jsonTable(
        rows.map(({ id, state, asked, owes, alarm_id, alarmed_at }) => [
          id,
          [state, asked, owes, alarm_id, alarmed_at],
        ]),
      )}) as given
    where check_ins.id = given.id`.execute(transaction);
}

/** @returns also when to try again, if it may not be sent yet */
async function sendOwedMessage(
  row: CheckInRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<{ change: CheckInChange; retryAt?: number }> {
  switch (row.owes) {
    case 'help': {
      const retryAt = await consumeHelpAlarmLimit(row, transaction, now);
      if (retryAt > now) return { change: {}, retryAt };
      await withdrawAlarmNotices(row, transaction, now);
      return {
        change: { owes: null, ...(await sendAndRecordAlarm(row, 'help', transaction, now)) },
      };
    }
    case 'all-clear': {
      const isSuspended = row.end_reason === 'suspended';
      // Counted even if it is left out, and the alarm's time stays then: otherwise a loop of calls
      // would have no limit. Only administrators suspend people.
      const retryAt = isSuspended ? now : await consumeAllClearLimit(row, transaction, now);
      // A second all-clear would only confuse.
      const alarmEnd = await readAlarmEnd(row, transaction, now);
      if (alarmEnd?.isCleared || (await hasLaterAlarm(row, transaction))) {
        await closeMessages(row, ALL_MESSAGE_KINDS, transaction, now);
        return { change: { owes: null, alarm_id: null } };
      }
      if (isSuspended) {
        await sendSuspensionNotice(row, transaction, now);
        await recordAudit({ action: 'check-in.suspend', person: row.user_id }, transaction);
        return { change: { owes: null, alarm_id: null, alarmed_at: null } };
      }
      if (retryAt > now) {
        if (!hasCurrentReminders(row)) await closeMessages(row, ['reminder'], transaction, now);
        await stopAlarmsOfCheckIn(row.id, transaction, now);
        return { change: {}, retryAt };
      }
      await sendAllClear(row, transaction, now);
      await recordAudit({ action: 'check-in.clear', person: row.user_id }, transaction);
      return { change: { owes: null, alarm_id: null, alarmed_at: null } };
    }
    case 'withdrawal':
      await closeMessages(row, ALL_MESSAGE_KINDS, transaction, now);
      return { change: { owes: null } };
    case null:
      return { change: {} };
  }
}

/** Whether the person's next check-in alerts: an all-clear for this one would call help off. */
async function hasLaterAlarm(row: CheckInRow, transaction: Transaction<Tables>): Promise<boolean> {
  if (row.ended_at === null) return false;
  const laterCheckIn = await transaction
    .selectFrom('check_ins')
    .where('user_id', '=', row.user_id)
    .where('ended_at', 'is', null)
    .where('state', 'in', ['missed', 'help'])
    .select('id')
    .executeTakeFirst();
  return laterCheckIn !== undefined;
}
