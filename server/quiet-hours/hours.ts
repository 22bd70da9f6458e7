/** People's quiet hours, and whether it is quiet for them. */
import type { Transaction } from 'kysely';
import type { QuietHours, QuietHoursNow, QuietRule } from '../../src/shared/contract';
import { quietUntil } from '../../src/shared/quiet-hours';
import { QUIET_JOB, addJob } from '../db/jobs';
import type { Database } from '../db/open';
import type { Tables } from '../db/schema';

const NONE: QuietHours = { timeZone: 'UTC', rules: [] };

/** With what they mean at this moment, and how many messages wait. */
export async function readHours(userId: number, db: Database, now: number): Promise<QuietHoursNow> {
  const saved = await db
    .selectFrom('quiet_hours')
    .where('user_id', '=', userId)
    .select(['time_zone', 'rules'])
    .executeTakeFirst();
  const hours = saved === undefined ? NONE : toHours(saved);
  const until = quietUntil(hours, now);
  return {
    ...hours,
    quietUntil: until === undefined ? null : new Date(until).toISOString(),
    waiting: await countHeld(userId, db, now),
  };
}

export const toHours = (row: { time_zone: string; rules: string }): QuietHours => ({
  timeZone: row.time_zone,
  rules: JSON.parse(row.rules) as QuietRule[],
});

/** Messages that ring at the end, as it looks now. */
async function countHeld(userId: number, db: Database, now: number): Promise<number> {
  const { waiting } = await db
    .selectFrom('recipients')
    .innerJoin('messages', 'messages.id', 'recipients.message_id')
    .where('recipients.user_id', '=', userId)
    .where('recipients.state', '=', 'held')
    .where('recipients.read_at', 'is', null)
    .where('messages.state', '<>', 'cancelled')
    .where('messages.expires_at', '>', now)
    .select(({ fn }) => fn.countAll<number>().as('waiting'))
    .executeTakeFirstOrThrow();
  return waiting;
}

/**
 * Whatever waits rings at the end of the new hours, or now. A message that is written at this moment
 * keeps the row of the old ones (`held.ts`): it is waited for, and its job is moved with the others.
 */
export async function saveHours(
  userId: number,
  hours: QuietHours,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const row = { time_zone: hours.timeZone, rules: JSON.stringify(hours.rules) };
  if (hours.rules.length === 0)
    await transaction.deleteFrom('quiet_hours').where('user_id', '=', userId).execute();
  else
    await transaction
      .insertInto('quiet_hours')
      .values({ user_id: userId, ...row })
      .onConflict((known) => known.column('user_id').doUpdateSet(row))
      .execute();
  const waits = await transaction
    .selectFrom('recipients')
    .where('user_id', '=', userId)
    .where('state', '=', 'held')
    .select('seq')
    .limit(1)
    .executeTakeFirst();
  if (waits === undefined) return;
  const job = { kind: QUIET_JOB, subject: String(userId) };
  await addJob(job, transaction, now, quietUntil(hours, now) ?? now);
}
