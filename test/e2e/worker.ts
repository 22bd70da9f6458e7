/**
 * The app's service worker, spoken to directly where no page of the app is open. Chromium only:
 * BiDi has no workers.
 */
import type { Browser, WebWorker } from 'puppeteer-core';
import { eventually } from '../support/eventually';
import type { Shown } from './person';

/** The part of the worker's global scope that is used here. */
interface Scope {
  registration: ServiceWorkerRegistration;
  clients: { openWindow(url: string): Promise<null> };
  dispatchEvent(event: unknown): boolean;
  ExtendableEvent: new (type: string) => Event;
  NotificationEvent: new (type: string, init: { notification: unknown }) => Event;
  opened: string[];
}

/**
 * The worker of the default context: another person's context has a worker of its own at the same
 * origin.
 */
async function workerOf(browser: Browser, origin: string): Promise<WebWorker> {
  const context = browser.defaultBrowserContext();
  const target = await context.waitForTarget(
    (each) => each.type() === 'service_worker' && each.url().startsWith(origin),
  );
  const worker = await target.worker();
  if (!worker) throw new Error('The service worker is gone');
  return worker;
}

/** All notifications that are shown. */
export async function listInWorker(browser: Browser, origin: string): Promise<Shown[]> {
  const worker = await workerOf(browser, origin);
  return worker.evaluate(async () => {
    const list = await (self as unknown as Scope).registration.getNotifications();
    return list.map(({ title, body, tag }) => ({ title, body, tag }));
  });
}

/**
 * The worker gives a page half a second to answer (sw/open.ts) before it takes it for frozen.
 * A page on a busy machine has longer: how long is no part of any story.
 */
const beIndulgent = (worker: WebWorker): Promise<void> =>
  worker.evaluate(() => {
    const { setTimeout: real } = self;
    const later = (run: () => void, delay?: number) => real(run, delay === 500 ? 20_000 : delay);
    Object.assign(self, { setTimeout: later });
  });

/** Clicks on the notification with this text, while the app is open. */
export async function clickInWorker(browser: Browser, origin: string, body: string): Promise<void> {
  const worker = await workerOf(browser, origin);
  await beIndulgent(worker);
  await worker.evaluate(async (wanted: string) => {
    const scope = self as unknown as Scope;
    const notification = (await scope.registration.getNotifications()).find(
      (each) => each.body === wanted,
    );
    scope.dispatchEvent(new scope.NotificationEvent('notificationclick', { notification }));
  }, body);
}

/** The browser gives the push subscription up, and tells the worker. */
export async function dropSubscription(browser: Browser, origin: string): Promise<void> {
  const worker = await workerOf(browser, origin);
  await worker.evaluate(async () => {
    const scope = self as unknown as Scope;
    const oldSubscription = await scope.registration.pushManager.getSubscription();
    await oldSubscription?.unsubscribe();
    scope.dispatchEvent(
      Object.assign(new scope.ExtendableEvent('pushsubscriptionchange'), {
        oldSubscription,
        newSubscription: null,
      }),
    );
  });
}

/**
 * Clicks on the notification with this text, and gives the address of the window that the worker
 * then opens. A synthetic click gives no right to open one, so the opening itself is written down
 * instead.
 */
export async function openedFromWorker(
  browser: Browser,
  origin: string,
  body: string,
): Promise<string> {
  const worker = await workerOf(browser, origin);
  await worker.evaluate(() => {
    const scope = self as unknown as Scope;
    scope.opened = [];
    scope.clients.openWindow = async (url) => {
      scope.opened.push(url);
      return null;
    };
  });
  await clickInWorker(browser, origin, body);
  return eventually(
    async () => (await worker.evaluate(() => (self as unknown as Scope).opened))[0],
    'the click to open the app',
  );
}
