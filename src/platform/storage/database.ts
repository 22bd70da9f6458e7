/**
 * What a phone keeps to show it without a network, in IndexedDB. Keeping is a courtesy: a browser
 * that has no room or no database makes the app no worse than one that starts empty, so nothing
 * here ever fails.
 */
import { clear, get, set } from 'idb-keyval';

/** What was kept under the name, or undefined. */
export const readKept = <T>(name: string): Promise<T | undefined> => attempt(() => get<T>(name));

export const writeKept = (name: string, value: unknown): Promise<void> =>
  attempt(() => set(name, value));

/** Forgets everything that was kept. */
export const clearAll = (): Promise<void> => attempt(() => clear());

/**
 * What page and worker keep of what this device received (`received.ts`) is a database of its own:
 * the worker goes on after a session has run out.
 */
export const RECEIVED = 'fieldbell';

/** Forgets that, and the key with which the device speaks. */
export const clearReceived = () => attempt(async () => indexedDB.deleteDatabase(RECEIVED));

async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    console.warn('Nothing can be kept for offline use', error);
    return undefined;
  }
}
