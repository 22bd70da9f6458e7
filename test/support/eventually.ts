import { setTimeout as pause } from 'node:timers/promises';

/**
 * Milliseconds before the second look, and at most between any two. Looking again at once, or often
 * at a slow thing, would take the processor from it.
 */
const [MIN_PAUSE, MAX_PAUSE] = [4, 20];

/**
 * Waits until `read` gives something that is true, and returns that. Looks again and again, for
 * what nothing announces; the limit only keeps a failing test from hanging, also on a machine that
 * is twenty times slower than usual.
 */
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

/** Waits for a moment: of what is not to happen there is nothing to wait for. */
export const awhile = (): Promise<void> => pause(20);
