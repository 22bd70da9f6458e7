/** Debian's Firefox over WebDriver BiDi, with pushes from a stand-in. */
import puppeteer, { type Browser } from 'puppeteer-core';
import type { Autopush } from '../push-services/autopush';
import type { Fcm } from '../push-services/fcm';
import { connectDesktop } from './firefox-desktop';

interface Settings {
  autopush: Autopush;
  fcm: Fcm | undefined;
  /** Blocks cookies, storage, databases and workers. */
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
    // This flag gives access to Firefox's own windows.
    args: ['--remote-allow-system-access'],
    extraPrefsFirefox: {
      'dom.push.serverURL': autopush.url,
      'dom.push.testing.allowInsecureServerURL': true,
      // Puppeteer's preferences disable it.
      'dom.push.connection.enabled': true,
      // Milliseconds before Firefox reconnects; 5 s by default.
      'dom.push.retryBaseInterval': 200,
      'alerts.useSystemBackend': true,
      // The light color scheme.
      'layout.css.prefers-color-scheme.content-override': 1,
      ...(blockSiteData && { 'network.cookie.cookieBehavior': 2 }),
      ...(fcm && redirectGoogle(fcm)),
    },
  });
  await connectDesktop(browser);
  return browser;
}

/** Leads every name and HTTPS to the stand-in, for workers' requests, too. */
function redirectGoogle({ port }: Fcm): Record<string, string> {
  return { 'network.dns.forceResolve': '127.0.0.1', 'network.socket.forcePort': `443=${port}` };
}
