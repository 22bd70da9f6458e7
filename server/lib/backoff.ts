/** When to retry: exponential with jitter, and never before the push service allows it. */

const FIRST_WAIT_MS = 5_000;
const MAX_WAIT_MS = 15 * 60_000;
/** A longer Retry-After is cut, because the message would only expire. */
const MAX_RETRY_AFTER_MS = 6 * 3600_000;

/**
 * Milliseconds to wait after this many attempts (from 1): 5 s, 10 s … 15 min, drawn from the upper half
 * of that ("equal jitter"), so that rows that failed together do not return together.
 */
export function backoff(attempts: number, random: () => number = Math.random): number {
  const maxWait = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempts - 1, 20));
  return Math.round(maxWait / 2 + (random() * maxWait) / 2);
}

/**
 * Reads a Retry-After header (RFC 9110, 10.2.3): seconds or an HTTP date.
 * @returns milliseconds since 1970, at most six hours ahead; undefined if absent or unusable
 */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  const retryAt = /^\d+$/.test(text) ? now + Number(text) * 1000 : Date.parse(text);
  return Number.isNaN(retryAt) || retryAt <= now
    ? undefined
    : Math.min(retryAt, now + MAX_RETRY_AFTER_MS);
}
