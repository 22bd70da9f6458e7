import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from './db/open';
import type { Log } from './log';
import { describeError } from './log';
import { retireDeliveries } from './messages/retire';

const HOUR = 60 * 60 * 1000;

/** Removes what nobody needs any more: links that nobody used, counters of past windows, rows of the outbox that are done with. */
export async function sweep(db: Database, now: number, stopping: AbortSignal): Promise<void> {
  await db.deleteFrom('one_time_tokens').where('expires_at', '<', now).execute();
  await db.deleteFrom('rate_limits').where('ends_at', '<', now).execute();
  await retireDeliveries(db, now, stopping);
}

/** Sweeps now and every hour; several processes may do so at once. @returns how to stop it */
export function startSweeping(db: Database, log: Log): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const keepSweeping = async (): Promise<void> => {
    while (!signal.aborted) {
      await sweep(db, Date.now(), signal).catch((error: unknown) => log.warn('sweeping failed', describeError(error)));
      await wait(HOUR, undefined, { signal }).catch(() => undefined);
    }
  };
  const stopped = keepSweeping();
  return async () => {
    stopping.abort();
    await stopped;
  };
}
