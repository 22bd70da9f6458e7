/**
 * Keeps the outbox from growing for ever: rows that were dealt with long ago become numbers of
 * their message.
 */
import type { Transaction } from 'kysely';
import type { Database } from '../db/open';
import type { DeliveryRow, DeliveryState, Tables } from '../db/schema';
import { inTransaction } from '../db/transaction';
import { inSteps } from '../lib/loop';

/** How long after a message has expired its rows can still be looked into, one by one. */
const KEPT_MILLISECONDS = 7 * 24 * 60 * 60 * 1000;
/** Few enough that nobody who wants to write has to wait long. */
const BATCH = 500;

/**
 * Goes on until there is nothing to retire, or until it is told to stop. Several processes may do
 * so at once.
 */
export async function pruneDeliveries(
  db: Database,
  now: number,
  stopping: AbortSignal,
): Promise<void> {
  let last = { expires_at: 0, id: '' };
  while (!stopping.aborted) {
    const next = await findExpired(now - KEPT_MILLISECONDS, last, db);
    if (next === undefined) return;
    await inSteps(() => retireSome(next.id, db), stopping);
    // What is still pending keeps a message here, and must not keep the others.
    last = next;
  }
}

/**
 * By when messages have expired, not by their age: those from a clock that was ahead must not stand
 * in the way.
 */
async function findExpired(
  before: number,
  after: { expires_at: number; id: string },
  db: Database,
): Promise<{ expires_at: number; id: string } | undefined> {
  return db
    .selectFrom('messages')
    .select(['expires_at', 'id'])
    .where('retired', '=', 0)
    .where('expires_at', '<', before)
    .where(({ or, and, eb }) =>
      or([
        eb('expires_at', '>', after.expires_at),
        and([eb('expires_at', '=', after.expires_at), eb('id', '>', after.id)]),
      ]),
    )
    .orderBy('expires_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}

/** @returns whether there may be more of this message */
async function retireSome(messageId: string, db: Database): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const retired = await transaction
      .deleteFrom('deliveries')
      .where('id', 'in', (build) =>
        build
          .selectFrom('deliveries')
          .select('id')
          .where('message_id', '=', messageId)
          .where('state', '<>', 'pending')
          .limit(BATCH),
      )
      .returning(['state', 'reason'])
      .execute();
    await addToTotals(messageId, retired, transaction);
    if (retired.length === BATCH) return true;
    await transaction
      .updateTable('messages')
      .set({ retired: 1 })
      .where('id', '=', messageId)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('deliveries').select('deliveries.id').where('message_id', '=', messageId),
          ),
        ),
      )
      .execute();
    return false;
  });
}

/** Those skipped are nobody's: nothing was owed to them. */
async function addToTotals(
  messageId: string,
  retired: Pick<DeliveryRow, 'state' | 'reason'>[],
  transaction: Transaction<Tables>,
): Promise<void> {
  if (retired.length === 0) return;
  const count = (wanted: DeliveryState): number =>
    retired.filter(({ state }) => state === wanted).length;
  const expired = retired.filter(({ reason }) => reason === 'expired').length;
  await transaction
    .updateTable('messages')
    .set((total) => ({
      accepted: total('accepted', '+', count('accepted')),
      failed: total('failed', '+', count('failed')),
      gone: total('gone', '+', count('gone')),
      expired: total('expired', '+', expired),
    }))
    .where('id', '=', messageId)
    .execute();
}
