import { deepEqual, equal, ok } from 'node:assert/strict';
import { delayText } from '../../../../src/ui/values/duration';
import { eventually } from '../../../support/eventually';
import {
  letStorageBeKept,
  waitForOwnStages,
  waitForShownTest,
  TEST_TEXT,
  waitForTestStages,
} from '../../parts/device-test';
import { Company, PERSON_PASSWORD } from '../../parts/company';
import { MAX_WAIT_MS } from '../../parts/control';
import type { CleanUp, Story } from '../../parts/harness';
import { Person } from '../../parts/person';
import { startTestBed, type BrowserName } from '../../parts/push/test-bed';
import { openFromTray, listOpenPages } from '../../parts/push/tray';
import { causeTrouble, serveTroubledApp } from '../../parts/push/troubled-worker';

const TECHNICIAN = 'm.okafor';
const MINUTE_MS = 60_000;
/** A sleep test has left by then, and reaches the phone hours later. */
const LEFT_MS = 17 * MINUTE_MS;
const AWAKE_MS = LEFT_MS + 120 * MINUTE_MS;

async function setUp(browserName: BrowserName, cleanUp: CleanUp) {
  const staticFolder = serveTroubledApp('web-push', cleanUp);
  const testBed = await startTestBed(browserName, 'web-push', cleanUp, { staticFolder });
  const { address } = testBed.installation;
  const company = await Company.connect(address);
  const outages = await company.addTopic('Grid outages');
  await company.addTechnician(TECHNICIAN, [outages]);
  const person = await Person.openIn(testBed.browser.defaultBrowserContext(), address);
  await letStorageBeKept(person);
  await person.signIn(TECHNICIAN, PERSON_PASSWORD);
  await person.allowNotifications('Enable Notifications');
  await person.closeNotice('Notifications are on for this device.');
  return { ...testBed, company, person };
}
type Setup = Awaited<ReturnType<typeof setUp>>;

async function runTests(browserName: BrowserName, cleanUp: CleanUp): Promise<void> {
  const setup = await setUp(browserName, cleanUp);
  const { company, person, tray } = setup;
  await person.see('This computer hasn’t been tested yet');
  await person.follow('Test this computer');
  await person.press('Test this phone');
  deepEqual(
    (await tray.waitForNotification(TEST_TEXT)).map(({ title }) => title),
    ['Test from Fieldbell'],
  );
  await person.seeControl('button', 'Yes');
  ok(await startsFromFirstScreen(person), 'the question is in the first screen');
  await person.press('Yes');
  await person.see('This device is reachable.');
  await waitForTestStages(person, {
    tones: ['ok', 'ok', 'ok', 'ok', 'ok'],
    at: 'It rang',
    text: /^You confirmed at \d\d:\d\d:\d\d$/,
  });
  await waitForOwnStages(person, {
    tones: ['ok', 'warn', 'ok', 'ok', 'ok'],
    at: 'Fieldbell isn’t installed',
    text: /Install Fieldbell/,
  });
  await person.open('/');
  await person.see('This computer is reachable');
  deepEqual((await company.readInbox(TECHNICIAN)).messages, [], 'tests are not in the inbox');
  await pressWhileClosed(setup);
  await person.page.bringToFront();
  await runSleepTest(setup);
}

/** Whether a small phone shows the question's buttons without scrolling. */
async function startsFromFirstScreen({ page }: Person): Promise<boolean> {
  await page.setViewport({ width: 360, height: 740 });
  const isShown = await page.evaluate(() => {
    const rectOf = (selector: string) => document.querySelector(selector)?.getBoundingClientRect();
    scrollTo(0, 0);
    return (rectOf('.answers')?.bottom ?? Infinity) <= (rectOf('.edge')?.top ?? 0);
  });
  await page.setViewport({ width: 1280, height: 800 });
  return isShown;
}

async function pressWhileClosed(setup: Setup): Promise<void> {
  const { browser, company, installation, person, tray } = setup;
  await person.page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    for (const notification of await registration.getNotifications()) notification.close();
  });
  await eventually(
    async () => (await tray.listNotifications()).length === 0,
    'the tray to be empty',
  );
  await person.closeApp();
  const [device] = await company.listDevices(TECHNICIAN);
  const testRequest = { deviceId: device!.id };
  const { id } = await company.callAs<{ id: string }>(
    TECHNICIAN,
    'POST /api/notifications/tests',
    testRequest,
  );
  const arrived = `${installation.address}/check?test=${id}`;
  equal(await openFromTray(setup, TEST_TEXT), arrived);
  const pages = await browser.defaultBrowserContext().pages();
  const openedPage = pages.find((page) => page.url() === arrived)!;
  const pressButton = (name: string) =>
    openedPage
      .locator(`::-p-aria([name="${name}"][role="button"])`)
      .setTimeout(MAX_WAIT_MS)
      .click();
  await pressButton('No sound');
  await openedPage.waitForFunction(() =>
    document.body.innerText.includes('The test arrived without a sound.'),
  );
  equal((await company.readDeviceTest(TECHNICIAN, id)).failure?.stage, 'heard');
  await openedPage.close();
  await eventually(
    async () => (await listOpenPages(browser, installation.address)).length === 0,
    'the page to be closed',
  );
}

/** Passes fifteen minutes on the server only, while the push service keeps the push. */
async function runSleepTest({
  company,
  installation,
  person,
  pushServiceFaults: service,
}: Setup): Promise<void> {
  await person.open('/check');
  await person.press('Start the sleep test');
  await person.see('Lock the phone and leave it for 15 minutes.');
  await person.see('Between');
  const id = await waitForShownTest(person);
  await person.closeApp();
  service.holdPushes();
  await installation.halt();
  await installation.resume(LEFT_MS);
  await eventually(
    async () => (await company.readDeviceTest(TECHNICIAN, id)).stages.accepted,
    'the scheduled test to leave',
  );

  // The person looks before the phone is awake enough to receive.
  await installation.halt();
  await installation.resume(AWAKE_MS);
  await person.open('/check');
  await person.see('The test is on its way.');
  equal(await waitForShownTest(person), id, 'the test started then');
  await causeTrouble(person, { ahead: AWAKE_MS });
  service.endFault();
  await person.see('The test arrived 2 h late.');
  const { lateBy, sendAt, createdAt } = await company.readDeviceTest(TECHNICIAN, id);
  equal(delayText(lateBy ?? 0), '2 h');
  const hidden = Date.parse(sendAt) - Date.parse(createdAt) - 15 * MINUTE_MS;
  ok(hidden >= 0 && hidden <= MINUTE_MS, `it left ${hidden} ms after its quarter of an hour`);
  await person.press('Yes');
  await person.see('It rang');
}

const BROWSERS: BrowserName[] = ['Chromium', 'Firefox'];

export const deviceTestStories: Story[] = BROWSERS.map(
  (browserName): Story => ({
    name: `runs a device test with the app open, closed and asleep, in ${browserName}`,
    run: (cleanUp) => runTests(browserName, cleanUp),
  }),
);
