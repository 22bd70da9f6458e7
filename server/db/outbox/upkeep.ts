/**
 * What the outbox needs now and then: the end of what has expired, and order after a clock that was
 * wrong.
 */
import { sql } from 'kysely';
import type { SelectQueryBuilder, Transaction } from 'kysely';
import { isFree } from '../unclaimed';
import { isOnPostgres } from '../lock';
import type { Database } from '../open';
import type { Tables } from '../schema';
import { inTransaction } from '../transaction';
import { countEnded } from './ended';
import { PARKED } from './order';

/** Few enough that no writer has to wait long. */
const BATCH = 500;
/** What a push service may ask for (`Retry-After`), and some more. */
const MAX_WAIT = 7 * 3600_000;
/**
 * Clocks of several machines may differ by so much; beyond it, a time was written by a clock that
 * was wrong.
 */
const TOLERANCE = 60_000;

/**
 * Gives up pending rows of messages that have expired. Rows in queues that are left alone are
 * reached by nothing else.
 * @returns how many, at most a batch: call again until it is 0
 */
export async function expireRows(db: Database, now: number): Promise<number> {
  // Mostly there is nothing, and no process has to wait for that.
  if ((await selectLate(db, now).limit(1).executeTakeFirst()) === undefined) return 0;
  return inTransaction(db, (transaction) =>
    endSome(
      selectLate(transaction, now).limit(BATCH),
      { state: 'failed', reason: 'expired' },
      transaction,
      now,
    ),
  );
}

const selectLate = (db: Database, now: number) =>
  db
    .selectFrom('messages')
    .innerJoin('deliveries', 'deliveries.message_id', 'messages.id')
    .where('messages.retired', '=', 0)
    .where('messages.expires_at', '<=', now)
    .where('deliveries.state', '=', 'pending')
    .where(isFree(now))
    .select('deliveries.id');

/**
 * Ends pending rows of a cancelled message. Pushes in flight at this moment end by themselves.
 * @returns how many, at most a batch: call again until it is 0
 */
export async function withdrawRows(
  messageId: string,
  transaction: Transaction<Tables>,
  now: number,
): Promise<number> {
  const idle = transaction
    .selectFrom('deliveries')
    .where('message_id', '=', messageId)
    .where('state', '=', 'pending')
    .where(isFree(now))
    .select('deliveries.id')
    .limit(BATCH);
  return endSome(idle, { state: 'skipped', reason: 'cancelled' }, transaction, now);
}

/**
 * Ends rows that no process holds. Those that another transaction is changing at this moment are
 * passed over: it may wait for one of these.
 */
async function endSome<From extends keyof Tables>(
  which: SelectQueryBuilder<Tables, From, { id: number }>,
  end: { state: 'failed' | 'skipped'; reason: string },
  transaction: Transaction<Tables>,
  now: number,
): Promise<number> {
  const ended = await transaction
    .updateTable('deliveries')
    .set({ ...end, claimed_until: null, updated_at: now })
    .where(
      'id',
      'in',
      isOnPostgres(transaction) ? which.forUpdate('deliveries' as From).skipLocked() : which,
    )
    .where('state', '=', 'pending')
    .returning(['message_id', 'user_id', 'state', 'round', 'reason'])
    .execute();
  await countEnded(ended, transaction);
  return ended.length;
}

/**
 * Brings rows back whose times were written by a clock that was ahead: they wait as long from now
 * as they were to wait from then. Doing it twice, or in several processes, changes nothing more.
 * @returns how many, at most a batch: call again until it is 0
 */
export async function bringBack(db: Database, now: number): Promise<number> {
  // Kept as it is relative to when it was written, which cannot be more than any push service may
  // ask for.
  const waits = sql`case when sort_key < ${sql.lit(PARKED)} then 0 when due_at - updated_at > ${sql.lit(MAX_WAIT)} then ${sql.lit(MAX_WAIT)} else due_at - updated_at end`;
  const { numUpdatedRows } = await db
    .updateTable('deliveries')
    .set({
      due_at: sql`${now} + ${waits}`,
      sort_key: sql`case when sort_key < ${sql.lit(PARKED)} then sort_key else ${sql.lit(PARKED)} + ${now} + ${waits} end`,
      updated_at: now,
    })
    .where('id', 'in', (build) =>
      build
        .selectFrom('deliveries')
        .select('id')
        .where('state', '=', 'pending')
        .where('due_at', '>', now + TOLERANCE)
        .where(({ or, eb }) =>
          or([eb('updated_at', '>', now + TOLERANCE), eb('due_at', '>', now + MAX_WAIT)]),
        )
        .limit(BATCH),
    )
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
