/**
 * The notifications that a browser shows, as they lie on the desktop. A press there is a person's
 * to the browser: the worker may open a window after it.
 */
import { deepEqual } from 'node:assert/strict';
import type { Browser } from 'puppeteer-core';
import type { Desktop } from '../../../support/browsers/desktop';
import { pressInFirefox, trayOfFirefox } from '../../../support/browsers/firefox-desktop';
import { eventually } from '../../../support/eventually';
import { beIndulgent } from './worker';

export interface Notice {
  title: string;
  body: string;
  /** What its action buttons say. */
  buttons: string[];
}

export interface Tray {
  /** The oldest first. */
  list(): Promise<Notice[]>;
  /** Waits for a notification with this text, and gives all that are there. */
  until(body: string): Promise<Notice[]>;
  /**
   * Presses the button with this label on the notification with this text, once that is there;
   * without a label, the notification itself.
   */
  press(body: string, label?: string): Promise<void>;
}

interface Found extends Notice {
  press(label?: string): Promise<void> | void;
}

function trayOf(look: () => Promise<Found[]>): Tray {
  const shown = async () => look();
  const plain = ({ title, body, buttons }: Found): Notice => ({ title, body, buttons });
  return {
    list: async () => (await shown()).map(plain),
    until: (wanted) =>
      eventually(async () => {
        const all = await shown();
        return all.some(({ body }) => body === wanted) && all.map(plain);
      }, `a notification that says "${wanted}"`),
    async press(wanted, label) {
      const found = await eventually(
        async () => (await shown()).find(({ body }) => body === wanted),
        `a notification that says "${wanted}"`,
      );
      await found.press(label);
    },
  };
}

export const firefoxTray = (browser: Browser): Tray =>
  trayOf(async () =>
    (await trayOfFirefox(browser)).map(({ id, ...notice }) => ({
      ...notice,
      press: (label) => pressInFirefox(browser, id, label),
    })),
  );

/** @param origin where the app is: Chromium says it above the text */
export const chromiumTray = (desktop: Desktop, browser: Browser, origin: string): Tray =>
  trayOf(async () =>
    desktop.tray().map(({ id, title, body, buttons }) => ({
      title,
      body: body.replace(`${new URL(origin).host}\n\n`, ''),
      buttons: buttons.filter(({ key }) => /^\d+$/.test(key)).map(({ label }) => label),
      async press(label) {
        if ((await openPages(browser, origin)).length) await beIndulgent(browser, origin);
        desktop.press(id, label);
      },
    })),
  );

/** The addresses of all pages of the app that the person at the default context has open. */
export const openPages = async (browser: Browser, origin: string): Promise<string[]> =>
  (await browser.defaultBrowserContext().pages())
    .map((page) => page.url())
    .filter((url) => url.startsWith(origin));

/**
 * Presses the notification with this text while the app is open nowhere, and gives the address at
 * which it then opens.
 */
export async function openFromTray(
  {
    tray,
    browser,
    installation,
  }: { tray: Tray; browser: Browser; installation: { address: string } },
  body: string,
): Promise<string> {
  const open = () => openPages(browser, installation.address);
  deepEqual(await open(), []);
  await tray.press(body);
  return eventually(async () => (await open()).at(0), 'the press to open the app');
}
