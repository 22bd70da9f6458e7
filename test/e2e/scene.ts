/** The sample company behind a network that can be made bad, and people at Chromium. */
import type { Browser, Page } from 'puppeteer-core';
import { DEMO_PASSWORD } from '../../server/demo/sample';
import { launchChromium } from '../support/chromium';
import { startFaultyProxy, type FaultyProxy } from '../support/faulty-proxy';
import { startInstallation } from '../support/installation';
import { builtFolder } from './builds';
import type { CleanUp } from './harness';
import { Person } from './person';

/** One of the sample's people. */
export const TECHNICIAN = 'm.okafor';

export interface Scene {
  browser: Browser;
  network: FaultyProxy;
  /** Somebody at a browser of their own. `prepare` runs in each of their pages, before anything of the app does. */
  person(prepare?: (page: Page) => Promise<unknown>): Promise<Person>;
}

export async function setScene(cleanUp: CleanUp): Promise<Scene> {
  const demo = await startInstallation({ built: builtFolder('web-push'), program: 'demo' });
  cleanUp(() => demo.stop());
  const network = await startFaultyProxy(demo.address);
  cleanUp(() => network.close());
  const browser = await launchChromium();
  cleanUp(() => browser.close());
  async function person(prepare?: (page: Page) => Promise<unknown>): Promise<Person> {
    const somebody = await Person.at(await browser.createBrowserContext(), network.address);
    await prepare?.(somebody.page);
    return somebody;
  }
  return { browser, network, person };
}

export async function signIn(person: Person, username: string): Promise<void> {
  await person.open('/login');
  await logIn(person, username);
}
/** On the login form, wherever it came from. */
export async function logIn(person: Person, username: string): Promise<void> {
  await person.fill('Username', username);
  await person.fill('Password', DEMO_PASSWORD);
  await person.press('Log in');
  await person.see(`Logged in as: ${username}`);
}
