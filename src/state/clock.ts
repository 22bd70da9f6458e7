/** The server's clock, as far as this device knows it. */
import { jwtDecode } from 'jwt-decode';
import { sessionAccess } from '../api/call';
import { readStored, writeStored } from '../platform/storage/storage';

/** How far the server's clock is ahead, in milliseconds; stored only if it is worth correcting. */
const CLOCK_SKEW_STORAGE_KEY = 'clock_skew';
const SKEW_TOLERANCE_MS = 60_000;

/** A phone may be days off and would treat every new token as expired. */
export const serverNow = () => Date.now() + Number(readStored(CLOCK_SKEW_STORAGE_KEY) ?? 0);

// A clock may be set at any time, so each response counts; small differences are travel time.
sessionAccess.answered = (date) => {
  const time = Date.parse(date ?? '');
  if (Math.abs(time - serverNow()) > SKEW_TOLERANCE_MS) storeSkew(time - Date.now());
};

const storeSkew = (skew: number) =>
  writeStored(CLOCK_SKEW_STORAGE_KEY, Math.abs(skew) > SKEW_TOLERANCE_MS ? String(skew) : null);

/** Stores the skew, because some servers do not let this app read their `Date` header. */
export function storeClockSkew(text: string): void {
  let skew = 0;
  try {
    const { iat } = jwtDecode<{ iat?: unknown }>(text);
    if (typeof iat === 'number') skew = iat * 1000 - Date.now();
  } catch {
    // no token at all: `session.ts` says so
  }
  storeSkew(skew);
}
