/** What the person can do if something is wrong: see the worker's version, and reset the app. */
import { hasDatabase } from './push/notifications';
import { readWorkerVersion } from './push/reach';
import { startWorker } from './worker-start';

/** Rejects after 5 s. */
export const workerVersion = async (): Promise<string> => readWorkerVersion(await startWorker());

/** The databases of the app and of the messaging SDK. */
const DATABASE_NAMES = [
  'keyval-store',
  'fieldbell',
  'firebase-messaging-database',
  'firebase-installations-database',
  'firebase-heartbeat-database',
];

/** Removes everything of the app from this browser: workers, push, caches, databases, storage. */
export async function resetApp(): Promise<void> {
  const registrations = (await navigator.serviceWorker?.getRegistrations()) ?? [];
  await Promise.all(registrations.map((registration) => registration.unregister()));
  if ('caches' in globalThis)
    await Promise.all((await caches.keys()).map((name) => caches.delete(name)));
  if (hasDatabase()) await Promise.all(DATABASE_NAMES.map(clearDatabase));
  localStorage.clear();
  sessionStorage.clear();
}

/** Deleting would wait until every tab has closed it, and block the page that opens it next. */
function clearDatabase(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const openRequest = indexedDB.open(name);
    // The database did not exist: abort so that it is not created.
    openRequest.onupgradeneeded = () => openRequest.transaction?.abort();
    openRequest.onerror = () =>
      openRequest.error?.name === 'AbortError' ? resolve() : reject(openRequest.error);
    openRequest.onsuccess = () => {
      const database = openRequest.result;
      const stores = [...database.objectStoreNames];
      const closeAndResolve = () => {
        database.close();
        resolve();
      };
      if (!stores.length) return closeAndResolve();
      const transaction = database.transaction(stores, 'readwrite');
      for (const store of stores) transaction.objectStore(store).clear();
      transaction.oncomplete = closeAndResolve;
      transaction.onabort = () => reject(transaction.error);
    };
  });
}
