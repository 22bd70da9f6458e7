/** What the app leaves in a browser. */
import { deepEqual } from 'node:assert/strict';
import type { Page } from 'puppeteer-core';
import { eventually } from '../../support/eventually';

/** IndexedDB by `DATABASE/STORE`, without empty stores, as JSON: a Map is `{}`. */
export async function readStoredTraces(page: Page): Promise<Record<string, unknown[]>> {
  const text = await page.evaluate(async () => {
    const resultOf = <Value>(request: IDBRequest<Value>) =>
      new Promise<Value>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const stored: Record<string, unknown[]> = {};
    for (const { name = '' } of await indexedDB.databases()) {
      const database = await resultOf(indexedDB.open(name));
      for (const store of database.objectStoreNames) {
        const rows = await resultOf(database.transaction(store).objectStore(store).getAll());
        if (rows.length) stored[`${name}/${store}`] = rows;
      }
      database.close();
    }
    return JSON.stringify(stored);
  });
  return JSON.parse(text) as Record<string, unknown[]>;
}

/** The topics stored for a start offline. */
export async function readKeptTopics(page: Page): Promise<string[]> {
  const { 'keyval-store/keyval': storedValues = [] } = (await readStoredTraces(page)) as {
    'keyval-store/keyval'?: { saved?: { topic: { title: string } }[] }[];
  };
  return storedValues.flatMap(({ saved = [] }) => saved.map(({ topic }) => topic.title));
}

/** Every cached answer: its path, and whether its request had a token. */
export const readCached = (page: Page): Promise<{ path: string; signed: boolean }[]> =>
  page.evaluate(async () => {
    const requests = await Promise.all(
      (await caches.keys()).map(async (name) => (await caches.open(name)).keys()),
    );
    return requests.flat().map(({ url, headers }) => ({
      path: new URL(url).pathname,
      signed: headers.has('authorization'),
    }));
  });

export async function findTraces(page: Page) {
  const traces = await page.evaluate(async () => {
    const registrations = await navigator.serviceWorker.getRegistrations();
    return {
      texts: JSON.stringify({ ...localStorage, ...sessionStorage }),
      caches: await caches.keys(),
      workers: registrations.length,
      subscribed: (
        await Promise.all(registrations.map(({ pushManager }) => pushManager.getSubscription()))
      ).some(Boolean),
      shown: (
        await Promise.all(registrations.map((registration) => registration.getNotifications()))
      )
        .flat()
        .map(({ body }) => body),
    };
  });
  return { ...traces, stored: JSON.stringify(await readStoredTraces(page)) };
}

/** Keys that belong to the browser, not to a person. */
const BROWSER_KEYS = ['client_token', 'fresh', 'installation_id', 'reach', 'reach_brief'];

/** Waits until only the browser's own keys are left. */
export async function waitForNoPersonalData(page: Page): Promise<void> {
  await waitForTraces(page, { stored: '{}', subscribed: false, shown: [] });
  const { texts } = await findTraces(page);
  const names = Object.keys(JSON.parse(texts) as object);
  deepEqual(
    names.filter((name) => !BROWSER_KEYS.includes(name)),
    [],
    'stored personal data',
  );
}

/** Waits until the traces are exactly the expected ones. */
export async function waitForTraces(
  page: Page,
  expected: Partial<Awaited<ReturnType<typeof findTraces>>>,
): Promise<void> {
  let actual: unknown;
  await eventually(async () => {
    const traces = await findTraces(page);
    actual = Object.fromEntries(
      Object.keys(expected).map((name) => [name, traces[name as keyof typeof traces]]),
    );
    return JSON.stringify(actual) === JSON.stringify(expected);
  }, 'the traces to be gone').catch(() => deepEqual(actual, expected));
}
