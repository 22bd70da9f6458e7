/** Maintenance of the outbox: expires rows, and repairs times of a wrong clock. */
import { sql } from 'kysely';
import type { SelectQueryBuilder, Transaction } from 'kysely';
import { isUnclaimed } from '../claim-rows';
import { idTable } from '../json-table';
import { isOnPostgres } from '../lock';
import type { Database } from '../open';
import type { Tables } from '../schema';
import { inTransaction } from '../transaction';
import { countEnded } from './ended-pushes';
import { RETRY_ORDER_START } from './queue-order';

/** Small, so that no writer waits long. */
const PUSHES_PER_STATEMENT = 500;
/** No accepted `Retry-After` is longer. */
const MAX_PUSH_WAIT_MS = 7 * 3600_000;
/** Allowed difference between machines' clocks. A larger one means a wrong clock. */
const CLOCK_TOLERANCE_MS = 60_000;

/**
 * Fails pending rows of expired messages, including those in queues that are paused.
 * @returns how many, at most a batch; call again until 0
 */
export async function expireRows(db: Database, now: number): Promise<number> {
  // Usually no row has expired, and this check takes no lock.
  if ((await selectExpired(db, now).limit(1).executeTakeFirst()) === undefined) return 0;
  return inTransaction(db, (transaction) =>
    endPushRows(
      selectExpired(transaction, now).limit(PUSHES_PER_STATEMENT),
      { state: 'failed', reason: 'expired' },
      transaction,
      now,
    ),
  );
}

const selectExpired = (db: Database, now: number) =>
  db
    .selectFrom('messages')
    .innerJoin('deliveries', 'deliveries.message_id', 'messages.id')
    .where('messages.retired', '=', 0)
    .where('messages.expires_at', '<=', now)
    .where('deliveries.state', '=', 'pending')
    .where(isUnclaimed(now))
    .select('deliveries.id');

/**
 * Skips pending rows of a canceled message. Pushes in flight end by themselves.
 * @returns how many, at most a batch; call again until 0
 */
export async function cancelRows(
  messageId: string,
  transaction: Transaction<Tables>,
  now: number,
): Promise<number> {
  const unclaimedRows = transaction
    .selectFrom('deliveries')
    .where('message_id', '=', messageId)
    .where('state', '=', 'pending')
    .where(isUnclaimed(now))
    .select('deliveries.id')
    .limit(PUSHES_PER_STATEMENT);
  return endPushRows(unclaimedRows, { state: 'skipped', reason: 'cancelled' }, transaction, now);
}

/** Skips a message's pending rows to some devices. Pushes in flight end by themselves. */
export async function cancelRowsOfDevices(
  messageId: string,
  deviceIds: readonly number[],
  reason: 'cancelled' | 'cleared',
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const unclaimedRows = transaction
    .selectFrom('deliveries')
    .where('message_id', '=', messageId)
    .where('state', '=', 'pending')
    .where(isUnclaimed(now))
    .where('device_id', 'in', sql<number>`(select id from ${idTable(deviceIds)} as given)`)
    .select('deliveries.id');
  await endPushRows(unclaimedRows, { state: 'skipped', reason }, transaction, now);
}

/** Ends unclaimed rows. Skips locked ones, whose transaction may wait for one of these. */
async function endPushRows<From extends keyof Tables>(
  matchingRows: SelectQueryBuilder<Tables, From, { id: number }>,
  end: { state: 'failed' | 'skipped'; reason: string },
  transaction: Transaction<Tables>,
  now: number,
): Promise<number> {
  const endedRows = await transaction
    .updateTable('deliveries')
    .set({ ...end, claimed_until: null, updated_at: now })
    .where(
      'id',
      'in',
      isOnPostgres(transaction)
        ? matchingRows.forUpdate('deliveries' as From).skipLocked()
        : matchingRows,
    )
    .where('state', '=', 'pending')
    .returning(['message_id', 'user_id', 'state', 'round', 'reason'])
    .execute();
  await countEnded(endedRows, transaction);
  return endedRows.length;
}

/**
 * Repairs rows that a fast clock wrote: they wait as long from now as they had to from then. Safe
 * to repeat.
 * @returns how many, at most a batch; call again until 0
 */
export async function repairDueTimes(db: Database, now: number): Promise<number> {
  // Retries keep their wait since the write, up to the longest that a push service may ask for.
  const waits = sql`case when sort_key < ${sql.lit(RETRY_ORDER_START)} then 0 when due_at - updated_at > ${sql.lit(MAX_PUSH_WAIT_MS)} then ${sql.lit(MAX_PUSH_WAIT_MS)} else due_at - updated_at end`;
  const { numUpdatedRows } = await db
    .updateTable('deliveries')
    .set({
      due_at: sql`${now} + ${waits}`,
      sort_key: sql`case when sort_key < ${sql.lit(RETRY_ORDER_START)} then sort_key else ${sql.lit(RETRY_ORDER_START)} + ${now} + ${waits} end`,
      updated_at: now,
    })
    .where('id', 'in', (build) =>
      build
        .selectFrom('deliveries')
        .select('id')
        .where('state', '=', 'pending')
        .where('due_at', '>', now + CLOCK_TOLERANCE_MS)
        .where(({ or, eb }) =>
          or([
            eb('updated_at', '>', now + CLOCK_TOLERANCE_MS),
            eb('due_at', '>', now + MAX_PUSH_WAIT_MS),
          ]),
        )
        .limit(PUSHES_PER_STATEMENT),
    )
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
