/** One installation with two browsers. */
import { launchChromium } from '../../../support/browsers/chromium';
import { startDesktop } from '../../../support/browsers/desktop';
import { launchFirefox } from '../../../support/browsers/firefox';
import { startAutopush } from '../../../support/push-services/autopush';
import { startGcm } from '../../../support/push-services/gcm';
import { startInstallation } from '../../../support/processes/installation';
import { builtFolder } from '../builds';
import { Company } from '../company';
import { startServerAndBrowser, type CleanUp } from '../harness';
import { Person } from '../person';
import type { BrowserName } from './test-bed';
import { chromiumTray, firefoxTray } from './tray';
import { recordConsole } from '../page-records';

/** @param environment of the server, beside what the push services need */
export async function startTwoBrowsers(cleanUp: CleanUp, environment: Record<string, string> = {}) {
  const [autopush, gcm, desktop] = await Promise.all([startAutopush(), startGcm(), startDesktop()]);
  for (const service of [autopush, gcm, desktop]) cleanUp(() => service.close());
  const [installation, chromium] = await startServerAndBrowser(
    startInstallation({
      built: builtFolder('web-push'),
      environment: { PUSH_ALLOWED_HOSTS: autopush.host, ...environment },
      redirect: { [gcm.host]: gcm.port },
    }),
    launchChromium({ gcm, desktop }),
    cleanUp,
  );
  const firefox = await launchFirefox({ autopush, fcm: undefined });
  cleanUp(() => firefox.close());
  await recordConsole(firefox);
  const { address } = installation;
  const pushesTo =
    ({ trace }: { trace: string[] }) =>
    () =>
      trace.filter((line) => line.startsWith('push ')).length;
  /** The one context of each browser that receives pushes, and its tray. */
  const seats = {
    Chromium: {
      browser: chromium,
      person: await Person.openIn(chromium.defaultBrowserContext(), address),
      tray: chromiumTray(desktop, chromium, address),
      pushes: pushesTo(gcm),
    },
    Firefox: {
      browser: firefox,
      person: await Person.openIn(firefox.defaultBrowserContext(), address),
      tray: firefoxTray(firefox),
      pushes: pushesTo(autopush),
    },
  } satisfies Record<BrowserName, unknown>;
  return { installation, company: await Company.connect(address), seats };
}
