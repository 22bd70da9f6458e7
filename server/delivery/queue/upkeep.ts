/** What the outbox needs every minute. */
import { bringBack, expireRows } from '../../db/outbox/upkeep';
import type { Database } from '../../db/open';
import { disprove } from '../../db/push-services';
import type { Breaker } from './breaker';

const EVERY = 60_000;
/** Milliseconds between two batches: others who wait to write get their turn. */
const PAUSE = 20;
/** A service that has answered nothing for so long is no longer one that works. */
const SILENT = 3600_000;

interface UpkeepSettings {
  db: Database;
  now: () => number;
  /** Milliseconds of the monotonic clock. */
  elapsed: () => number;
  isClockSure: () => boolean;
  breaker: Breaker;
}

/**
 * Makes the function to be called at every turn; it does its work once a minute, beginning with the
 * first, in batches.
 */
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
    const broughtBack = await bringBack(db, now());
    // Expiring is for good, so that the clock must be beyond doubt.
    const expired = isClockSure() ? await expireRows(db, now()) : 0;
    if (broughtBack + expired > 0) next = elapsed() + PAUSE;
    await disprove(breaker.silentFor(SILENT), db);
  };
}
