/** Offline data in IndexedDB. It is optional, so nothing here ever fails. */
import { clear, get, set, update } from 'idb-keyval';

export const readOfflineData = <T>(name: string): Promise<T | undefined> =>
  ignoreFailure(() => get<T>(name));

export const writeOfflineData = (name: string, value: unknown): Promise<void> =>
  ignoreFailure(() => set(name, value));

/** Reads and writes in one step, because other windows write, too. */
export const updateOfflineData = <T>(
  name: string,
  change: (stored: T | undefined) => T,
): Promise<void> => ignoreFailure(() => update(name, change));

export const clearOfflineData = (): Promise<void> => ignoreFailure(() => clear());

/** A separate database: the worker uses this one (`received.ts`) even after a session expired. */
export const RECEIVED_DATABASE = 'fieldbell';

/** Deletes the database and the device's key. */
export const clearReceived = () =>
  ignoreFailure(async () => indexedDB.deleteDatabase(RECEIVED_DATABASE));

async function ignoreFailure<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    console.warn('Nothing can be stored for offline use', error);
    return undefined;
  }
}
