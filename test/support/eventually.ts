import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds between two looks: constant looking would take the processor from the test. */
const [MIN_PAUSE, MAX_PAUSE] = [4, 20];

/** Waits until `read` gives something true, and returns it. */
export async function eventually<T>(
  read: () => T | Promise<T>,
  what: string,
  limit = 30_000,
): Promise<Exclude<T, false | null | undefined>> {
  const end = Date.now() + limit;
  for (let between = MIN_PAUSE; ; between = Math.min(between * 1.5, MAX_PAUSE)) {
    const value = await read();
    if (value) return value as Exclude<T, false | null | undefined>;
    if (Date.now() > end) throw new Error(`Waited in vain for ${what}`);
    await pause(between);
  }
}

/** A moment in which something must not happen. */
export const shortPause = (): Promise<void> => pause(20);
