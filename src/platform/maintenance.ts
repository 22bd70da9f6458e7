/** What the person can do when something is wrong: see which worker runs, and remove everything. */
import { hasDatabase } from './push/notifications';
import { versionOf } from './push/reach';
import { worker } from './worker-start';

/** The version of the active worker. Rejects after 5 s. */
export const workerVersion = async (): Promise<string> => versionOf(await worker());

/** Ours, and those of the messaging SDK. */
const DATABASES = [
  'keyval-store',
  'fieldbell',
  'firebase-messaging-database',
  'firebase-installations-database',
  'firebase-heartbeat-database',
];

/**
 * Removes every trace of the app from this browser: workers (and with them the push subscription),
 * caches, databases, local and session storage. What this browser does not have needs no removing.
 */
export async function reset(): Promise<void> {
  const registrations = (await navigator.serviceWorker?.getRegistrations()) ?? [];
  await Promise.all(registrations.map((registration) => registration.unregister()));
  if ('caches' in globalThis)
    await Promise.all((await caches.keys()).map((name) => caches.delete(name)));
  if (hasDatabase()) await Promise.all(DATABASES.map(empty));
  localStorage.clear();
  sessionStorage.clear();
}

/**
 * Empties a database. Deleting it would wait until every other tab has closed it, and a page that
 * opens it meanwhile, such as the one that starts next, would wait behind that.
 */
function empty(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(name);
    opening.onupgradeneeded = () => opening.transaction?.abort(); // there was none, and shall be none
    opening.onerror = () =>
      opening.error?.name === 'AbortError' ? resolve() : reject(opening.error);
    opening.onsuccess = () => {
      const database = opening.result;
      const stores = [...database.objectStoreNames];
      const done = () => {
        database.close();
        resolve();
      };
      if (!stores.length) return done();
      const transaction = database.transaction(stores, 'readwrite');
      for (const store of stores) transaction.objectStore(store).clear();
      transaction.oncomplete = done;
      transaction.onabort = () => reject(transaction.error);
    };
  });
}
