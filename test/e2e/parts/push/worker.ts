/**
 * The app's service worker, spoken to directly where no page of the app is open. Chromium only:
 * BiDi has no workers. What ends one is for both browsers.
 */
import type { Browser, WebWorker } from 'puppeteer-core';
import { eventually } from '../../../support/eventually';
import { endWorkers, isFirefox } from './firefox-windows';

/** The part of the worker's global scope that is used here. */
interface Scope {
  registration: ServiceWorkerRegistration;
  dispatchEvent(event: unknown): boolean;
  ExtendableEvent: new (type: string) => Event;
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

/**
 * The worker gives a page half a second to answer (sw/open.ts) before it takes it for frozen.
 * A page on a busy machine has longer: how long is no part of any story.
 */
export async function beIndulgent(browser: Browser, origin: string): Promise<void> {
  const worker = await workerOf(browser, origin);
  await worker.evaluate(() => {
    const { setTimeout: real } = self;
    const later = (run: () => void, delay?: number) => real(run, delay === 500 ? 20_000 : delay);
    Object.assign(self, { setTimeout: later });
  });
}

/**
 * Ends the worker of the app, as a browser does with one that has had nothing to do: whatever it
 * knew and did not keep is gone.
 */
export async function sleepWorker(browser: Browser, origin: string): Promise<void> {
  if (await isFirefox(browser)) return endWorkers(browser, origin);
  const context = browser.defaultBrowserContext();
  const [page] = await context.pages();
  const session = await page!.createCDPSession();
  await session.send('ServiceWorker.enable');
  await session.send('ServiceWorker.stopAllWorkers');
  await eventually(
    () => !context.targets().some((target) => target.type() === 'service_worker'),
    'the worker to stop',
  );
  await session.detach();
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
