/** Maintenance of the outbox, every minute. */
import { repairDueTimes, expireRows } from '../../db/outbox/maintenance';
import type { Database } from '../../db/open';
import { markUnproven } from '../../db/push-services';
import type { ServiceBreaker } from './breaker';

const MAINTENANCE_EVERY_MS = 60_000;
/** Milliseconds between batches, so that other writers get their turn. */
const BATCH_PAUSE_MS = 20;
/** How long a proven service may go without a reply before it counts as unproven. */
const UNPROVEN_AFTER_MS = 3600_000;

interface MaintenanceSettings {
  db: Database;
  now: () => number;
  /** Milliseconds of the monotonic clock. */
  elapsed: () => number;
  isClockSure: () => boolean;
  breaker: ServiceBreaker;
}

/** Creates a function to call in every turn. It works once a minute, in batches. */
export function createOutboxMaintenance({
  db,
  now,
  elapsed,
  isClockSure,
  breaker,
}: MaintenanceSettings): () => Promise<void> {
  let nextRun = 0;
  return async () => {
    if (elapsed() < nextRun) return;
    nextRun = elapsed() + MAINTENANCE_EVERY_MS;
    const repairedCount = await repairDueTimes(db, now());
    // Expiry is final, so the clock must be certain.
    const expiredCount = isClockSure() ? await expireRows(db, now()) : 0;
    if (repairedCount + expiredCount > 0) nextRun = elapsed() + BATCH_PAUSE_MS;
    await markUnproven(breaker.silentFor(UNPROVEN_AFTER_MS), db);
  };
}
