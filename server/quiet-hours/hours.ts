import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { QuietHours, QuietHoursNow, QuietRule } from '../../src/shared/contract';
import { quietUntil } from '../../src/shared/quiet-hours';
import { QUIET_JOB } from '../db/jobs/kinds';
import { addJob } from '../db/jobs/jobs';
import type { Database } from '../db/open';
import { idTable } from '../db/json-table';
import type { Tables } from '../db/schema';
import { toTime } from '../lib/clock';

const NO_QUIET_HOURS: QuietHours = { timeZone: 'UTC', rules: [] };

export async function readHours(userId: number, db: Database, now: number): Promise<QuietHoursNow> {
  const savedHours = await db
    .selectFrom('quiet_hours')
    .where('user_id', '=', userId)
    .select(['time_zone', 'rules'])
    .executeTakeFirst();
  const hours = savedHours === undefined ? NO_QUIET_HOURS : toHours(savedHours);
  const until = quietUntil(hours, now);
  return {
    ...hours,
    quietUntil: until === undefined ? null : toTime(until),
    waiting: await countHeld(userId, db, now),
  };
}

const toHours = (row: { time_zone: string; rules: string }): QuietHours => ({
  timeZone: row.time_zone,
  rules: JSON.parse(row.rules) as QuietRule[],
});

/** When people's quiet hours end. People without quiet hours now are left out. */
export async function findQuietHoursEnds(
  userIds: readonly number[],
  db: Database,
  now: number,
): Promise<Map<number, number>> {
  const findPersonsQuietHoursEnd = new Map<number, number>();
  if (userIds.length === 0) return findPersonsQuietHoursEnd;
  const rows = await db
    .selectFrom('quiet_hours')
    .where('user_id', 'in', sql<number>`(select id from ${idTable(userIds)} as asked)`)
    .select(['user_id', 'time_zone', 'rules'])
    .execute();
  const findQuietHoursEnd = createQuietHoursEndCache(now);
  for (const row of rows) {
    const until = findQuietHoursEnd(row);
    if (until !== undefined) findPersonsQuietHoursEnd.set(row.user_id, until);
  }
  return findPersonsQuietHoursEnd;
}

/** Computes ends for one moment, and caches them, because most people have the same few hours. */
export function createQuietHoursEndCache(
  now: number,
): (row: { time_zone: string; rules: string }) => number | undefined {
  const cache = new Map<string, number | undefined>();
  return (row) => {
    const key = `${row.time_zone} ${row.rules}`;
    if (!cache.has(key)) cache.set(key, quietUntil(toHours(row), now));
    return cache.get(key);
  };
}

async function countHeld(userId: number, db: Database, now: number): Promise<number> {
  const { waiting } = await db
    .selectFrom('recipients')
    .innerJoin('messages', 'messages.id', 'recipients.message_id')
    .where('recipients.user_id', '=', userId)
    .where('recipients.state', '=', sql.lit('held'))
    .where('recipients.read_at', 'is', null)
    .where('messages.state', '<>', 'cancelled')
    .where('messages.expires_at', '>', now)
    .select(({ fn }) => fn.countAll<number>().as('waiting'))
    .executeTakeFirstOrThrow();
  return waiting;
}

/** Locks the inbox first, as every message does: it is held by the old hours or sees the new. */
export async function saveHours(
  userId: number,
  hours: QuietHours,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  await transaction
    .insertInto('inboxes')
    .values({ user_id: userId, last_seq: 0 })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet((inbox) => ({ last_seq: inbox.ref('inboxes.last_seq') })),
    )
    .execute();
  const row = { time_zone: hours.timeZone, rules: JSON.stringify(hours.rules) };
  if (hours.rules.length === 0)
    await transaction.deleteFrom('quiet_hours').where('user_id', '=', userId).execute();
  else
    await transaction
      .insertInto('quiet_hours')
      .values({ user_id: userId, ...row })
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row))
      .execute();
  const heldRow = await transaction
    .selectFrom('recipients')
    .where('user_id', '=', userId)
    .where('state', '=', sql.lit('held'))
    .select('seq')
    .limit(1)
    .executeTakeFirst();
  if (heldRow === undefined) return;
  const job = { kind: QUIET_JOB, subject: String(userId) };
  await addJob(job, transaction, now, quietUntil(hours, now) ?? now);
}
