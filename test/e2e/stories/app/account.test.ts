import { deepEqual, equal, ok } from 'node:assert/strict';
import type { AccountExport } from '../../../../src/shared/contract';
import { eventually } from '../../../support/eventually';
import { Company, PERSON_PASSWORD, requestApi } from '../../parts/company';
import type { CleanUp, Story } from '../../parts/harness';
import { Person } from '../../parts/person';
import { startTestBed, type BrowserName } from '../../parts/push/test-bed';

const TECHNICIAN = 'm.okafor';
const [OLD_EMAIL, NEW_EMAIL] = ['m.okafor@northgrid.example', 'maya.okafor@northgrid.example'];
const NEW_PASSWORD = 'brown-meadow-lantern-7';
const SESSION_ENDED = 'Your session has ended. Sign in to continue.';

async function setUp(browserName: BrowserName, cleanUp: CleanUp) {
  const testBed = await startTestBed(browserName, 'web-push', cleanUp);
  const { browser, installation } = testBed;
  const company = await Company.connect(installation.address);
  const topic = await company.addTopic('Grid outages');
  await company.addTechnician(TECHNICIAN, [topic]);
  const phone = await Person.openIn(browser.defaultBrowserContext(), installation.address);
  await phone.signIn(TECHNICIAN, PERSON_PASSWORD);
  await phone.allowNotifications('Enable Notifications');
  await phone.closeNotice('Notifications are on for this device.');
  /** The same person at another browser. */
  const desktop = await Person.openIn(await browser.createBrowserContext(), installation.address);
  await desktop.signIn(TECHNICIAN, PERSON_PASSWORD);
  const logIn = async (username: string, password: string): Promise<number> =>
    (await requestApi(installation.address, '', 'POST /api/auth/login', { username, password }))
      .status;
  return { ...testBed, company, topic, phone, desk: desktop, logIn };
}

async function changePassword(browserName: BrowserName, cleanUp: CleanUp): Promise<void> {
  const setup = await setUp(browserName, cleanUp);
  const { company, desk, logIn, phone, pushes, topic, tray } = setup;
  await desk.follow('Account');
  await desk.see('At least 8 characters');
  await desk.fill('Current password', 'not my password');
  await desk.fill('New password', NEW_PASSWORD);
  await desk.press('Change password');
  await desk.see('This is not your current password.');
  await desk.fill('Current password', PERSON_PASSWORD);
  await desk.press('Change password');
  await desk.closeNotice('Password changed.');

  // The phone's session ends, but its device still receives pushes.
  await phone.reload();
  await phone.see(SESSION_ENDED);
  await company.sendMessage(topic, 'Still heard.');
  await tray.waitForNotification('Still heard.');
  equal(pushes().length, 1);
  await desk.open('/messages');
  await desk.see('Still heard.'); // the page uses the new token
  deepEqual(
    [await logIn(TECHNICIAN, PERSON_PASSWORD), await logIn(TECHNICIAN, NEW_PASSWORD)],
    [401, 200],
  );
}

async function changeEmail(setup: Awaited<ReturnType<typeof setUp>>): Promise<void> {
  const { desk, installation, logIn } = setup;
  const mails = () =>
    installation.output
      .filter((line) => line.includes('"link"'))
      .map((line) => JSON.parse(line) as { subject: string; link: string });
  const mailed = (subject: string) =>
    eventually(() => mails().find((mail) => mail.subject === subject), subject);
  await desk.open('/account');
  await desk.see(`Your email is ${OLD_EMAIL}.`);
  await desk.fill('New email', NEW_EMAIL);
  await desk.fill('Password', PERSON_PASSWORD);
  await desk.press('Send link to new email');
  await desk.see(
    `We sent a link to ${NEW_EMAIL}. Until you open the link, your email stays ${OLD_EMAIL}.`,
  );
  equal(await logIn(NEW_EMAIL, PERSON_PASSWORD), 401, 'not before the link is opened');
  const { link } = await mailed('Confirm your new email address');
  await desk.open(new URL(link).pathname);
  await desk.see('Email verified!');
  await mailed('Your email address was changed');
  await desk.open('/account');
  await desk.see(`Your email is ${NEW_EMAIL}.`);
  deepEqual(
    [await logIn(NEW_EMAIL, PERSON_PASSWORD), await logIn(OLD_EMAIL, PERSON_PASSWORD)],
    [200, 401],
  );
  await desk.open(new URL(link).pathname);
  await desk.see('Invalid or expired verification link.');
}

async function download({ company, desk: desktop, topic }: Awaited<ReturnType<typeof setUp>>) {
  const id = await company.sendMessage(topic, 'Kept, too.');
  await desktop.open('/account');
  // Catches the saved file on its way, as each browser stores it elsewhere.
  await desktop.page.evaluate(() => {
    const { createObjectURL } = URL;
    URL.createObjectURL = (file: Blob) => {
      void file.text().then((text) => Object.assign(window, { saved: text }));
      return createObjectURL.call(URL, file);
    };
  });
  await desktop.press('Download my data');
  const saved = await desktop.page.waitForFunction(
    () => (window as unknown as { saved?: string }).saved,
  );
  const accountExport = JSON.parse((await saved.jsonValue()) ?? '') as AccountExport;
  deepEqual(
    [
      accountExport.account.username,
      accountExport.account.email,
      accountExport.topics.length,
      accountExport.devices.length,
    ],
    [TECHNICIAN, NEW_EMAIL, 1, 1],
  );
  ok(accountExport.messages.some((message) => message.id === id));
}

async function signOutEverywhere(browserName: BrowserName, cleanUp: CleanUp): Promise<void> {
  const setup = await setUp(browserName, cleanUp);
  const { company, desk, phone, pushes, topic, tray } = setup;
  await changeEmail(setup);
  await download(setup);
  await tray.waitForNotification('Kept, too.');
  equal(pushes().length, 1);

  await desk.press('Sign out everywhere');
  await desk.see('including this one');
  await desk.press('Sign out everywhere'); // in the dialog: nothing else is reachable
  await desk.see('Sign in to Fieldbell');
  await phone.reload();
  await phone.see('This device was signed out.');
  const { people } = await company.readMessage(await company.sendMessage(topic, 'To no one.'));
  equal(people.unreachable, 1, 'no device is left');
  equal(pushes().length, 1);
}

const BROWSERS: BrowserName[] = ['Chromium', 'Firefox'];

export const accountStories: Story[] = BROWSERS.flatMap((browserName): Story[] => [
  {
    name: `ends other sessions after a password change, in ${browserName}`,
    run: (cleanUp) => changePassword(browserName, cleanUp),
  },
  {
    name: `confirms an email, downloads data and signs out everywhere, in ${browserName}`,
    run: (cleanUp) => signOutEverywhere(browserName, cleanUp),
  },
]);
