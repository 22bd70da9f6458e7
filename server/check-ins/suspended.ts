/**
 * Check-ins of suspended people, who can no longer answer. Suspending someone does not make them
 * safe, so an open alarm stays until its all-clear.
 */
import type { Transaction } from 'kysely';
import { recordAudit } from '../audit/record-audit';
import { readCurrentCheckInState } from '../db/current-check-in';
import { addJob } from '../db/jobs/jobs';
import { SUSPENSION_NOTICE_JOB } from '../db/jobs/kinds';
import type { CheckInRow, Tables } from '../db/schema';
import type { JobSteps } from '../jobs/job-steps';
import { changeCheckIn, lockCheckIn, lockRunningCheckIn } from './check-in-press';
import { findChangeByEnd, findChangeBySuspension, findDueStep } from './check-in-rules';
import { recordEnd } from './record-end';
import { sendNoticeOfOpenAlarm } from './messages/suspension-notice';

/**
 * Ends the check-in of a suspended person, unless an alarm is open or due. A job tells those who
 * watch in either case.
 */
export async function endCheckInOfSuspended(
  userId: number,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const row = await lockRunningCheckIn(userId, transaction);
  if (row === undefined) return;
  if (await needsHelp(row, transaction, now))
    return addJob({ kind: SUSPENSION_NOTICE_JOB, subject: String(row.id) }, transaction, now);
  const change = findChangeBySuspension(row, now);
  if (change === undefined) return;
  await changeCheckIn(row, change, transaction, now);
  await recordEnd(row, transaction, true);
}

export const suspensionNoticeSteps: JobSteps = {
  // The job has a kind of its own, so that processes of an older version leave it to others.
  kinds: [SUSPENSION_NOTICE_JOB],
  limit: 5,
  async step({ subject }, transaction, { now: clock }) {
    const row = await lockCheckIn(Number(subject), transaction);
    if (row === undefined) return undefined;
    const now = clock();
    const suspendedAt = await readSuspensionTime(row, transaction);
    // Someone may have given the all-clear, or reinstated the person.
    if (suspendedAt === null || !(await needsHelp(row, transaction, now))) return undefined;
    await sendNoticeOfOpenAlarm(row, suspendedAt, transaction, now);
    await recordAudit({ action: 'check-in.suspend', person: row.user_id }, transaction);
    return undefined;
  },
};

/**
 * Ends the check-in of a suspended person, whose alarm got its all-clear.
 * @returns false for other people: they still have to answer
 */
export async function endIfSuspended(
  row: CheckInRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<boolean> {
  const change = findChangeByEnd(row, now);
  if (change === undefined || (await readSuspensionTime(row, transaction)) === null) return false;
  await changeCheckIn(row, change, transaction, now);
  await recordEnd(row, transaction, true);
  return true;
}

const needsHelp = async (
  row: CheckInRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<boolean> =>
  findDueStep(row, now) === 'alarm' ||
  (await readCurrentCheckInState(row.user_id, transaction, now))?.isAlarmOpen === true;

async function readSuspensionTime(
  { user_id }: CheckInRow,
  transaction: Transaction<Tables>,
): Promise<number | null> {
  const user = transaction.selectFrom('users').where('id', '=', user_id).select('suspended_at');
  return (await user.executeTakeFirst())?.suspended_at ?? null;
}
