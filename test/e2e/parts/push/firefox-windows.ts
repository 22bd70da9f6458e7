/** Firefox' own windows, which no page can reach. */
import type { Browser, Page } from 'puppeteer-core';
import { evaluateInFirefox } from '../../../support/browsers/firefox-desktop';
import { eventually } from '../../../support/eventually';

export const isFirefox = async (browser: Browser): Promise<boolean> =>
  /firefox/i.test(await browser.version());

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

/** Sets preferences that Firefox reads in place of the system's. */
export async function setPreferences(
  browser: Browser,
  numbers: Record<string, number>,
): Promise<void> {
  for (const [name, number] of Object.entries(numbers))
    await evaluateInFirefox(
      browser,
      `Services.prefs.setIntPref(${JSON.stringify(name)}, ${number})`,
    );
}

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
 * Returns the keyboard to the page in front: a notification's window takes it, as no desktop
 * manages windows.
 */
export async function focusWindow(page: Page): Promise<void> {
  if (!(await isFirefox(page.browser())) || (await page.evaluate(() => document.hasFocus())))
    return;
  await evaluateInFirefox(page.browser(), 'window.focus(), gBrowser.selectedBrowser.focus(), 0');
  await page.waitForFunction(() => document.hasFocus());
}
