/** How often one person may read. Counted in this process alone: several let through as often each. */
import { HttpError } from '../errors';

/** So many seconds' reads may come at once. */
const BURST_SECONDS = 15;
/** People who are remembered before those of the past are forgotten. */
const MOST = 10_000;

/**
 * @param perSecond 0 for no limit
 * @param now milliseconds of a clock that nobody sets
 * @returns counts one more. @throws HttpError 429
 */
export function limitReads(
  perSecond: number,
  now: () => number = () => performance.now(),
): (userId: number) => void {
  /** When each one's burst is whole again. */
  const until = new Map<number, number>();
  return (userId) => {
    if (perSecond === 0) return;
    const at = now();
    const next = Math.max(until.get(userId) ?? 0, at) + 1000 / perSecond;
    const wait = next - at - BURST_SECONDS * 1000;
    if (wait > 0)
      throw new HttpError(429, 'Too many requests. Please try again soon.', Math.ceil(wait / 1000));
    if (until.size >= MOST) for (const [id, whole] of until) if (whole <= at) until.delete(id);
    until.set(userId, next);
  };
}
