/** Paces pushes to a service that throttles us, across all processes. */
import { sql } from 'kysely';
import { lockForUpdate } from './lock';
import type { Database } from './open';
import { inTransaction } from './transaction';

/** 900 a minute: Chrome's service allows 1,000 to a site that people rarely open. */
const PUSH_INTERVAL_MS = 60_000 / 900;
/** Unused time that may be caught up, so that rare claims lose no pushes. */
const MAX_CATCH_UP_MS = 2000;

/** A service throttles us: its pushes are paced until then, unless it is later already. */
export async function throttleService(id: number, until: number, db: Database): Promise<void> {
  await db
    .updateTable('push_services')
    .set({
      throttled_until: sql`case when throttled_until > cast(${until} as bigint) then throttled_until else cast(${until} as bigint) end`,
    })
    .where('id', '=', id)
    .execute();
}

/** @returns how many of the wanted pushes may be sent to the service now; they count as sent */
export const consumePushRate = (
  id: number,
  requested: number,
  db: Database,
  now: number,
): Promise<number> =>
  inTransaction(db, async (transaction) => {
    const service = await lockForUpdate(
      transaction.selectFrom('push_services').select('paced_to').where('id', '=', id),
      transaction,
    ).executeTakeFirst();
    const pacedFrom = Math.min(now, Math.max(service?.paced_to ?? 0, now - MAX_CATCH_UP_MS));
    const grantedCount = Math.min(requested, Math.floor((now - pacedFrom) / PUSH_INTERVAL_MS));
    if (grantedCount > 0)
      await transaction
        .updateTable('push_services')
        .set({ paced_to: Math.ceil(pacedFrom + grantedCount * PUSH_INTERVAL_MS) })
        .where('id', '=', id)
        .execute();
    return grantedCount;
  });
