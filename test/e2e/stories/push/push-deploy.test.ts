import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEMO_PASSWORD } from '../../../../server/demo/sample';
import { startAutopush } from '../../../support/push-services/autopush';
import { eventually } from '../../../support/eventually';
import { launchFirefox } from '../../../support/browsers/firefox';
import { ADMIN_PASSWORD, startInstallation } from '../../../support/processes/installation';
import { builtFolder, scriptsWith, type BuildName } from '../../parts/builds';
import { Company, PERSON_PASSWORD } from '../../parts/company';
import type { CleanUp, Story } from '../../parts/harness';
import { Person } from '../../parts/person';
import { readCached, readStoredTraces } from '../../parts/traces';
import { startTestBed, type BrowserName } from '../../parts/push/test-bed';
import { recordConsole } from '../../parts/page-records';

const TECHNICIAN = 'm.okafor';
const TOPICS = ['Grid outages', 'Safety notes'];

/**
 * A folder the app is served from, and a function that puts a version there, `without` some files.
 */
function servedFolder(cleanUp: CleanUp) {
  const folder = mkdtempSync(join(tmpdir(), 'fieldbell-deploy-'));
  cleanUp(() => rmSync(folder, { recursive: true, force: true }));
  const deploy = (build: BuildName, withoutSource?: string) => {
    const left = withoutSource === undefined ? [] : scriptsWith(withoutSource, build);
    for (const file of readdirSync(folder)) rmSync(join(folder, file), { recursive: true });
    cpSync(join(builtFolder(build), 'app'), folder, {
      recursive: true,
      filter: (file) => !left.some((name) => file.includes(name)),
    });
  };
  /** The same build, but its first script throws at once. */
  const deployBroken = (build: BuildName) => {
    deploy(build);
    const [, entry = ''] =
      /<script type="module" src="\/([^"]+)"/.exec(
        readFileSync(join(folder, 'index.html'), 'utf8'),
      ) ?? [];
    writeFileSync(
      join(folder, entry),
      `throw new Error('A broken deploy.');${readFileSync(join(folder, entry), 'utf8')}`,
    );
    for (const suffix of ['.br', '.gz']) rmSync(join(folder, entry + suffix));
  };
  return { folder, deploy, deployBroken };
}

const waitForWorker = (person: Person) =>
  person.page.waitForFunction(() => navigator.serviceWorker.controller);

/** A tab that counts its loads since the last question. */
async function tabAt(person: Person, path: string) {
  await person.open(path);
  await waitForWorker(person);
  let loads = 0;
  person.page.on('load', () => loads++);
  return { person, loads: () => loads };
}

const readVersion = (person: Person): Promise<string> =>
  person.page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }) => resolve(String(data));
        navigator.serviceWorker.controller?.postMessage('version', [port2]);
      }),
  );

/** Checks for a new version, as browsers do at any time. */
const update = (person: Person): Promise<void> =>
  person.page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration('/');
    void registration?.update().catch(() => {}); // rejects where installing fails
  });

/** Deploys a version that cannot install. Resolves with the final state of its worker. */
const updateWithoutEffect = (person: Person): Promise<string> =>
  person.page.evaluate(async () => {
    const registration = (await navigator.serviceWorker.getRegistration('/'))!;
    return new Promise<string>((resolve) => {
      const watch = () => {
        const worker = registration.installing;
        worker?.addEventListener(
          'statechange',
          () => worker.state !== 'installing' && resolve(worker.state),
        );
      };
      watch();
      registration.addEventListener('updatefound', watch);
      registration.update().catch(() => {});
    });
  });

/** Starts the page past the worker, like one loading while the first worker takes over. */
async function startPastWorker({ page }: Person): Promise<void> {
  await page.setBypassServiceWorker(true);
  await page.reload();
  equal(await page.evaluate(() => navigator.serviceWorker.controller), null);
  await page.setBypassServiceWorker(false);
}

/** One device, which FCM knows by a token, then by an installation ID, then by a token again. */
async function changeTokenKind(cleanUp: CleanUp): Promise<void> {
  const { folder, deploy } = servedFolder(cleanUp);
  deploy('firebase-next');
  const { browser, fcm, installation, report } = await startTestBed(
    'Chromium',
    'firebase',
    cleanUp,
    {
      staticFolder: folder,
    },
  );
  const company = await Company.connect(installation.address);
  const topic = await company.addTopic('Grid outages');
  await company.addTechnician(TECHNICIAN, [topic]);
  const person = await Person.openIn(browser.defaultBrowserContext(), installation.address);
  await person.signIn(TECHNICIAN, PERSON_PASSWORD);
  await person.allowNotifications('Enable Notifications');
  await person.closeNotice('Notifications are on for this device.');
  for (const build of ['firebase-next', 'firebase', 'firebase-next'] as const) {
    deploy(build);
    await update(person);
    const token = await eventually(async () => {
      const tokens = await company.listDeviceTokens(TECHNICIAN);
      const [only = ''] = tokens;
      return tokens.length === 1 && only.startsWith('fid:') === (build === 'firebase') && only;
    }, `one device of ${build}`);
    deepEqual(fcm?.listTokens(), [token], report());
    await company.sendMessage(topic, `To ${token.slice(0, 12)}.`);
    await person.see(`To ${token.slice(0, 12)}.`);
  }
}

async function deployWhileOpen(browserName: BrowserName, cleanUp: CleanUp): Promise<void> {
  const { folder, deploy } = servedFolder(cleanUp);
  deploy('firebase');
  const { browser, installation } = await startTestBed(browserName, 'firebase', cleanUp, {
    staticFolder: folder,
  });
  const admin = await Person.openIn(browser.defaultBrowserContext(), installation.address);
  await admin.signIn('admin', ADMIN_PASSWORD);
  await waitForWorker(admin); // the worker does not know of a page still loading
  const dashboardTab = await tabAt(admin, '/admin');
  const typingTab = await tabAt(await admin.newTab(), '/admin/users');
  const idleTab = await tabAt(await admin.newTab(), '/subscriptions');
  const old = await readVersion(admin);
  if (browserName === 'Chromium') await startPastWorker(idleTab.person); // which Firefox' driver cannot do
  await typingTab.person.press('Add User');
  await typingTab.person.fill('Username', 'half.a.name');

  deploy('firebase-next', 'notifications/AppManagement.tsx');
  equal(await updateWithoutEffect(admin), 'redundant', 'an incomplete version is not installed');
  equal(await readVersion(admin), old);
  await admin.reload();
  await admin.see('Manage Users');

  const before = [dashboardTab, typingTab, idleTab].map(({ loads }) => loads());
  deploy('firebase-next');
  await update(idleTab.person);
  const countReloads = () =>
    [dashboardTab, typingTab, idleTab].map(({ loads }, index) => loads() - before[index]!);
  await eventually(
    () => countReloads()[0] === 1 && countReloads()[2] === 1,
    'the idle tabs to restart',
  );
  await idleTab.person.see('Topics & Notifications Settings');
  const fresh = await readVersion(idleTab.person);
  notEqual(fresh, old);
  equal(await readVersion(admin), fresh);

  await typingTab.person.see('A new version of the app is available.');
  equal(
    await typingTab.person.page.$eval(
      'dialog[open] input',
      (field) => (field as HTMLInputElement).value,
    ),
    'half.a.name',
  );
  await typingTab.person.press('Cancel');
  await typingTab.person.press('Add User');
  await typingTab.person.press('Cancel');
  deepEqual(countReloads(), [1, 0, 1], 'the tab with typed text still works');
  await typingTab.person.press('Reload');
  await eventually(() => countReloads()[1] === 1, 'the tab with typed text to restart on request');
  await typingTab.person.seeControl('button', 'Add User');
  deepEqual(countReloads(), [1, 1, 1], 'every tab started again once');
  equal(await typingTab.person.page.$('dialog[open]'), null);

  const cachedAnswers = await readCached(admin.page);
  ok(cachedAnswers.length > 5);
  deepEqual(
    cachedAnswers.filter(({ path, signed }) => signed || path.startsWith('/api')),
    [],
    'no cache holds a personal answer',
  );
}

async function loseCode(cleanUp: CleanUp): Promise<void> {
  const { folder, deploy } = servedFolder(cleanUp);
  deploy('web-push');
  const { browser, installation } = await startTestBed('Chromium', 'web-push', cleanUp, {
    staticFolder: folder,
  });
  const admin = await Person.openIn(browser.defaultBrowserContext(), installation.address);
  await admin.signIn('admin', ADMIN_PASSWORD);
  const { loads } = await tabAt(admin, '/admin');
  await admin.see('Manage Users');
  const before = loads();
  deploy('web-push', 'screens/users/Users.tsx');
  await admin.follow('Users');
  await admin.see('This page couldn’t be loaded.');
  equal(loads() - before, 1);
  await admin.follow('Dashboard');
  await admin.see('Manage Users');
  await admin.follow('Users');
  await admin.see('This page couldn’t be loaded.');
  equal(loads() - before, 1, 'not again for the same version');
  deploy('web-push');
  await admin.follow('Reload');
  await admin.seeControl('button', 'Add User');
}

/** A reload must suffice, not closing every tab. */
async function deployBrokenVersion(browserName: BrowserName, cleanUp: CleanUp): Promise<void> {
  const { folder, deploy, deployBroken } = servedFolder(cleanUp);
  deploy('firebase');
  const { browser, installation } = await startTestBed(browserName, 'firebase', cleanUp, {
    staticFolder: folder,
  });
  const admin = await Person.openIn(browser.defaultBrowserContext(), installation.address);
  await admin.signIn('admin', ADMIN_PASSWORD);
  await waitForWorker(admin);
  const { loads } = await tabAt(admin, '/admin');
  await admin.see('Manage Users');

  deployBroken('firebase-next');
  await update(admin);
  await admin.see('The app didn’t start.');
  ok(
    loads() <= 3,
    `${loads()} loads: the new version starts, once more by itself, and then waits for the person`,
  );
  for (const _ of [1, 2]) {
    const loadsBefore = loads();
    await admin.press('Reload');
    await eventually(() => loads() > loadsBefore, 'the page to reload');
    await admin.see('The app didn’t start.');
  }
  const otherPerson = await admin.newTab();
  await otherPerson.open('/admin/topics');
  await otherPerson.see('The app didn’t start.');

  deploy('firebase');
  await otherPerson.reload();
  await otherPerson.see('Add Topic');
  await admin.press('Reload');
  await admin.see('Manage Users');
  deployBroken('firebase-next');
  await update(admin);
  await admin.see('The app didn’t start.');
  deploy('firebase');
  await admin.reload();
  await admin.see('Manage Users');
  await waitForWorker(admin);
  await installation.stop();
  await admin.reload();
  await admin.see('Manage Users');
}

/** Administrators' screens are stored once opened; missing others are no fault. */
async function updateWithoutOpening(cleanUp: CleanUp): Promise<void> {
  const { browser, installation } = await startTestBed('Chromium', 'web-push', cleanUp);
  const admin = await Person.openIn(browser.defaultBrowserContext(), installation.address);
  await admin.signIn('admin', ADMIN_PASSWORD);
  const { loads } = await tabAt(admin, '/admin');
  await admin.see('Manage Users');
  const before = loads();
  await installation.stop();
  await admin.follow('Users');
  await admin.see(
    'The server isn’t reachable, and this page isn’t saved on this device. Try again in a few minutes.',
  );
  await admin.follow('Dashboard');
  await admin.see('Manage Users');
  equal(loads(), before);
}

async function startOffline(browserName: BrowserName, cleanUp: CleanUp): Promise<void> {
  const { browser, installation } = await startTestBed(browserName, 'web-push', cleanUp);
  const company = await Company.connect(installation.address);
  await company.addTechnician(
    TECHNICIAN,
    await Promise.all(TOPICS.map((title) => company.addTopic(title))),
  );
  const person = await Person.openIn(browser.defaultBrowserContext(), installation.address);
  await person.signIn(TECHNICIAN, PERSON_PASSWORD);
  await person.allowNotifications('Enable Notifications');
  await person.closeNotice('Notifications are on for this device.');
  await person.see('2 of 2 topics enabled');
  await person.closeApp();
  await installation.stop();

  await person.open('/');
  await person.see('Offline. Shown as of');
  await person.see('You can change the switches when you’re back online.');
  await person.see('Your subscribed topics (2)');
  const { page } = person;
  deepEqual(
    await page.$$eval('[role="switch"]', (switches) =>
      switches.map((control) => [
        (control as HTMLInputElement).checked,
        (control as HTMLInputElement).disabled,
      ]),
    ),
    [
      [true, true],
      [true, true],
    ],
  );
  for (const topic of TOPICS) await person.see(topic);

  await person.press('Logout');
  await person.seeControl('button', 'Sign in');
  await person.open('/');
  await person.seeControl('button', 'Sign in');
  deepEqual(await readStoredTraces(page), {}, 'no topics stay after an offline sign-out');
}

/** Firefox with all site data blocked: storage, databases and workers reject, some by throwing. */
async function startWithBlockedStorage(cleanUp: CleanUp): Promise<void> {
  const demo = await startInstallation({ built: builtFolder('web-push'), program: 'demo' });
  cleanUp(() => demo.stop());
  const autopush = await startAutopush();
  cleanUp(() => autopush.close());
  const browser = await launchFirefox({ autopush, fcm: undefined, blockSiteData: true });
  cleanUp(() => browser.close());
  await recordConsole(browser);
  const person = await Person.openIn(browser.defaultBrowserContext(), demo.address);
  // The page counts errors itself: in Firefox, the driver's `pageerror` includes handled
  // rejections.
  await person.page.evaluateOnNewDocument(() => {
    const unhandled: string[] = ((window as unknown as { unhandled: string[] }).unhandled = []);
    addEventListener('error', ({ message }) => unhandled.push(message));
    addEventListener('unhandledrejection', ({ reason }) => unhandled.push(String(reason)));
  });
  await person.signIn(TECHNICIAN, DEMO_PASSWORD);
  await person.closeNotice(
    'This browser doesn’t store data. You’ll need to sign in again after you close this page.',
  );
  await person.see('Your subscribed topics');
  await person.allowNotifications('Enable Notifications');
  await person.see('Failed to initialize PWA: ');
  deepEqual(
    await person.page.evaluate(() => (window as unknown as { unhandled: string[] }).unhandled),
    [],
  );
}

const BROWSERS: BrowserName[] = ['Chromium', 'Firefox'];

export const deployStories: Story[] = [
  ...BROWSERS.flatMap((browserName): Story[] => [
    {
      name: `reloads each open tab once after a deploy, in ${browserName}`,
      run: (cleanUp) => deployWhileOpen(browserName, cleanUp),
    },
    {
      name: `recovers from a version that does not start, in ${browserName}`,
      run: (cleanUp) => deployBrokenVersion(browserName, cleanUp),
    },
    {
      name: `starts offline with the topics last seen, in ${browserName}`,
      run: (cleanUp) => startOffline(browserName, cleanUp),
    },
  ]),
  {
    name: 'moves a device to an installation ID and back',
    run: changeTokenKind,
  },
  {
    name: 'says offline that a page was never opened on this device',
    run: updateWithoutOpening,
  },
  { name: 'restarts the app once when its code is gone, then says so', run: loseCode },
  {
    name: 'works in a Firefox that blocks all site data, without notifications',
    run: startWithBlockedStorage,
  },
];
