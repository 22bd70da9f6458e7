import { deepEqual, equal } from 'node:assert/strict';
import { eventually } from '../../../support/eventually';
import { ADMIN_PASSWORD } from '../../../support/processes/installation';
import { TEST_TEXT } from '../../parts/device-test';
import { Company, PERSON_PASSWORD } from '../../parts/company';
import type { CleanUp, Story } from '../../parts/harness';
import { Person } from '../../parts/person';
import { waitForNoPersonalData } from '../../parts/traces';
import { startTestBed, type BrowserName } from '../../parts/push/test-bed';
import { startTwoBrowsers } from '../../parts/push/two-browsers';

const TECHNICIAN = 'm.okafor';
const SIGNED_OUT = 'This device was signed out.';

async function waitForBoardText(person: Person): Promise<void> {
  await person.open('/');
  await person.see(SIGNED_OUT);
  await person.seeControl('button', 'Sign in');
  await waitForNoPersonalData(person.page);
}

async function signedOut(browserName: BrowserName, cleanUp: CleanUp): Promise<void> {
  const { browser, installation, pushes, tray } = await startTestBed(
    browserName,
    'web-push',
    cleanUp,
  );
  const company = await Company.connect(installation.address);
  const outages = await company.addTopic('Grid outages');
  await company.addTechnician(TECHNICIAN, [outages]);
  const person = await Person.openIn(browser.defaultBrowserContext(), installation.address);
  await person.signIn(TECHNICIAN, PERSON_PASSWORD);
  await person.allowNotifications('Enable Notifications');
  await person.closeNotice('Notifications are on for this device.');
  await company.sendMessage(outages, 'Feeder 12 tripped.');
  await tray.waitForNotification('Feeder 12 tripped.');
  await person.closeApp();

  const elsewhere = await Person.openIn(await browser.createBrowserContext(), installation.address);
  await elsewhere.signIn(TECHNICIAN, PERSON_PASSWORD);
  await elsewhere.follow('Test');
  await elsewhere.see('Your devices (1)');
  await elsewhere.press('Sign out Computer, last seen now');
  await elsewhere.see('The app removes your data from the device the next time it starts there.');
  await elsewhere.press('Sign out');
  await elsewhere.closeNotice('Computer signed out.');
  await elsewhere.see('None of your devices receive notifications.');

  const earlierCount = pushes().length;
  const last = await company.sendMessage(outages, 'Feeder 13 tripped.');
  await eventually(
    async () => (await company.readMessage(last)).state === 'sent',
    'the message to be sent',
  );
  equal(pushes().length, earlierCount, 'nothing is pushed to a device that is signed out');
  await waitForBoardText(person);
  deepEqual(
    (await tray.listNotifications()).map(({ body }) => body),
    [],
    'nothing is left there',
  );

  await person.logIn(TECHNICIAN, PERSON_PASSWORD);
  await eventually(
    async () => (await company.listDevices(TECHNICIAN)).length === 1,
    'the next person’s device to be registered',
  );
  await company.sendMessage(outages, 'Feeder 14 tripped.');
  await tray.waitForNotification('Feeder 14 tripped.');
}

async function setUp(cleanUp: CleanUp) {
  const { company, seats } = await startTwoBrowsers(cleanUp);
  return {
    company,
    admin: seats.Chromium.person,
    technician: seats.Firefox.person,
    adminsTray: seats.Chromium.tray,
    techniciansTray: seats.Firefox.tray,
  };
}
type Setup = Awaited<ReturnType<typeof setUp>>;

async function testAllFromNewInstallation(cleanUp: CleanUp): Promise<void> {
  const setup = await setUp(cleanUp);
  const { admin, company, technician } = setup;
  await takeFirstSteps(setup);
  const topics = await company.listTopicIds();
  await company.addTechnician(TECHNICIAN, topics);
  await technician.signIn(TECHNICIAN, PERSON_PASSWORD);
  await technician.allowNotifications('Enable Notifications');
  await technician.closeNotice('Notifications are on for this device.');

  await admin.open('/admin');
  await admin.see('1 person isn’t reachable yet.');
  for (const line of [
    'System status Email Not set up. People can’t reset passwords.',
    'Backup No backup yet.',
  ])
    await admin.see(line);
  await admin.unfold('Everything else works');
  for (const line of [
    'Accepting messages. Good',
    'Waiting to be sent Queue is empty. Good',
    'Version Fieldbell',
  ])
    await admin.see(line);
  await followOnBoard(setup);
}

async function takeFirstSteps({ admin, adminsTray }: Setup): Promise<void> {
  await admin.signIn('admin', ADMIN_PASSWORD);
  await admin.see('Three steps to your first notification');
  await admin.see('0 of 3 done');
  await admin.allowNotifications('Enable Notifications');
  await admin.closeNotice('Notifications are on for this device.');
  await admin.see('1 of 3 done');
  await admin.press('Add Topic');
  await admin.fill('Title', 'Grid outages');
  await admin.fill('Description', 'Feeders and substations.');
  await admin.press('Add Topic');
  await admin.seeNoDialog();
  await admin.seeControl('link', 'Send a message');
  await admin.see('1 of 3 done');
  await admin.follow('Topics');
  await admin.press('Send notification to Grid outages');
  await admin.fill('Message', 'The first of all.');
  await admin.press('Send');
  await adminsTray.waitForNotification('The first of all.');
  await admin.seeNoDialog();
  await admin.open('/admin');
  await admin.see('2 of 3 done');
  await admin.seeControl('link', 'Add users');
}

async function followOnBoard(setup: Setup): Promise<void> {
  const { admin, adminsTray, company, technician, techniciansTray } = setup;
  await admin.follow('See who');
  await admin.see(`${TECHNICIAN} Untested Desktop, nothing displayed yet`);
  await admin.choose('State', 'all');
  await admin.see('admin Reachable');
  await admin.press('Test all devices');
  await admin.see('Test 2 devices belonging to 2 people?');
  await admin.press('Test 2 devices');
  await admin.see('Testing 2 devices…');
  await Promise.all([
    adminsTray.waitForNotification(TEST_TEXT),
    techniciansTray.waitForNotification(TEST_TEXT),
  ]);
  await admin.see(`${TECHNICIAN} Reachable Desktop, last notification displayed today`); // without a reload
  const tests = await Promise.all(
    ['admin', TECHNICIAN].map(async (name) => {
      const [device] = await (name === 'admin'
        ? company.listAdminDevices()
        : company.listDevices(name));
      return device?.reach?.lastTest?.stages.displayed !== null;
    }),
  );
  deepEqual(tests, [true, true], 'both were shown');

  await admin.page.locator(`[aria-label="More for ${TECHNICIAN}"]`).click();
  await admin.press(`Remove device of ${TECHNICIAN}`);
  await admin.see('It will be signed out and stop receiving notifications.');
  await admin.press('Remove device');
  await admin.closeNotice('Device removed.');
  await admin.see(`${TECHNICIAN} No device Last device removed`);
  await waitForBoardText(technician);
}

const BROWSERS: BrowserName[] = ['Chromium', 'Firefox'];

export const reachStories: Story[] = [
  {
    name: 'tests all devices and removes one on the board',
    run: testAllFromNewInstallation,
  },
  ...BROWSERS.map(
    (browserName): Story => ({
      name: `erases data of a device that was signed out elsewhere, in ${browserName}`,
      run: (cleanUp) => signedOut(browserName, cleanUp),
    }),
  ),
];
