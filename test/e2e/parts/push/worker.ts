/**
 * The app's service worker while no page is open. Only Chromium reaches it: BiDi has no workers.
 */
import type { Browser, WebWorker } from 'puppeteer-core';
import { eventually } from '../../../support/eventually';
import { endWorkers, isFirefox } from './firefox-windows';

interface Scope {
  registration: ServiceWorkerRegistration;
  dispatchEvent(event: unknown): boolean;
  ExtendableEvent: new (type: string) => Event;
}

/** The worker of the default context: other contexts have workers of their own. */
async function findWorker(browser: Browser, origin: string): Promise<WebWorker> {
  const context = browser.defaultBrowserContext();
  const target = await context.waitForTarget(
    (each) => each.type() === 'service_worker' && each.url().startsWith(origin),
  );
  const worker = await target.worker();
  if (!worker) throw new Error('The service worker is gone');
  return worker;
}

/** Extends the half second a page has to answer (sw/open-page.ts), as the machine may be busy. */
export async function extendReplyTimeout(browser: Browser, origin: string): Promise<void> {
  const worker = await findWorker(browser, origin);
  await worker.evaluate(() => {
    const { setTimeout: real } = self;
    const later = (run: () => void, delay?: number) => real(run, delay === 500 ? 20_000 : delay);
    Object.assign(self, { setTimeout: later });
  });
}

/** Ends the idle worker as browsers do: what it did not store is lost. */
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

export async function dropSubscription(browser: Browser, origin: string): Promise<void> {
  const worker = await findWorker(browser, origin);
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
