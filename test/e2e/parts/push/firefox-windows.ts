/** Firefox' own windows, which no page can reach: its questions, and what a person prefers. */
import type { Browser, Page } from 'puppeteer-core';
import { evaluateInFirefox } from '../../../support/browsers/firefox-desktop';
import { eventually } from '../../../support/eventually';

export const isFirefox = async (browser: Browser): Promise<boolean> =>
  /firefox/i.test(await browser.version());

/** Answers Allow to Firefox' question about notifications, once it is asked. */
export async function pressAllow(browser: Browser): Promise<void> {
  const press = `(() => {
    const question = PopupNotifications.panel.querySelector('#web-notifications-notification');
    if (!question || PopupNotifications.panel.state !== 'open') return false;
    question.button.click();
    return true;
  })()`;
  await eventually(
    async () => (await evaluateInFirefox(browser, press)).includes(true),
    'Firefox to ask about notifications',
  );
}

/**
 * Sets what a person, or their system, prefers: Firefox looks up such numbers wherever it would ask
 * the system.
 */
export async function prefer(browser: Browser, numbers: Record<string, number>): Promise<void> {
  for (const [name, number] of Object.entries(numbers))
    await evaluateInFirefox(
      browser,
      `Services.prefs.setIntPref(${JSON.stringify(name)}, ${number})`,
    );
}

/** Ends the service workers of this origin. */
export async function endWorkers(browser: Browser, origin: string): Promise<void> {
  await evaluateInFirefox(
    browser,
    `(async () => {
      const workers = Cc['@mozilla.org/serviceworkers/manager;1'].getService(Ci.nsIServiceWorkerManager);
      const all = workers.getAllRegistrations();
      for (let index = 0; index < all.length; index++) {
        const registration = all.queryElementAt(index, Ci.nsIServiceWorkerRegistrationInfo);
        if (registration.principal.originNoSuffix === ${JSON.stringify(origin)})
          await registration.activeWorker?.terminateWorker();
      }
    })()`,
  );
}

/**
 * Gives the keys to the page in front, which a notification's window takes away here: no desktop
 * manages the windows.
 */
export async function giveKeys(page: Page): Promise<void> {
  if (!(await isFirefox(page.browser())) || (await page.evaluate(() => document.hasFocus())))
    return;
  await evaluateInFirefox(page.browser(), 'window.focus(), gBrowser.selectedBrowser.focus(), 0');
  await page.waitForFunction(() => document.hasFocus());
}
