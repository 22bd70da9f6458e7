/** Debian's Chromium with pushes from a stand-in. Only its default context can subscribe. */
import puppeteer, { type Browser } from 'puppeteer-core';
import type { Fcm } from '../push-services/fcm';
import type { Gcm } from '../push-services/gcm';
import type { Desktop } from './desktop';

export function launchChromium({
  gcm,
  fcm,
  desktop,
}: {
  gcm?: Gcm;
  fcm?: Fcm | undefined;
  desktop?: Desktop | undefined;
} = {}): Promise<Browser> {
  const rules = (fcm?.hosts ?? []).map((host) => `MAP ${host}:443 127.0.0.1:${fcm?.port}`);
  // No test may depend on the network.
  const resolver = [...rules, 'MAP * ~NOTFOUND', 'EXCLUDE localhost', 'EXCLUDE 127.0.0.1'].join(
    ', ',
  );
  return puppeteer.launch({
    browser: 'chrome',
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    ...(desktop && { env: { ...process.env, DBUS_SESSION_BUS_ADDRESS: desktop.address } }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-component-update',
      '--disable-sync',
      // Two pages of the address bar in each window: 4.5 of 7 seconds of processor at the start.
      '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup',
      `--host-resolver-rules=${resolver}`,
      ...(gcm?.switches ?? []),
    ],
  });
}
