/** Bounds the outbox: old rows become counts of their message. */
import type { Transaction } from 'kysely';
import type { Database } from '../db/open';
import type { DeliveryRow, DeliveryState, Tables } from '../db/schema';
import { inTransaction } from '../db/transaction';
import { runInBatches } from '../lib/loop';

const DELIVERY_RETENTION_MS = 7 * 24 * 60 * 60 * 1000;
/** Small batches, so that other writers do not wait long. */
const DELIVERIES_PER_DELETION = 500;

/** Several processes may run this at once. */
export async function deleteOldDeliveries(
  db: Database,
  now: number,
  stopping: AbortSignal,
): Promise<void> {
  let lastExpired = { expires_at: 0, id: '' };
  while (!stopping.aborted) {
    const nextExpired = await findExpired(now - DELIVERY_RETENTION_MS, lastExpired, db);
    if (nextExpired === undefined) return;
    await runInBatches(() => retireBatch(nextExpired.id, db), stopping);
    // A message with pending rows stays, and must not block the others.
    lastExpired = nextExpired;
  }
}

/** Messages are ordered by expiry, not by age: a clock may have been ahead. */
async function findExpired(
  sentBefore: number,
  after: { expires_at: number; id: string },
  db: Database,
): Promise<{ expires_at: number; id: string } | undefined> {
  return db
    .selectFrom('messages')
    .select(['expires_at', 'id'])
    .where('retired', '=', 0)
    .where('expires_at', '<', sentBefore)
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

async function retireBatch(messageId: string, db: Database): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const deletedRows = await transaction
      .deleteFrom('deliveries')
      .where('id', 'in', (build) =>
        build
          .selectFrom('deliveries')
          .select('id')
          .where('message_id', '=', messageId)
          .where('state', '<>', 'pending')
          .limit(DELIVERIES_PER_DELETION),
      )
      .returning(['state', 'reason', 'round'])
      .execute();
    const message = await transaction
      .selectFrom('messages')
      .where('id', '=', messageId)
      .select(['all_clear_at', 'revision_round'])
      .executeTakeFirstOrThrow();
    // Pushes of the all-clear are not the message's.
    const ownRows = deletedRows.filter(
      ({ round }) => message.all_clear_at === null || round < message.revision_round,
    );
    await addToTotals(messageId, ownRows, transaction);
    if (deletedRows.length === DELIVERIES_PER_DELETION) return true;
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

async function addToTotals(
  messageId: string,
  deletedRows: Pick<DeliveryRow, 'state' | 'reason'>[],
  transaction: Transaction<Tables>,
): Promise<void> {
  if (deletedRows.length === 0) return;
  const countInState = (countedState: DeliveryState): number =>
    deletedRows.filter(({ state }) => state === countedState).length;
  const expiredCount = deletedRows.filter(({ reason }) => reason === 'expired').length;
  await transaction
    .updateTable('messages')
    .set((total) => ({
      accepted: total('accepted', '+', countInState('accepted')),
      failed: total('failed', '+', countInState('failed')),
      gone: total('gone', '+', countInState('gone')),
      expired: total('expired', '+', expiredCount),
    }))
    .where('id', '=', messageId)
    .execute();
}
