/** When a heartbeat is due, late and silent: pure rules over its row. */
import type { Heartbeat } from '../../src/shared/contract';
import { HEARTBEAT_GRACE } from '../../src/shared/contract/heartbeats';
import type { HeartbeatRow } from '../db/schema';
import { SECOND_MS, HOUR_MS } from '../lib/durations';

/** A job that runs later than this was not watching: the server was down, or its clock jumped. */
const MIN_OUTAGE_MS = 30_000;

export type HeartbeatIntervals = Pick<HeartbeatRow, 'every_seconds' | 'grace_seconds'>;
type WatchedHeartbeat = HeartbeatIntervals & Pick<HeartbeatRow, 'watched_from'>;

/** Returns seconds. */
export const defaultGrace = (every: number): number =>
  Math.min(Math.max(Math.ceil(every / 2), HEARTBEAT_GRACE.min), HEARTBEAT_GRACE.default);

/** Returns milliseconds since 1970, like all times here. */
export const heartbeatDueAt = ({ watched_from, every_seconds }: WatchedHeartbeat): number =>
  watched_from + every_seconds * SECOND_MS;

export const heartbeatSilentAt = (row: WatchedHeartbeat): number =>
  heartbeatDueAt(row) + row.grace_seconds * SECOND_MS;

/** A new interval has its own default grace. */
export function heartbeatTimesAfter(
  formerIntervals: HeartbeatIntervals,
  { every = formerIntervals.every_seconds, grace }: { every?: number; grace?: number },
): HeartbeatIntervals {
  const isSameInterval = every === formerIntervals.every_seconds;
  const grace_seconds =
    grace ?? (isSameInterval ? formerIntervals.grace_seconds : defaultGrace(every));
  return { every_seconds: every, grace_seconds };
}

/**
 * Returns the time from which heartbeats are watched after an outage. Machines called in vain
 * meanwhile, so each gets its interval again, but at most an hour: nightly backups must be noticed.
 * @returns undefined if there was no outage
 */
export function watchedAfterOutage(row: WatchedHeartbeat, now: number): number | undefined {
  if (now - heartbeatSilentAt(row) <= MIN_OUTAGE_MS) return undefined;
  const everyMs = row.every_seconds * SECOND_MS;
  return now + Math.min(everyMs, HOUR_MS) - everyMs;
}

export function getHeartbeatState(
  row: WatchedHeartbeat & Pick<HeartbeatRow, 'paused_at' | 'silent_at' | 'last_at'>,
  now: number,
): Heartbeat['state'] {
  if (row.paused_at !== null) return 'paused';
  if (row.silent_at !== null) return 'silent';
  if (heartbeatDueAt(row) < now) return 'late';
  return row.last_at < row.watched_from ? 'waiting' : 'alive';
}
