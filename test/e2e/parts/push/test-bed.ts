/** The ways a push reaches a browser here: browser, build and stand-ins. */
import type { Browser } from 'puppeteer-core';
import { launchChromium } from '../../../support/browsers/chromium';
import { startDesktop } from '../../../support/browsers/desktop';
import { launchFirefox } from '../../../support/browsers/firefox';
import { startAutopush, type Autopush } from '../../../support/push-services/autopush';
import { startFcm, type Fcm } from '../../../support/push-services/fcm';
import { startGcm } from '../../../support/push-services/gcm';
import type { PushServiceFaults } from '../../../support/push-services/push-service-faults';
import { startInstallation, type Installation } from '../../../support/processes/installation';
import { builtFolder, type BuildName } from '../builds';
import { startServerAndBrowser, type CleanUp } from '../harness';
import { chromiumTray, firefoxTray, type Tray } from './tray';

export type BrowserName = 'Firefox' | 'Chromium';
export interface TestBed {
  browser: Browser;
  installation: Installation;
  /** Can cause trouble. Set for Firefox, and in a build for FCM. */
  autopush?: Autopush | undefined;
  fcm?: Fcm | undefined;
  pushServiceFaults: PushServiceFaults;
  pushes(): string[];
  /** The notifications that the browser shows, and presses on them. */
  tray: Tray;
  /** The log of stand-ins and server, for a failure. */
  report(): string;
}

/**
 * Starts push services, then server and browser, for one story.
 * @param program the server with a sample, if not an empty one
 * @param staticFolder the served app, if not that of the server's build
 * @param variables of the server's environment, beside those of the push services
 */
export async function startTestBed(
  browserName: BrowserName,
  build: BuildName,
  cleanUp: CleanUp,
  {
    program,
    staticFolder,
    variables = {},
  }: { program?: 'demo'; staticFolder?: string; variables?: Record<string, string> } = {},
): Promise<TestBed> {
  const service = browserName === 'Firefox' ? await startAutopush() : await startGcm();
  cleanUp(() => service.close());
  const fcm = build === 'firebase' ? await startFcm({ [service.host]: service.port }) : undefined;
  if (fcm) cleanUp(() => fcm.close());

  const redirect = { ...Object.fromEntries((fcm?.hosts ?? []).map((host) => [host, fcm!.port])) };
  const environment: Record<string, string> = {
    ...variables,
    ...(fcm && { FIREBASE_SERVICE_ACCOUNT: fcm.serviceAccount }),
  };
  // The server rejects Firefox' local endpoints unless they are listed; Chromium's Google host
  // resolves here.
  if ('url' in service) environment.PUSH_ALLOWED_HOSTS = service.host;
  else redirect[service.host] = service.port;
  if (staticFolder) environment.STATIC_DIR = staticFolder;
  const starting = startInstallation({
    built: builtFolder(build),
    environment,
    redirect,
    ...(program && { program }),
  });
  const desktop = 'url' in service ? undefined : await startDesktop();
  cleanUp(() => desktop?.close());
  const [installation, browser] = await startServerAndBrowser(
    starting,
    'url' in service
      ? launchFirefox({ autopush: service, fcm })
      : launchChromium({ gcm: service, fcm, desktop }),
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

  return {
    browser,
    installation,
    autopush: 'url' in service ? service : undefined,
    fcm,
    pushServiceFaults: service.faults,
    pushes: () => service.trace.filter((line) => line.startsWith('push ')),
    tray: desktop ? chromiumTray(desktop, browser, installation.address) : firefoxTray(browser),
    report,
  };
}
