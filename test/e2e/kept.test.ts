/** What the app keeps on a phone, and how it goes on where it can keep nothing. */
import { deepEqual, ok } from 'node:assert/strict';
import type { Page } from 'puppeteer-core';
import type { CleanUp, Story } from './harness';
import { setScene, signIn, TECHNICIAN } from './scene';

async function noStorage(cleanUp: CleanUp): Promise<void> {
  const { person } = await setScene(cleanUp);
  const blocked = () => {
    for (const name of ['localStorage', 'sessionStorage']) {
      Object.defineProperty(window, name, {
        get: () => {
          throw new DOMException('Access is denied for this document.', 'SecurityError');
        },
      });
    }
  };
  const technician = await person((page) => page.evaluateOnNewDocument(blocked));
  const errors: unknown[] = [];
  technician.page.on('pageerror', (error) => errors.push(error));
  await signIn(technician, TECHNICIAN);
  await technician.read('This browser keeps nothing. You will have to log in again after closing this page.');
  await technician.see('Your subscribed topics');
  await technician.reload();
  await technician.seeControl('button', 'Log in');
  deepEqual(errors, []);
}

/** What IndexedDB holds of the topics, and the names of the caches that hold anything. */
const keptIn = (page: Page) =>
  page.evaluate(async () => {
    const names = await indexedDB.databases();
    const kept = await new Promise<{ saved: { topic: { title: string } }[] } | undefined>((resolve, reject) => {
      if (!names.length) return resolve(undefined);
      const opening = indexedDB.open('keyval-store');
      opening.onerror = () => reject(opening.error);
      opening.onsuccess = () => {
        const getting = opening.result.transaction('keyval').objectStore('keyval').get('subscriptions');
        getting.onsuccess = () => resolve(getting.result);
      };
    });
    const filled = [];
    for (const name of await caches.keys()) if ((await (await caches.open(name)).keys()).length) filled.push(name);
    return { topics: kept?.saved.map(({ topic }) => topic.title), caches: filled };
  });

/** Not a byte is left for databases and caches, as on a phone full of pictures. */
async function noRoom(cleanUp: CleanUp): Promise<void> {
  const { network, person } = await setScene(cleanUp);
  const technician = await person(async (page) => (await page.createCDPSession()).send('Storage.overrideQuotaForOrigin', { origin: network.address, quotaSize: 1 }));
  const errors: unknown[] = [];
  technician.page.on('pageerror', (error) => errors.push(error));
  await signIn(technician, TECHNICIAN);
  await technician.see('Your subscribed topics');
  const titles = () => technician.page.$$eval('main li', (all) => all.map((one) => one.textContent));
  const shown = await titles();
  ok(shown.length > 1);
  await technician.page.waitForFunction(async () => (await navigator.serviceWorker.getRegistrations()).length === 0, { polling: 200 });
  await technician.reload();
  await technician.see('Your subscribed topics');
  deepEqual(await titles(), shown);
  deepEqual(await keptIn(technician.page), { caches: [] });
  deepEqual(errors, []);
}

/** What somebody else answers in the server's name is shown to nobody, and kept nowhere. */
async function nothingFalse(cleanUp: CleanUp): Promise<void> {
  const { network, person } = await setScene(cleanUp);
  const technician = await person();
  await signIn(technician, TECHNICIAN);
  await technician.see('Your subscribed topics');
  const { page } = technician;
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  const before = await keptIn(page);
  ok(before.topics!.length > 1);
  for (const body of ['<title>Hotel</title>', '[{"id":1,"crea', '[{"id":1}]', '{"topics":[]}', 'null']) {
    network.heal();
    network.fault('GET /api/notifications/my-subscriptions', { status: 200, body });
    await technician.reload();
    await technician.see('Failed to load subscriptions: ');
    deepEqual((await keptIn(page)).topics, before.topics, body);
  }
  network.fault('GET /', { status: 200, body: '<title>Hotel</title>' });
  await technician.reload();
  await technician.see('Failed to load subscriptions: ');
  network.heal();
  await technician.press('Retry');
  await technician.see('Your subscribed topics');
}

/** A start without a network shows the switches as they were left, and not as they were found. */
async function asItWasLeft(cleanUp: CleanUp): Promise<void> {
  const { person } = await setScene(cleanUp);
  const technician = await person();
  await technician.decide('granted');
  await signIn(technician, TECHNICIAN);
  await technician.see('Your subscribed topics');
  const { page } = technician;
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  const switches = () => page.$$eval('input[role=switch]', (all) => all.map((one) => (one as HTMLInputElement).checked));
  const before = await switches();
  const asked = page.waitForResponse((response) => response.request().method() === 'GET' && response.url().includes('/preferences'));
  await page.locator('input[role=switch]').click();
  await asked; // what the server made of it
  await page.setOfflineMode(true);
  await technician.reload();
  await technician.see('Offline. Shown as of');
  deepEqual(await switches(), [!before[0], ...before.slice(1)]);
}

export const stories: Story[] = [
  { name: 'a browser that keeps nothing says so, and works until it is closed', run: noStorage },
  { name: 'a phone without room for databases and caches shows everything all the same', run: noRoom },
  { name: "what somebody else answers in the server's name is never kept", run: nothingFalse },
  { name: 'a start without a network shows each switch as it was left', run: asItWasLeft },
];
