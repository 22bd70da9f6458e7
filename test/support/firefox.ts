/** Debian's Firefox, driven over WebDriver BiDi, with its pushes coming from a stand-in. */
import puppeteer, { type Browser } from 'puppeteer-core';
import type { Autopush } from './autopush';
import type { Fcm } from './fcm';

interface Settings {
  autopush: Autopush;
  fcm: Fcm | undefined;
  dark?: boolean;
  /** As a person who lets no site keep anything: cookies, storage, databases, workers. */
  blockSiteData?: boolean;
}

export function launchFirefox({ autopush, fcm, dark = false, blockSiteData = false }: Settings): Promise<Browser> {
  return puppeteer.launch({
    browser: 'firefox',
    executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr',
    headless: true,
    acceptInsecureCerts: true,
    args: ['--remote-allow-system-access'],
    extraPrefsFirefox: {
      'dom.push.serverURL': autopush.url,
      'dom.push.testing.allowInsecureServerURL': true,
      // Puppeteer's recommended preferences switch push off.
      'dom.push.connection.enabled': true,
      // How long it waits before it connects again, at first: 5 s otherwise.
      'dom.push.retryBaseInterval': 200,
      // The system's notifications need a desktop; without one, showNotification() rejects.
      'alerts.useSystemBackend': false,
      // What the person's system prefers: 0 is dark. BiDi cannot change it later.
      'layout.css.prefers-color-scheme.content-override': dark ? 0 : 1,
      ...(blockSiteData && { 'network.cookie.cookieBehavior': 2 }),
      ...(fcm && redirectGoogle(fcm)),
    },
  });
}

/** Every name is this machine, and HTTPS is the stand-in: workers' requests included, unlike interception in a page. */
function redirectGoogle({ port }: Fcm): Record<string, string> {
  return { 'network.dns.forceResolve': '127.0.0.1', 'network.socket.forcePort': `443=${port}` };
}
