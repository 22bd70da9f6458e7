/** Bounds how often one person's alarms and all-clears notify everyone. No press is ever rejected. */
import type { Transaction } from 'kysely';
import type { CheckInRow, Tables } from '../db/schema';
import { consumeLimitUpTo, refundLimitInTransaction } from '../http/rate-limits';
import type { Limit } from '../http/rate-limits';
import { MINUTE_MS } from '../lib/durations';

const allClearLimit = ({ user_id }: CheckInRow): Limit => ({
  key: ['check-in all-clear', String(user_id)],
  max: 10,
  windowMs: 60 * MINUTE_MS,
});

/**
 * Counts an all-clear.
 * @returns when it may be sent: now, or once the limit has room
 */
export async function consumeAllClearLimit(
  row: CheckInRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<number> {
  const { granted, waitMilliseconds } = await consumeLimitUpTo(
    allClearLimit(row),
    1,
    transaction,
    now,
  );
  return granted > 0 ? now : now + waitMilliseconds;
}

/**
 * While the limit delays all-clears, a person who keeps pressing “I need help” and “I’m OK” alerts
 * others at most once a minute, even by starting again: the earlier alarm still stands. Help after
 * a missed check-in never waits.
 * @returns when the alarm may be sent
 */
export async function consumeHelpAlarmLimit(
  row: CheckInRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<number> {
  const alarmedAt = row.alarmed_at ?? (await readLastAlarmTime(row, transaction));
  if (alarmedAt === null || alarmedAt > now || now - alarmedAt >= MINUTE_MS) return now;
  if (row.alarmed_at !== null && row.alarmed_at >= row.alarm_at) return now;
  const limit = allClearLimit(row);
  const { granted } = await consumeLimitUpTo(limit, 1, transaction, now);
  if (granted === 0) return alarmedAt + MINUTE_MS;
  // Without an all-clear in between, which counts, the alarm itself counts.
  if (row.alarmed_at === null) await refundLimitInTransaction([limit], transaction);
  return now;
}

/** The last alarm of the person's other check-ins. */
async function readLastAlarmTime(
  { id, user_id }: CheckInRow,
  transaction: Transaction<Tables>,
): Promise<number | null> {
  const { last } = await transaction
    .selectFrom('check_ins')
    .where('user_id', '=', user_id)
    .where('id', '<>', id)
    .select(({ fn }) => fn.max('alarmed_at').as('last'))
    .executeTakeFirstOrThrow();
  return last;
}
