import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds between two looks. At once again would take the processor from what is waited for. */
const BETWEEN = 5;

/**
 * Waits until `read` gives something that is true, and returns that. Looks again and again, for what nothing announces;
 * the limit only keeps a failing test from hanging.
 */
export async function eventually<T>(read: () => T | Promise<T>, what: string, limit = 10_000): Promise<Exclude<T, false | null | undefined>> {
  const end = Date.now() + limit;
  for (;;) {
    const value = await read();
    if (value) return value as Exclude<T, false | null | undefined>;
    if (Date.now() > end) throw new Error(`Waited in vain for ${what}`);
    await pause(BETWEEN);
  }
}

/** Waits for a moment: of what is not to happen there is nothing to wait for. */
export const awhile = (): Promise<void> => pause(20);
