/**
 * A browser's notifications on the desktop. A press there counts as a person's, so the worker may
 * open a window.
 */
import { deepEqual } from 'node:assert/strict';
import type { Browser } from 'puppeteer-core';
import type { Desktop } from '../../../support/browsers/desktop';
import {
  pressFirefoxNotification,
  listFirefoxNotifications,
} from '../../../support/browsers/firefox-desktop';
import { eventually } from '../../../support/eventually';
import { extendReplyTimeout } from './worker';

export interface TrayNotification {
  title: string;
  body: string;
  buttons: string[];
}

export interface Tray {
  listNotifications(): Promise<TrayNotification[]>;
  waitForNotification(body: string): Promise<TrayNotification[]>;
  /** Waits for the notification, then presses its button, or itself without a label. */
  press(body: string, label?: string): Promise<void>;
}

interface Found extends TrayNotification {
  press(label?: string): Promise<void> | void;
}

function createTray(findNotices: () => Promise<Found[]>): Tray {
  const listNotices = async () => findNotices();
  const toNotice = ({ title, body, buttons }: Found): TrayNotification => ({
    title,
    body,
    buttons,
  });
  return {
    listNotifications: async () => (await listNotices()).map(toNotice),
    waitForNotification: (wanted) =>
      eventually(async () => {
        const notices = await listNotices();
        return notices.some(({ body }) => body === wanted) && notices.map(toNotice);
      }, `a notification that says "${wanted}"`),
    async press(wanted, label) {
      const notice = await eventually(
        async () => (await listNotices()).find(({ body }) => body === wanted),
        `a notification that says "${wanted}"`,
      );
      await notice.press(label);
    },
  };
}

export const firefoxTray = (browser: Browser): Tray =>
  createTray(async () =>
    (await listFirefoxNotifications(browser)).map(({ id, ...notice }) => ({
      ...notice,
      press: (label) => pressFirefoxNotification(browser, id, label),
    })),
  );

/** @param origin of the app: Chromium shows it above the text */
export const chromiumTray = (desktop: Desktop, browser: Browser, origin: string): Tray =>
  createTray(async () =>
    desktop.listNotifications().map(({ id, title, body, buttons }) => ({
      title,
      body: body.replace(`${new URL(origin).host}\n\n`, ''),
      buttons: buttons.filter(({ key }) => /^\d+$/.test(key)).map(({ label }) => label),
      async press(label) {
        if ((await listOpenPages(browser, origin)).length)
          await extendReplyTimeout(browser, origin);
        desktop.pressNotification(id, label);
      },
    })),
  );

export const listOpenPages = async (browser: Browser, origin: string): Promise<string[]> =>
  (await browser.defaultBrowserContext().pages())
    .map((page) => page.url())
    .filter((url) => url.startsWith(origin));

/** Presses the notification while the app is closed, and returns the address it opens. */
export async function openFromTray(
  {
    tray,
    browser,
    installation,
  }: { tray: Tray; browser: Browser; installation: { address: string } },
  body: string,
): Promise<string> {
  const listAppPages = () => listOpenPages(browser, installation.address);
  deepEqual(await listAppPages(), []);
  await tray.press(body);
  return eventually(async () => (await listAppPages()).at(0), 'the press to open the app');
}
