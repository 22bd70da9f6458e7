/** Caches counts of large messages: a million takes seconds, and each open page asks every two. */
import type { People } from '../../../src/shared/contract';
import type { Database } from '../../db/open';
import type { DeviceCounts, RecipientTally } from './counts';

export interface MessageCounts {
  devices: DeviceCounts;
  isCutOff: boolean;
  people: People;
  tally: RecipientTally | undefined;
}

interface KeptCounts {
  state: string;
  counts: Promise<unknown>;
  until: number;
}

/** Counting takes at most this part of the time: one second, then nine without. */
const COUNTING_TIME_DIVISOR = 10;
/** An outdated count is still returned for this many milliseconds while a new one is made. */
const OUTDATED_VALID_MS = 10_000;
const MAX_CACHED_COUNTS = 100;

const countsByDatabase = new WeakMap<Database, Map<string, KeptCounts>>();

/**
 * Returns the last counts, also while new counts are made. Another `state` invalidates the counts.
 * @param countedId the message, and whose view if it is not an administrator's
 */
export function cacheCounts<Counted = MessageCounts>(
  countedId: string,
  state: string,
  db: Database,
  count: () => Promise<Counted>,
  elapsed = (): number => performance.now(),
): Promise<Counted> {
  const cache = countsByDatabase.get(db) ?? new Map<string, KeptCounts>();
  countsByDatabase.set(db, cache);
  const startedAt = elapsed();
  const cachedEntry = cache.get(countedId);
  const cachedCounts =
    cachedEntry?.state === state && startedAt < cachedEntry.until + OUTDATED_VALID_MS
      ? cachedEntry
      : undefined;
  if (cachedCounts !== undefined && startedAt < cachedCounts.until)
    return cachedCounts.counts as Promise<Counted>;
  const pendingCounts = count();
  const entry: KeptCounts = {
    state,
    counts: cachedCounts?.counts ?? pendingCounts,
    until: Infinity,
  };
  cache.delete(countedId);
  cache.set(countedId, entry);
  const [oldest] = cache.keys();
  if (cache.size > MAX_CACHED_COUNTS && oldest !== undefined) cache.delete(oldest);
  pendingCounts.then(
    () => {
      entry.counts = pendingCounts;
      entry.until = elapsed() + (COUNTING_TIME_DIVISOR - 1) * (elapsed() - startedAt);
    },
    () => cache.get(countedId) === entry && cache.delete(countedId),
  );
  return entry.counts as Promise<Counted>;
}
