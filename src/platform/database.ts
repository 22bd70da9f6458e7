/**
 * What a phone keeps to show it without a network, in IndexedDB. Keeping is a courtesy: a browser
 * that has no room or no database makes the app no worse than one that starts empty, so nothing
 * here ever fails.
 */
import { clear, createStore, get, set } from 'idb-keyval';

/** What was kept under the name, or undefined. */
export const read = <T>(name: string): Promise<T | undefined> => attempt(() => get<T>(name));

export const write = (name: string, value: unknown): Promise<void> =>
  attempt(() => set(name, value));

/** Forgets everything that was kept. */
export const clearAll = (): Promise<void> => attempt(() => clear());

/**
 * Where page and worker keep what the device received (`received.ts`): a database of its own, since
 * the worker goes on while nobody is signed in, until somebody signs out, or somebody else in.
 */
export const received = createStore('fieldbell', 'received');

/** Forgets that, and the key with which the device speaks. */
export const clearReceived = (): Promise<void> => attempt(() => clear(received));

export async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    console.warn('Nothing can be kept for offline use', error);
    return undefined;
  }
}
