/** The sample company behind a faulty network, with people at Chromium. */
import { deepEqual } from 'node:assert/strict';
import type { Page } from 'puppeteer-core';
import { launchChromium } from '../../support/browsers/chromium';
import { startFaultyProxy, type FaultyProxy } from '../../support/browsers/faulty-proxy';
import { startInstallation } from '../../support/processes/installation';
import { builtFolder } from './builds';
import { startServerAndBrowser, type CleanUp } from './harness';
import { Person } from './person';

export const TECHNICIAN = 'm.okafor';
/** The app's sentence when the server gives no reason. */
export const TOPICS_FAILED = 'Failed to fetch topics. You might not have the required permissions.';
export const USERS_FAILED = 'Failed to fetch users. You might not have the required permissions.';

interface SampleCompany {
  network: FaultyProxy;
  /**
   * A person at a browser of their own. Uncaught errors of their pages fail the story. `prepare`
   * runs in each page before the app.
   */
  person(prepare?: (page: Page) => Promise<unknown>): Promise<Person>;
}

export async function startSampleCompany(cleanUp: CleanUp): Promise<SampleCompany> {
  const [demo, browser] = await startServerAndBrowser(
    startInstallation({ built: builtFolder('web-push'), program: 'demo' }),
    launchChromium(),
    cleanUp,
  );
  const network = await startFaultyProxy(demo.address);
  cleanUp(() => network.close());
  const errors: string[] = [];
  cleanUp(() => deepEqual(errors, [], 'errors of pages'));
  async function person(prepare?: (page: Page) => Promise<unknown>): Promise<Person> {
    const newPerson = await Person.openIn(await browser.createBrowserContext(), network.address);
    newPerson.page.on('pageerror', (error) => errors.push(String(error)));
    await prepare?.(newPerson.page);
    return newPerson;
  }
  return { network, person };
}

export const firstTopic = (admin: Person): Promise<string> =>
  admin.page.$eval('tbody th a', (link) => link.textContent ?? '');
