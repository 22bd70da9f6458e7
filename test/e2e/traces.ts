/** What the app leaves in a browser, as seen from a page of its origin. */
import type { Page } from 'puppeteer-core';

/**
 * Everything in IndexedDB, by `DATABASE/STORE`, without what is empty. Only what JSON can say of
 * it: a Map is `{}`.
 */
export async function storedIn(page: Page): Promise<Record<string, unknown[]>> {
  const text = await page.evaluate(async () => {
    const result = <Value>(request: IDBRequest<Value>) =>
      new Promise<Value>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const stored: Record<string, unknown[]> = {};
    for (const { name = '' } of await indexedDB.databases()) {
      const database = await result(indexedDB.open(name));
      for (const store of database.objectStoreNames) {
        const all = await result(database.transaction(store).objectStore(store).getAll());
        if (all.length) stored[`${name}/${store}`] = all;
      }
      database.close();
    }
    return JSON.stringify(stored);
  });
  return JSON.parse(text) as Record<string, unknown[]>;
}

/** The topics that are kept for a start without a network. */
export async function keptTopics(page: Page): Promise<string[]> {
  const { 'keyval-store/keyval': kept = [] } = (await storedIn(page)) as {
    'keyval-store/keyval'?: { saved?: { topic: { title: string } }[] }[];
  };
  return kept.flatMap(({ saved = [] }) => saved.map(({ topic }) => topic.title));
}

/** Every answer in every cache: its path, and whether somebody's token was in the request. */
export const cachedIn = (page: Page): Promise<{ path: string; signed: boolean }[]> =>
  page.evaluate(async () => {
    const all = await Promise.all(
      (await caches.keys()).map(async (name) => (await caches.open(name)).keys()),
    );
    return all.flat().map(({ url, headers }) => ({
      path: new URL(url).pathname,
      signed: headers.has('authorization'),
    }));
  });
