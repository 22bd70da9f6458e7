/** Upkeep of the outbox, every minute. */
import { repairDueTimes, expireRows } from '../../db/outbox/upkeep';
import type { Database } from '../../db/open';
import { markUnproven } from '../../db/push-services';
import type { Breaker } from './breaker';

const EVERY = 60_000;
/** Milliseconds between batches, so that other writers get their turn. */
const PAUSE = 20;
/** A service without any reply for so long loses its proof. */
const SILENT = 3600_000;

interface UpkeepSettings {
  db: Database;
  now: () => number;
  /** Milliseconds of the monotonic clock. */
  elapsed: () => number;
  isClockSure: () => boolean;
  breaker: Breaker;
}

/** Creates a function to call in every turn. It works once a minute, in batches. */
export function createUpkeep({
  db,
  now,
  elapsed,
  isClockSure,
  breaker,
}: UpkeepSettings): () => Promise<void> {
  let next = 0;
  return async () => {
    if (elapsed() < next) return;
    next = elapsed() + EVERY;
    const broughtBack = await repairDueTimes(db, now());
    // Expiry is final, so the clock must be certain.
    const expired = isClockSure() ? await expireRows(db, now()) : 0;
    if (broughtBack + expired > 0) next = elapsed() + PAUSE;
    await markUnproven(breaker.silentFor(SILENT), db);
  };
}
