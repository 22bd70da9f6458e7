import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds between two attempts: constant polling would slow the test down. */
const [MIN_PAUSE, MAX_PAUSE] = [4, 20];

/** Waits until `read` returns a truthy value, and returns that value. */
export async function eventually<T>(
  read: () => T | Promise<T>,
  what: string,
  limit = 30_000,
): Promise<Exclude<T, false | null | undefined>> {
  const end = Date.now() + limit;
  for (let between = MIN_PAUSE; ; between = Math.min(between * 1.5, MAX_PAUSE)) {
    const value = await read();
    if (value) return value as Exclude<T, false | null | undefined>;
    if (Date.now() > end) throw new Error(`Timed out waiting for ${what}`);
    await pause(between);
  }
}

/** Waits for a moment in which something must not happen. */
export const shortPause = (): Promise<void> => pause(20);
