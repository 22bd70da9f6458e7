import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { DEMO_PASSWORD } from '../../../../server/demo/sample';
import { eventually } from '../../../support/eventually';
import { scriptsWith, type BuildName } from '../../parts/builds';
import { Company, PERSON_PASSWORD } from '../../parts/company';
import { MAX_WAIT_MS } from '../../parts/control';
import type { CleanUp, Story } from '../../parts/harness';
import { Person } from '../../parts/person';
import { waitForTraces, waitForNoPersonalData, findTraces } from '../../parts/traces';
import { startTestBed, type BrowserName } from '../../parts/push/test-bed';
import { dropSubscription } from '../../parts/push/worker';

const OWNER = 'm.okafor';
const NEXT = 'j.petrov';

async function setUp(browserName: BrowserName, build: BuildName, cleanUp: CleanUp) {
  const testBed = await startTestBed(browserName, build, cleanUp);
  const company = await Company.connect(testBed.installation.address);
  const outages = await company.addTopic('Grid outages');
  const safety = await company.addTopic('Safety notes');
  await company.addTechnician(OWNER, [outages, safety]);
  await company.addTechnician(NEXT, [safety]);
  const person = await Person.openIn(
    testBed.browser.defaultBrowserContext(),
    testBed.installation.address,
  );
  await person.signIn(OWNER, PERSON_PASSWORD);
  await person.see('Your subscribed topics');
  /** Waits until a person's only token is another than `old`. */
  const device = (old = '', username = OWNER): Promise<string> =>
    eventually(async () => {
      const tokens = await company.listDeviceTokens(username);
      return tokens.length === 1 && tokens[0] !== old && tokens[0];
    }, `${username} to have one other token`);
  const noDevice = (username = OWNER) =>
    eventually(
      async () => (await company.listDeviceTokens(username)).length === 0,
      `${username} to have no device`,
    );
  return { ...testBed, company, outages, safety, person, device, noDevice };
}

const seesNotice = (person: Person, text: string) =>
  person.page.waitForFunction(
    (wanted) => document.querySelector('.toast')?.textContent?.includes(wanted),
    { polling: 'mutation', timeout: MAX_WAIT_MS },
    text,
  );

async function registerDespiteFirebaseFaults(cleanUp: CleanUp): Promise<void> {
  const {
    browser,
    company,
    device,
    fcm = throwNoFcm(),
    outages,
    person,
  } = await setUp('Chromium', 'firebase', cleanUp);
  const firebaseScripts = scriptsWith('platform/push/firebase.ts', 'firebase');
  const firebase = () =>
    person.page.evaluate(
      (names) =>
        performance
          .getEntriesByType('resource')
          .filter(({ name }) => names.some((script) => name.endsWith(script))).length,
      firebaseScripts,
    );
  equal(await firebase(), 0, "Firebase's code is not loaded before it is wanted");

  fcm.shortenInstallations();
  fcm.failNextCall('installations?', 503);
  fcm.failNextCall('installations?', 409);
  for (let attempt = 0; attempt < 2; attempt++) fcm.failNextCall('registrations', 200, {});
  await person.allowNotifications('Enable Notifications');
  await person.see('FCM returned no token when subscribing the user to push.');
  equal(await firebase(), 1);
  const statuses = (part: string) =>
    fcm.trace
      .filter((line) => line.includes(part))
      .map((line) => /\d{3}/.exec(line.replace(/^.* (?=\d{3})/, ''))?.[0]);
  deepEqual(
    statuses('/installations '),
    ['503', '409', '200'],
    'a server error is tried once more, a conflict forgets the id',
  );
  await person.press('Retry');
  let token = await device();
  deepEqual(fcm.listTokens(), [token]);

  for (const status of [401, 404]) {
    fcm.failNextCall('authTokens', status);
    const createdCount = statuses('/installations ').length;
    await dropSubscription(browser, person.origin);
    token = await device(token);
    ok(statuses('authTokens').includes(String(status)));
    equal(
      statuses('/installations ').length,
      createdCount + 1,
      `${status} when it is refreshed: another installation`,
    );
  }

  fcm.failNextCall('registrations', 500);
  await dropSubscription(browser, person.origin);
  token = await device(token);

  await person.page.setOfflineMode(true);
  await dropSubscription(browser, person.origin);
  await person.see('Application offline');
  await person.see('Your subscribed topics (2)');
  await person.page.setOfflineMode(false);
  token = await device(token);
  await person.page.waitForFunction(
    () => !document.body.innerText.includes('Failed to initialize PWA'),
  );

  await company.sendMessage(outages, 'After all of it.');
  await seesNotice(person, 'Grid outages: After all of it.');
}
const throwNoFcm = (): never => {
  throw new Error('This build has no FCM');
};

/** The push service drops its subscriptions, and the browser tells the worker. */
async function renewSubscription(cleanUp: CleanUp): Promise<void> {
  const { autopush, company, device, noDevice, outages, person } = await setUp(
    'Firefox',
    'firebase',
    cleanUp,
  );
  await person.allowNotifications('Enable Notifications');
  await person.closeNotice('Notifications are on for this device.');
  const token = await device();
  autopush?.loseSubscriptions();
  await device(token);
  await company.sendMessage(outages, 'To the new token.');
  await seesNotice(person, 'Grid outages: To the new token.');

  await person.setPermission('denied');
  await person.see('Permission: denied');
  await person.see('Your browser blocks notifications.');
  await noDevice();
}

async function handPhoneOver(browserName: BrowserName, cleanUp: CleanUp): Promise<void> {
  const { autopush, browser, company, device, noDevice, outages, safety, person, report } =
    await setUp(browserName, 'web-push', cleanUp);
  await person.allowNotifications('Enable Notifications');
  await person.closeNotice('Notifications are on for this device.');
  const first = await device();
  if (autopush) autopush.loseSubscriptions();
  else await dropSubscription(browser, person.origin);
  await device(first);

  await person.setPermission('denied');
  await person.see('Permission: denied');
  await person.see('Your browser blocks notifications.');
  await noDevice();
  await person.setPermission('granted');
  await person.seeControl('switch', 'Grid outages');
  await device();
  await company.sendMessage(outages, 'For the first only.');
  await seesNotice(person, 'For the first only.');
  match(
    (await findTraces(person.page)).stored,
    /Grid outages/,
    'topics are kept for the time without a network',
  );

  // The token identifies the browser, not its user: random, without a name.
  const browserToken = () => person.page.evaluate(() => localStorage.getItem('client_token'));
  const tokenBefore = (await browserToken()) ?? '';
  match(tokenBefore, /^[\w-]{22}$/);
  await person.press('Logout');
  await person.seeControl('button', 'Sign in');
  await waitForNoPersonalData(person.page);
  equal(await browserToken(), tokenBefore, 'the same browser');
  await noDevice();

  await person.logIn(NEXT, PERSON_PASSWORD);
  await person.see('Your subscribed topics (1)');
  equal((await person.page.content()).includes('Grid outages'), false);
  await device('', NEXT);
  await company.sendMessage(outages, 'Still for the first only.');
  await company.sendMessage(safety, 'For both.');
  await seesNotice(person, 'For both.');
  deepEqual((await findTraces(person.page)).shown, ['For both.'], report());

  const tab = await person.newTab();
  await tab.open('/');
  await tab.see('Your subscribed topics (1)');
  await person.page.bringToFront();
  await resetApp(person);
  await waitForTraces(person.page, {
    stored: '{}',
    texts: '{}',
    caches: [],
    workers: 0,
    subscribed: false,
    shown: [],
  });
  await tab.seeControl('button', 'Sign in');
  await person.logIn(NEXT, PERSON_PASSWORD);
  await eventually(
    async () => (await company.listDeviceTokens(NEXT)).length > 0,
    'the device to be registered again',
  );
}

async function resetApp(person: Person): Promise<void> {
  await person.unfold('App Management');
  // A worker that starts later could reload the page under the open dialog.
  await person.page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await person.press('Reset App');
  await person.see('This signs you out');
  await person.press('Reset App');
  await person.see('Forgot password?'); // while the dialog is open, only it is searched
  await person.seeControl('button', 'Sign in');
}

async function useWithoutDatabase(browserName: BrowserName, cleanUp: CleanUp): Promise<void> {
  const { browser, installation } = await startTestBed(browserName, 'firebase', cleanUp, {
    program: 'demo',
  });
  const person = await Person.openIn(browser.defaultBrowserContext(), installation.address);
  await person.page.evaluateOnNewDocument(() =>
    Object.defineProperty(window, 'indexedDB', { value: undefined }),
  );
  await person.signIn(OWNER, DEMO_PASSWORD);
  await person.see(
    'Push notifications are not supported in your browser because it lacks IndexedDB.',
  );
  await person.see('Enable notifications first');
  equal(
    await person.page.$$eval('main li', (rows) => rows.length > 0),
    true,
    'the topics are there anyway',
  );
  await resetApp(person);
}

const BROWSERS: BrowserName[] = ['Chromium', 'Firefox'];

export const deviceStories: Story[] = [
  {
    name: 'registers the device under one token whatever Google’s servers return',
    run: registerDespiteFirebaseFaults,
  },
  {
    name: 'notices a changed subscription at once with the Firebase SDK',
    run: renewSubscription,
  },
  ...BROWSERS.flatMap((browserName): Story[] => [
    {
      name: `deletes the previous person’s data on a shared phone, in ${browserName}`,
      run: (cleanUp) => handPhoneOver(browserName, cleanUp),
    },
    {
      name: `turns off push without IndexedDB, and says why, in ${browserName}`,
      run: (cleanUp) => useWithoutDatabase(browserName, cleanUp),
    },
  ]),
];
