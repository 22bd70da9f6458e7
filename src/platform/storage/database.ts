/** Offline data in IndexedDB. It is optional, so nothing here ever fails. */
import { clear, createStore, get, set, update } from 'idb-keyval';
import type { InboxMessage, Receipt } from '../../shared/contract';

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
/** The name of the store and of its only record. */
export const RECEIVED_STORE = 'kept';

/** Deletes the database and the device's key. */
export const clearReceived = () =>
  ignoreFailure(async () => indexedDB.deleteDatabase(RECEIVED_DATABASE));

/**
 * Leaves only unsent answers, for the person's next session here: one may be a call for help.
 * @param keptLink the link of messages that stay with their answers, because they show what it means
 */
export const clearAllButAnswers = (keptLink: string) =>
  ignoreFailure(() =>
    createStore(RECEIVED_DATABASE, RECEIVED_STORE)('readwrite', (store) => {
      const request: IDBRequest<
        { person: number; messages: InboxMessage[]; receipts: Receipt[] } | undefined
      > = store.get(RECEIVED_STORE);
      request.onsuccess = () => {
        if (!request.result) return;
        const { person, ...kept } = request.result;
        const receipts = kept.receipts.filter(({ answer }) => answer);
        const messages = kept.messages.filter(
          ({ id, link }) => link === keptLink && receipts.some(({ messageId }) => messageId === id),
        );
        if (receipts.length) store.put({ person, messages, receipts }, RECEIVED_STORE);
        else store.delete(RECEIVED_STORE);
      };
      store.transaction.db.close();
    }),
  );

async function ignoreFailure<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    console.warn('Nothing can be stored for offline use', error);
    return undefined;
  }
}
