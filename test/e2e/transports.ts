/** The ways in which a push can reach a browser here: which browser, which build, and who stands in for whom. */
import type { Browser } from 'puppeteer-core';
import { startAutopush, type Autopush } from '../support/autopush';
import { launchChromium } from '../support/chromium';
import { eventually } from '../support/eventually';
import { startFcm, type Fcm } from '../support/fcm';
import { launchFirefox } from '../support/firefox';
import { startGcm } from '../support/gcm';
import { startInstallation, type Installation } from '../support/installation';
import { builtFolder, type BuildName } from './builds';
import type { CleanUp } from './harness';
import type { Person, Shown } from './person';
import { notifiedInWorker } from './worker';

/** How many pushes the story sends. */
const PUSHES = 2;

export type BrowserName = 'Firefox' | 'Chromium';
export interface Stage {
  browser: Browser;
  installation: Installation;
  /** With Firefox, and in a build for FCM, those whom a story may ask for trouble. */
  autopush?: Autopush | undefined;
  fcm?: Fcm | undefined;
  /** Waits for the notification with this text while the app is open nowhere, and gives all that are shown. */
  notifiedWithoutApp(person: Person, body: string): Promise<Shown[]>;
  /** What the stand-ins and the server have to say about a failure. */
  report(): string;
}

/**
 * Starts push services, server and browser, in that order, for one story.
 * @param staticFolder the app that the server serves, where that is not the one of its own build
 */
export async function setStage(browserName: BrowserName, build: BuildName, cleanUp: CleanUp, { staticFolder }: { staticFolder?: string } = {}): Promise<Stage> {
  const service = browserName === 'Firefox' ? await startAutopush() : await startGcm();
  cleanUp(() => service.close());
  const fcm = build === 'firebase' ? await startFcm({ [service.host]: service.port }) : undefined;
  if (fcm) cleanUp(() => fcm.close());

  const redirect = { ...Object.fromEntries((fcm?.hosts ?? []).map((host) => [host, fcm!.port])) };
  const environment: Record<string, string> = fcm ? { FIREBASE_SERVICE_ACCOUNT: fcm.serviceAccount } : {};
  // Firefox' endpoints are on a port of this machine, which the server refuses unless it is listed; Chromium's are on a
  // host of Google's, which is led here.
  if ('url' in service) environment.PUSH_ALLOWED_HOSTS = service.host;
  else redirect[service.host] = service.port;
  if (staticFolder) environment.STATIC_DIR = staticFolder;
  const installation = await startInstallation({ built: builtFolder(build), environment, redirect });
  cleanUp(() => installation.stop());

  const browser = 'url' in service ? await launchFirefox({ autopush: service, fcm }) : await launchChromium({ gcm: service, fcm });
  cleanUp(() => browser.close());
  const report = () => ['push service:', ...service.trace, 'FCM:', ...(fcm?.trace ?? []), 'server:', ...installation.output.filter((line) => !line.includes('"status":2') && !line.includes('"status":304'))].join('\n  ');

  async function notifiedWithoutApp(person: Person, body: string): Promise<Shown[]> {
    if (browserName === 'Chromium') return notifiedInWorker(browser, installation.address, body);
    // A page of our origin is needed to ask, and must not be there before the push is: Firefox acknowledges that.
    const acknowledged = () => service.trace.filter((line) => line === 'ack 100').length;
    await eventually(() => acknowledged() === PUSHES, 'Firefox to acknowledge the push');
    await person.open('/manifest.json');
    return person.notified(body);
  }
  return { browser, installation, autopush: 'url' in service ? service : undefined, fcm, notifiedWithoutApp, report };
}
