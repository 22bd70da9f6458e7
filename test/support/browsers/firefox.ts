/** Debian's Firefox, driven over WebDriver BiDi, with its pushes coming from a stand-in. */
import puppeteer, { type Browser } from 'puppeteer-core';
import type { Autopush } from '../push-services/autopush';
import type { Fcm } from '../push-services/fcm';
import { giveDesktop } from './firefox-desktop';

interface Settings {
  autopush: Autopush;
  fcm: Fcm | undefined;
  /** As a person who lets no site keep anything: cookies, storage, databases, workers. */
  blockSiteData?: boolean;
}

export async function launchFirefox({
  autopush,
  fcm,
  blockSiteData = false,
}: Settings): Promise<Browser> {
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr',
    headless: true,
    acceptInsecureCerts: true,
    // Firefox' own windows, too: its questions (see test/e2e/parts/push/firefox-windows.ts) and its desktop.
    args: ['--remote-allow-system-access'],
    extraPrefsFirefox: {
      'dom.push.serverURL': autopush.url,
      'dom.push.testing.allowInsecureServerURL': true,
      // Puppeteer's recommended preferences switch push off.
      'dom.push.connection.enabled': true,
      // How long it waits before it connects again, at first: 5 s otherwise.
      'dom.push.retryBaseInterval': 200,
      // On the desktop that it is given below.
      'alerts.useSystemBackend': true,
      // Light, where no story says otherwise.
      'layout.css.prefers-color-scheme.content-override': 1,
      ...(blockSiteData && { 'network.cookie.cookieBehavior': 2 }),
      ...(fcm && redirectGoogle(fcm)),
    },
  });
  await giveDesktop(browser);
  return browser;
}

/**
 * Every name is this machine, and HTTPS is the stand-in: workers' requests included, unlike
 * interception in a page.
 */
function redirectGoogle({ port }: Fcm): Record<string, string> {
  return { 'network.dns.forceResolve': '127.0.0.1', 'network.socket.forcePort': `443=${port}` };
}
