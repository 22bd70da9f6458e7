import type { Database } from './db/open';
import type { Log } from './log';
import { describeError } from './log';

const HOUR = 60 * 60 * 1000;

/** Removes what has ended by itself: links that nobody used and counters of past windows. */
export async function sweep(db: Database, now: number): Promise<void> {
  await db.deleteFrom('one_time_tokens').where('expires_at', '<', now).execute();
  await db.deleteFrom('rate_limits').where('ends_at', '<', now).execute();
}

/** Sweeps now and every hour; several processes may do so at once. @returns how to stop it */
export function startSweeping(db: Database, log: Log): () => void {
  const run = (): void => {
    sweep(db, Date.now()).catch((error: unknown) => log.warn('sweeping failed', describeError(error)));
  };
  run();
  const timer = setInterval(run, HOUR);
  return () => clearInterval(timer);
}
