/** Starting and ending check-ins. */
import type { Transaction } from 'kysely';
import type { CheckIn, Received } from '../../src/shared/contract';
import { isTimeZone } from '../../src/shared/quiet-hours';
import { recordAudit } from '../audit/record-audit';
import type { Tables } from '../db/schema';
import { HttpError, conflictError, notFoundError } from '../http/errors';
import { consumeLimitOrThrow } from '../http/rate-limits';
import type { Limit } from '../http/rate-limits';
import { countedNoun } from '../lib/counted-noun';
import { checkInTimes, findChangeByEnd, isBeforeHelp } from './check-in-rules';
import type { CheckInPress } from './check-in-rules';
import { changeCheckIn, lockCheckIn, addCheckInJob } from './check-in-press';
import { NO_SUCH_CHECK_IN, readCheckIn } from './read-check-ins';
import { recordEnd } from './record-end';
import { readCheckInSettings } from './settings';

const MAX_TIME_ZONE_LENGTH = 64;
export const CHECK_IN_HAS_ENDED = 'This check-in has ended.';

const startLimit = (userId: number): Limit => ({
  key: ['check-in start', String(userId)],
  max: 60,
  windowMs: 60 * 60_000,
});
const startedTooOftenError = (seconds: number): HttpError =>
  new HttpError(429, 'You have started too many check-ins.', seconds);

/** @throws HttpError 409, 429 */
export async function startCheckIn(
  { minutes, note = '', timeZone = '' }: Received<'POST /api/check-ins'>,
  userId: number,
  transaction: Transaction<Tables>,
  now: number,
): Promise<CheckIn> {
  await consumeLimitOrThrow(startLimit(userId), transaction, now, startedTooOftenError);
  const { enabled, grace_minutes } = await readCheckInSettings(transaction);
  if (enabled === 0) throw conflictError('Check-ins are turned off.');
  const checkIn = await transaction
    .insertInto('check_ins')
    .values({
      user_id: userId,
      note,
      time_zone: readZone(timeZone),
      minutes,
      grace_minutes,
      started_at: now,
      ...checkInTimes(now, { minutes, grace_minutes }),
    })
    .onConflict((running) => running.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (checkIn === undefined) throw conflictError('You already have a running check-in.');
  await addCheckInJob(checkIn, transaction, now);
  const detail = countedNoun(minutes, 'minute');
  await recordAudit({ action: 'check-in.start', person: userId, detail }, transaction);
  return readCheckIn(checkIn.id, transaction, now);
}

/** The zone only formats the alarm's times, so an unknown zone is no error. */
const readZone = (name: string): string =>
  name.length <= MAX_TIME_ZONE_LENGTH && /^[A-Za-z]/.test(name) && isTimeZone(name) ? name : 'UTC';

/** @throws HttpError 404, 409 */
export async function endCheckIn(
  id: number,
  userId: number,
  transaction: Transaction<Tables>,
  press: Pick<CheckInPress, 'earliestAt' | 'now'>,
): Promise<CheckIn> {
  const { now } = press;
  const row = await lockCheckIn(id, transaction);
  if (row?.user_id !== userId) throw notFoundError(NO_SUCH_CHECK_IN);
  const change = findChangeByEnd(row, now);
  if (change === undefined) throw conflictError(CHECK_IN_HAS_ENDED);
  if (isBeforeHelp(row, press))
    throw conflictError(
      'This check-in is still running, because you asked for help after you pressed “End check-in”. To end it anyway, press “End check-in” again.',
    );
  await changeCheckIn(row, change, transaction, now);
  await recordEnd(row, transaction);
  return readCheckIn(id, transaction, now);
}
