/** Keeps the outbox from growing for ever: rows that were dealt with long ago become numbers of their message. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import type { Database } from '../db/open';
import type { DeliveryState, Tables } from '../db/schema';

/** How long after a message has expired its rows can still be looked into, one by one. */
const KEPT_MILLISECONDS = 7 * 24 * 60 * 60 * 1000;
/** Few enough that nobody who wants to write has to wait long. */
const BATCH = 500;
const PAUSE_MILLISECONDS = 50;

/** Goes on until there is nothing to retire, or until it is told to stop. Several processes may do so at once. */
export async function retireDeliveries(db: Database, now: number, stopping: AbortSignal): Promise<void> {
  const expiredBefore = now - KEPT_MILLISECONDS;
  while (!stopping.aborted && (await retireOldest(expiredBefore, db))) await wait(PAUSE_MILLISECONDS);
}

/** @returns whether there was anything among the oldest rows */
async function retireOldest(expiredBefore: number, db: Database): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const retired = await transaction
      .deleteFrom('deliveries')
      .where('id', 'in', (build) =>
        build
          // Ids grow with time, so the oldest are all that need be looked at, however many there are.
          .selectFrom((from) => from.selectFrom('deliveries').select(['id', 'message_id', 'state']).orderBy('id').limit(BATCH).as('oldest'))
          .innerJoin('messages', 'messages.id', 'oldest.message_id')
          .where('messages.expires_at', '<', expiredBefore)
          .where('oldest.state', '<>', 'pending')
          .select('oldest.id'),
      )
      .returning(['message_id', 'state'])
      .execute();
    for (const id of new Set(retired.map(({ message_id }) => message_id))) {
      await addToTotals(id, retired.filter(({ message_id }) => message_id === id).map(({ state }) => state), transaction);
    }
    return retired.length > 0;
  });
}

/** Those skipped are nobody's: nothing was owed to them. */
async function addToTotals(messageId: string, states: DeliveryState[], transaction: Transaction<Tables>): Promise<void> {
  const count = (wanted: DeliveryState): number => states.filter((state) => state === wanted).length;
  await transaction
    .updateTable('messages')
    .set((total) => ({
      accepted: total('accepted', '+', count('accepted')),
      failed: total('failed', '+', count('failed')),
      gone: total('gone', '+', count('gone')),
    }))
    .where('id', '=', messageId)
    .execute();
}
