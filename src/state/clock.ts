/** The server's clock, as far as this device knows it. */
import { jwtDecode } from 'jwt-decode';
import { readStored, writeStored } from '../platform/storage/storage';

/**
 * How far the server's clock is ahead of this device's, in milliseconds, where that is worth
 * noting.
 */
const SKEW = 'clock_skew';
const TOLERANCE_MS = 60_000;

/**
 * The time by the server's clock. Phones are days off at times, and would take every new token for
 * an old one: so the difference is noted when a token is received, which says when it was made.
 */
export const now = () => Date.now() + Number(readStored(SKEW) ?? 0);

/** Notes how far the clock is off, as a token that was just received tells it. */
export function noteSkew(text: string): void {
  try {
    const { iat } = jwtDecode<{ iat?: unknown }>(text);
    const skew = typeof iat === 'number' ? iat * 1000 - Date.now() : 0;
    writeStored(SKEW, Math.abs(skew) > TOLERANCE_MS ? String(skew) : null);
  } catch {
    writeStored(SKEW, null); // no token at all: `session.ts` says so
  }
}
