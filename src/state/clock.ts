/** The server's clock, as far as this device knows it. */
import { jwtDecode } from 'jwt-decode';
import { readStored, writeStored } from '../platform/storage/storage';

/** How far the server's clock is ahead, in milliseconds; stored only if it is worth correcting. */
const SKEW = 'clock_skew';
const TOLERANCE_MS = 60_000;

/** A phone may be days off and would treat every new token as expired. */
export const serverNow = () => Date.now() + Number(readStored(SKEW) ?? 0);

export function storeClockSkew(text: string): void {
  try {
    const { iat } = jwtDecode<{ iat?: unknown }>(text);
    const skew = typeof iat === 'number' ? iat * 1000 - Date.now() : 0;
    writeStored(SKEW, Math.abs(skew) > TOLERANCE_MS ? String(skew) : null);
  } catch {
    writeStored(SKEW, null); // no token at all: `session.ts` says so
  }
}
