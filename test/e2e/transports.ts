/**
 * The ways in which a push can reach a browser here: which browser, which build, and who stands in
 * for whom.
 */
import { deepEqual } from 'node:assert/strict';
import type { Browser } from 'puppeteer-core';
import { startAutopush, type Autopush } from '../support/push-services/autopush';
import { launchChromium } from '../support/browsers/chromium';
import { eventually } from '../support/eventually';
import { startFcm, type Fcm } from '../support/push-services/fcm';
import { launchFirefox } from '../support/browsers/firefox';
import { startGcm } from '../support/push-services/gcm';
import { startInstallation, type Installation } from '../support/server/installation';
import { builtFolder, type BuildName } from './builds';
import { bothStarted, type CleanUp } from './harness';
import { alerts, clickAlert } from './firefox-windows';
import { clickInWorker, listInWorker, openedFromWorker } from './worker';

export type BrowserName = 'Firefox' | 'Chromium';
export interface Stage {
  browser: Browser;
  installation: Installation;
  /** With Firefox, and in a build for FCM, those whom a story may ask for trouble. */
  autopush?: Autopush | undefined;
  fcm?: Fcm | undefined;
  /**
   * Waits for the notification with this text while the app is open nowhere, and gives all that are
   * shown.
   */
  notifiedWithoutApp(body: string): Promise<{ title: string; body: string }[]>;
  /**
   * Clicks on the notification with this text: in Firefox on the screen, in Chromium by an event in
   * the worker.
   */
  click(body: string): Promise<void>;
  /** The same while the app is open nowhere. Gives the address at which it then opens. */
  clickWithoutApp(body: string): Promise<string>;
  /** What the stand-ins and the server have to say about a failure. */
  report(): string;
}

/**
 * Starts push services, then server and browser, for one story.
 * @param program the server with a sample, where it is not the one with an empty database
 * @param staticFolder the app that the server serves, where that is not the one of its own build
 */
export async function setStage(
  browserName: BrowserName,
  build: BuildName,
  cleanUp: CleanUp,
  { program, staticFolder }: { program?: 'demo'; staticFolder?: string } = {},
): Promise<Stage> {
  const service = browserName === 'Firefox' ? await startAutopush() : await startGcm();
  cleanUp(() => service.close());
  const fcm = build === 'firebase' ? await startFcm({ [service.host]: service.port }) : undefined;
  if (fcm) cleanUp(() => fcm.close());

  const redirect = { ...Object.fromEntries((fcm?.hosts ?? []).map((host) => [host, fcm!.port])) };
  const environment: Record<string, string> = fcm
    ? { FIREBASE_SERVICE_ACCOUNT: fcm.serviceAccount }
    : {};
  // Firefox' endpoints are on a port of this machine, which the server refuses unless it is listed;
  // Chromium's are on a host of Google's, which is led here.
  if ('url' in service) environment.PUSH_ALLOWED_HOSTS = service.host;
  else redirect[service.host] = service.port;
  if (staticFolder) environment.STATIC_DIR = staticFolder;
  const starting = startInstallation({
    built: builtFolder(build),
    environment,
    redirect,
    ...(program && { program }),
  });
  const [installation, browser] = await bothStarted(
    starting,
    'url' in service
      ? launchFirefox({ autopush: service, fcm })
      : launchChromium({ gcm: service, fcm }),
    cleanUp,
  );
  const report = () =>
    [
      'push service:',
      ...service.trace,
      'FCM:',
      ...(fcm?.trace ?? []),
      'server:',
      ...installation.output.filter(
        (line) => !line.includes('"status":2') && !line.includes('"status":304'),
      ),
    ].join('\n  ');

  const origin = installation.address;
  const stageOf: Record<
    BrowserName,
    Pick<Stage, 'notifiedWithoutApp' | 'click' | 'clickWithoutApp'>
  > = {
    Firefox: {
      notifiedWithoutApp: (body) =>
        eventually(
          async () => someSays(await alerts(browser), body),
          `a notification that says "${body}"`,
        ),
      click: (body) => clickAlert(browser, body),
      async clickWithoutApp(body) {
        const open = async () =>
          (await browser.defaultBrowserContext().pages())
            .map((page) => page.url())
            .filter((url) => url.startsWith(origin));
        deepEqual(await open(), []);
        await clickAlert(browser, body);
        return eventually(async () => (await open()).at(0), 'the click to open the app');
      },
    },
    Chromium: {
      notifiedWithoutApp: (body) =>
        eventually(
          async () => someSays(await listInWorker(browser, origin), body),
          `a notification that says "${body}"`,
        ),
      click: (body) => clickInWorker(browser, origin, body),
      clickWithoutApp: (body) => openedFromWorker(browser, origin, body),
    },
  };
  return {
    browser,
    installation,
    autopush: 'url' in service ? service : undefined,
    fcm,
    report,
    ...stageOf[browserName],
  };
}

const someSays = <Each extends { body: string }>(shown: Each[], body: string) =>
  shown.some((each) => each.body === body) && shown;
