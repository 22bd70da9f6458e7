/** Every fault between a message and a person, one after the other on one phone. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import type { Device, RegisteredDevice } from '../../../../src/shared/contract';
import { delayText } from '../../../../src/ui/values/duration';
import { startFaultyProxy } from '../../../support/browsers/faulty-proxy';
import { eventually } from '../../../support/eventually';
import {
  letStorageBeKept,
  installMovableClock,
  waitForOwnStages,
  passTime,
  waitForShownTest,
  waitForTestStages,
  type ResultTone,
} from '../../parts/device-test';
import { Company, PERSON_PASSWORD, requestApi } from '../../parts/company';
import type { CleanUp, Story } from '../../parts/harness';
import { Person } from '../../parts/person';
import { startTestBed, type BrowserName } from '../../parts/push/test-bed';
import { causeTrouble, serveTroubledApp } from '../../parts/push/troubled-worker';

const TECHNICIAN = 'm.okafor';
const COLLEAGUE = 'j.petrov';
const TEST_AGAIN = 'Test again';
const REGISTER_REQUEST = 'POST /api/notifications/register-device';
const MAX_TESTS_AN_HOUR = 10;
/** When the page gives up on a test. */
const MAX_TEST_MS = 60_000;
/** When a push counts as late. */
const LATE_MS = 40_000;

async function setUp(browserName: BrowserName, cleanUp: CleanUp) {
  const staticFolder = serveTroubledApp('web-push', cleanUp);
  const testBed = await startTestBed(browserName, 'web-push', cleanUp, { staticFolder });
  const network = await startFaultyProxy(testBed.installation.address);
  cleanUp(() => network.close());
  const company = await Company.connect(testBed.installation.address);
  const outages = await company.addTopic('Grid outages');
  await company.addTechnician(TECHNICIAN, [outages]);
  await company.addTechnician(COLLEAGUE, [outages]);
  const person = await Person.openIn(testBed.browser.defaultBrowserContext(), network.address);
  await installMovableClock(person.page);
  await letStorageBeKept(person);
  await person.signIn(TECHNICIAN, PERSON_PASSWORD);
  await person.allowNotifications('Enable Notifications');
  await person.closeNotice('Notifications are on for this device.');
  /** Waits until the only token is another than `old`. */
  const device = (old = '') =>
    eventually(async () => {
      const devices = await company.listDevices(TECHNICIAN);
      return devices.length === 1 && devices[0]!.deviceToken !== old && devices[0]!;
    }, 'one device with another token');
  return { ...testBed, company, device, network, person };
}
type Setup = Awaited<ReturnType<typeof setUp>>;

/** Stages of the device up to this one. */
const upTo = (place: number, tone: ResultTone): ResultTone[] =>
  (['ok', 'warn', 'ok', 'ok', 'ok'] as ResultTone[]).map((good, index) =>
    index < place ? good : index === place ? tone : '',
  );
/** Stages of the push up to this one. */
const pushUpTo = (place: number, tone: ResultTone): ResultTone[] =>
  Array.from({ length: 5 }, (_, index) => (index < place ? 'ok' : index === place ? tone : ''));
const waiting = (place: number, at: string) => ({
  tones: pushUpTo(place, ''),
  at,
  text: /Waiting \(\d+ s\)/,
});
const arrived = { tones: pushUpTo(4, ''), at: 'Did it ring?', text: /Waiting for your answer/ };

async function failEachStage(browserName: BrowserName, cleanUp: CleanUp): Promise<void> {
  const setup = await setUp(browserName, cleanUp);
  const { person } = setup;
  await person.open('/check');
  await person.press('Test this phone');
  await person.seeControl('button', 'Yes');
  await failAtDevice(setup);
  await failAtPushService(setup);
  await loseOnTheWay(setup);
  await failAtSystem(setup);
  await failAtServer(setup);
}

/** A subscription at the same push service without an owner. */
function otherSubscription({ deviceToken, deviceType, userAgent }: Device) {
  const subscription = JSON.parse(deviceToken) as { endpoint: string };
  const endpoint = `${subscription.endpoint}.other`;
  return { deviceToken: JSON.stringify({ ...subscription, endpoint }), deviceType, userAgent };
}

async function failAtDevice({ company, device, person }: Setup): Promise<void> {
  const first = await device();
  // Gives the server another subscription of this installation, as a copy of its data would.
  const installationId = await person.page.evaluate(() => localStorage.getItem('installation_id'));
  await company.callAs(TECHNICIAN, REGISTER_REQUEST, {
    ...otherSubscription(first),
    installationId,
  });
  equal((await device(first.deviceToken)).id, first.id, 'the same device');
  await person.press(TEST_AGAIN);
  await person.see('This device isn’t reachable.');
  await waitForOwnStages(person, {
    tones: upTo(4, 'bad'),
    at: 'Not registered with the server',
    text: /The server had a different registration for this device\. It’s up to date now\. Test again\.$/,
  });
  await eventually(
    async () => (await device()).deviceToken === first.deviceToken,
    'the server to know the current one again',
  );

  await person.page.evaluate(async () => {
    for (const registration of await navigator.serviceWorker.getRegistrations())
      await registration.unregister();
  });
  await person.press(TEST_AGAIN);
  await person.see('This device isn’t reachable.');
  await waitForOwnStages(person, {
    tones: upTo(3, 'bad'),
    at: 'Fieldbell doesn’t run in the background',
    text: /The part of Fieldbell that runs in the background is missing\. Close Fieldbell, open it again, then test again\.$/,
  });
  // Reinstalled, it has another subscription, which replaces the older registration.
  await person.open('/check');
  const anew = await device(first.deviceToken);
  equal(anew.id, first.id, 'one installation is one device');

  await person.setPermission('denied');
  await eventually(
    async () => (await company.listDevices(TECHNICIAN)).length === 0,
    'the server to get it',
  );
  await person.press('Test this phone');
  await person.see('This device isn’t reachable.');
  await waitForOwnStages(person, {
    tones: upTo(0, 'bad'),
    at: 'Notifications aren’t allowed',
    text: /Allow notifications in the browser’s settings for this site, then test again\.$/,
  });
  await person.setPermission('granted');
  await device();
}

async function failAtPushService({
  device,
  person,
  pushServiceFaults: service,
}: Setup): Promise<void> {
  service.rejectPushes(410);
  await person.press(TEST_AGAIN);
  await person.see('This device isn’t reachable.');
  await waitForTestStages(person, {
    tones: pushUpTo(1, 'bad'),
    at: 'Not accepted by the push service',
    text: /The push service no longer recognizes this device\. Test again to register it\./,
  });
  service.endFault();
  await person.press(TEST_AGAIN);
  await person.seeControl('button', 'Yes');
  await waitForTestStages(person, arrived);
  await device();

  service.rejectPushes(403);
  await person.press(TEST_AGAIN);
  await person.see('This device isn’t reachable.');
  await waitForTestStages(person, {
    tones: pushUpTo(1, 'bad'),
    at: 'Not accepted by the push service',
    text: /The push service rejected the test\. Tell your administrator\. The problem must be fixed on the server\./,
  });
  service.endFault();

  service.holdPushes();
  await person.press(TEST_AGAIN);
  await waitForTestStages(person, waiting(2, 'Received by this device'));
  await passTime(person, MAX_TEST_MS);
  await person.see(
    'The push service accepted the test, but this device didn’t receive it within 60 seconds.',
  );
  await waitForTestStages(person, {
    tones: pushUpTo(2, 'bad'),
    at: 'Not received by this device',
    text: /^Stopped waiting at \d\d:\d\d:\d\d$/,
  });
  service.endFault();
  await person.seeControl('button', 'Yes');
  await waitForTestStages(person, arrived);
}

async function loseOnTheWay(setup: Setup): Promise<void> {
  const { company, installation, network, person, pushServiceFaults: trouble } = setup;
  trouble.holdPushes();
  await person.press(TEST_AGAIN);
  await waitForTestStages(person, waiting(2, 'Received by this device'));
  network.fault('GET /api/notifications/tests', 'cut');
  await waitForTestStages(person, {
    tones: pushUpTo(2, ''),
    at: 'Received by this device',
    text: /Retrying\.$/,
  });
  await passTime(person, MAX_TEST_MS);
  await person.see('We don’t know whether the test arrived.');
  await waitForTestStages(person, {
    tones: pushUpTo(2, 'bad'),
    at: 'Received by this device',
    text: /^We couldn’t get the result\. /,
  });
  network.clearFaults();
  trouble.endFault();
  await person.seeControl('button', 'Yes');
  await waitForTestStages(person, arrived);

  trouble.holdPushes();
  await person.press(TEST_AGAIN);
  await waitForTestStages(person, waiting(2, 'Received by this device'));
  const id = await waitForShownTest(person);
  await installation.halt();
  await installation.resume(LATE_MS);
  await causeTrouble(person, { ahead: LATE_MS });
  trouble.endFault();
  await person.see('The device may have been saving power, or the network may have been weak.');
  const { lateBy } = await company.readDeviceTest(TECHNICIAN, id);
  ok(lateBy !== null && lateBy >= LATE_MS, `late by ${lateBy} ms`);
  await person.see(`The test arrived ${delayText(lateBy)} late.`);
  await waitForTestStages(person, {
    tones: ['ok', 'ok', 'warn', 'ok', ''],
    at: 'Received by this device',
    text: new RegExp(`, late by ${delayText(lateBy)}$`),
  });
}

async function failAtSystem({ person }: Setup): Promise<void> {
  await causeTrouble(person, { ahead: LATE_MS, refuses: true });
  await person.press(TEST_AGAIN);
  await person.see('This device isn’t reachable.');
  await waitForTestStages(person, {
    tones: pushUpTo(3, 'bad'),
    at: 'Not displayed on the screen',
    text: /^The device rejected the notification\. /,
  });
  await causeTrouble(person, { ahead: LATE_MS });
}

async function failAtServer(setup: Setup): Promise<void> {
  const { company, device, installation, network, person } = setup;
  const start = 'POST /api/notifications/tests';
  const { id: deviceId } = await device();
  equal(await company.readStatusOf(COLLEAGUE, start, { deviceId }), 404, "someone else's device");

  setup.pushServiceFaults.holdPushes();
  const test = await waitForShownTest(person);
  let startedCount = 0;
  while ((await company.readStatusOf(TECHNICIAN, start, { deviceId })) === 201) startedCount++;
  equal(
    network.countRequests(start) + startedCount,
    MAX_TESTS_AN_HOUR,
    'tests from the page and beside it',
  );
  await person.press(TEST_AGAIN);
  await person.see('You have run ten tests in the last hour.');
  match(await person.copyText(/You have run ten tests in the last hour\..*/), /\d+ minutes/);
  await waitForOwnStages(person, {
    tones: ['ok', 'warn', 'ok', 'ok', 'ok'],
    at: 'Registered with the server',
    text: /^\d\d:\d\d:\d\d$/,
  });

  // The key of a removed device is invalid.
  const { deviceKey, id } = await company.callAs<RegisteredDevice>(
    COLLEAGUE,
    REGISTER_REQUEST,
    otherSubscription(await device()),
  );
  const receipt = { receipts: [{ messageId: test, kind: 'displayed' }] };
  const reportDisplayed = async () =>
    (await requestApi(installation.address, deviceKey, 'POST /api/notifications/receipts', receipt))
      .status;
  deepEqual(await reportDisplayed(), 200);
  await company.callAs(COLLEAGUE, `DELETE /api/notifications/devices/${id}`);
  deepEqual(await reportDisplayed(), 401);
  equal((await company.readDeviceTest(TECHNICIAN, test)).stages.displayed, null, "another's word");
}

const BROWSERS: BrowserName[] = ['Chromium', 'Firefox'];

export const deviceTestFaultStories: Story[] = BROWSERS.map(
  (browserName): Story => ({
    name: `marks the failing stage of a test and shows the stages before it, in ${browserName}`,
    run: (cleanUp) => failEachStage(browserName, cleanUp),
  }),
);
