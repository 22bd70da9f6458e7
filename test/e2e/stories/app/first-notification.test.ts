/** The main job from end to end (S1.2, S1.3). */
import { deepEqual, match } from 'node:assert/strict';
import { ADMIN_PASSWORD } from '../../../support/processes/installation';
import type { BuildName } from '../../parts/builds';
import type { CleanUp, Story } from '../../parts/harness';
import { Person } from '../../parts/person';
import { startTestBed, type BrowserName } from '../../parts/push/test-bed';
import { openFromTray } from '../../parts/push/tray';

const TOPIC = 'Storm and flood warnings';
const TECHNICIAN = 'j.petrov';
const FIRST = 'Crest at Mill Bridge at 16:40.';
const SECOND = 'All clear. Grüße 👷🏽';
const PASSWORD = 'four-words-in-a-row';

async function fromSignInToNotification(
  browserName: BrowserName,
  build: BuildName,
  cleanUp: CleanUp,
): Promise<void> {
  const testBed = await startTestBed(browserName, build, cleanUp);
  const { browser, installation, tray, report } = testBed;
  try {
    // Two people need two contexts. Chromium subscribes only in the default one.
    const admin = await Person.openIn(await browser.createBrowserContext(), installation.address);
    const technician = await Person.openIn(browser.defaultBrowserContext(), installation.address);
    await admin.signIn('admin', ADMIN_PASSWORD);
    await addTopic(admin);
    await register(technician, await addUser(admin));
    await enableNotifications(technician);
    await subscribe(admin);

    await technician.reload();
    await technician.see('1 of 1 topics enabled');
    await technician.seeControl('switch', TOPIC);

    await send(admin, FIRST);
    const firstNotifications = await technician.waitForNotification(FIRST);
    expectOne(firstNotifications, FIRST);
    match(
      firstNotifications[0]!.tag,
      /^[0-9a-f]{8}-[0-9a-f]{4}-/,
      "tagged with the message's id: a UUID",
    );

    await technician.closeApp();
    await send(admin, SECOND);
    expectOne(await tray.waitForNotification(SECOND), SECOND);
    match(
      await openFromTray(testBed, SECOND),
      /\/messages\/[0-9a-f]{8}-/,
      "the message's own page",
    );
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${report()}`, { cause: error });
  }
}

async function addTopic(admin: Person): Promise<void> {
  await admin.follow('Topics');
  await admin.press('Add Topic');
  await admin.fill('Title', TOPIC);
  await admin.fill('Description', 'Weather that changes your day');
  await admin.press('Add Topic');
  await admin.closeNotice('Topic added.');
  await admin.see(TOPIC);
}

/** @returns the registration link from the notice */
async function addUser(admin: Person): Promise<string> {
  await admin.follow('Users');
  await admin.press('Add User');
  await admin.fill('Username', TECHNICIAN);
  await admin.choose('Role', 'TECHNICIAN');
  await admin.press('Add User');
  const link = await admin.copyText(/http\S+\/register\/[\w-]+/);
  await admin.closeNotice('Registration link created!');
  return link;
}

async function register(technician: Person, link: string): Promise<void> {
  await technician.open(link);
  await technician.fill('Email', 'petrov@northgrid.example');
  await technician.fill('New password', PASSWORD);
  await technician.fill('Confirm password', PASSWORD);
  await technician.press('Set Password & Activate');
  await technician.see('Registration complete! You can now log in.');
  await technician.press('Sign in');
  await technician.see(`Logged in as: ${TECHNICIAN}`);
}

async function enableNotifications(technician: Person): Promise<void> {
  await technician.see('Permission: default');
  await technician.allowNotifications('Enable Notifications');
  await technician.see('Notifications are on for this device.');
  await technician.see('You are not subscribed to any topics yet.');
}

async function subscribe(admin: Person): Promise<void> {
  await admin.follow(`Manage Subscriptions of ${TECHNICIAN}`);
  await admin.tick(TOPIC);
  await admin.press('Subscribe');
  await admin.see('Current Subscriptions (1)');
  await admin.closeNotice('Subscribed to 1 topic.');
}

async function send(admin: Person, message: string): Promise<void> {
  await admin.follow('Topics');
  await admin.press(`Send notification to ${TOPIC}`);
  await admin.fill('Message', message);
  await admin.press('Send');
  await admin.see('1 device');
  await admin.seeNoDialog();
  await admin.closeNotice('1 device');
}

function expectOne(shown: { title: string; body: string }[], body: string): void {
  deepEqual(
    shown.filter((each) => each.body === body).map(({ title }) => title),
    [TOPIC],
  );
}

export const firstNotificationStories: Story[] = [
  {
    name: 'notifies a new subscriber, in Firefox over Web Push',
    run: (cleanUp) => fromSignInToNotification('Firefox', 'web-push', cleanUp),
  },
  {
    name: 'notifies a new subscriber, in Firefox with the Firebase SDK',
    run: (cleanUp) => fromSignInToNotification('Firefox', 'firebase', cleanUp),
  },
  {
    name: 'notifies a new subscriber, in Chromium over Web Push',
    run: (cleanUp) => fromSignInToNotification('Chromium', 'web-push', cleanUp),
  },
  {
    name: 'notifies a new subscriber, in Chromium with the Firebase SDK',
    run: (cleanUp) => fromSignInToNotification('Chromium', 'firebase', cleanUp),
  },
];
