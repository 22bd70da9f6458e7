import { deepEqual, equal } from 'node:assert/strict';
import { eventually } from '../../../support/eventually';
import { Company, PERSON_PASSWORD } from '../../parts/company';
import type { CleanUp, Story } from '../../parts/harness';
import { Person } from '../../parts/person';
import { readStoredTraces } from '../../parts/traces';
import { startTestBed, type BrowserName } from '../../parts/push/test-bed';
import { openFromTray } from '../../parts/push/tray';

const TECHNICIAN = 'm.okafor';
const NEXT = 'j.petrov';
const MAX_SHOWN = 20;
const MESSAGES = Array.from({ length: 30 }, (_, index) => `Feeder ${index + 1} tripped.`);

async function setUp(browserName: BrowserName, cleanUp: CleanUp) {
  const testBed = await startTestBed(browserName, 'web-push', cleanUp);
  const company = await Company.connect(testBed.installation.address);
  const outages = await company.addTopic('Grid outages');
  const safety = await company.addTopic('Safety notes');
  await company.addTechnician(TECHNICIAN, [outages, safety]);
  await company.addTechnician(NEXT, [safety]);
  const person = await Person.openIn(
    testBed.browser.defaultBrowserContext(),
    testBed.installation.address,
  );
  await person.signIn(TECHNICIAN, PERSON_PASSWORD);
  await person.allowNotifications('Enable Notifications');
  await person.closeNotice('Notifications are on for this device.');
  return { ...testBed, company, outages, safety, person };
}

const readInboxTexts = ({ page }: Person): Promise<string[]> =>
  page.$$eval('.inbox p', (paragraphs) => paragraphs.map(({ textContent }) => textContent));
const waitForInbox = (person: Person, expected: string[]): Promise<unknown> =>
  eventually(
    async () => JSON.stringify(await readInboxTexts(person)) === JSON.stringify(expected),
    `the inbox to list ${expected.length} messages`,
  ).catch(async () => deepEqual(await readInboxTexts(person), expected));

async function receiveThirtyPushes(browserName: BrowserName, cleanUp: CleanUp): Promise<void> {
  const { company, outages, person, tray } = await setUp(browserName, cleanUp);
  await person.closeApp();
  const peak = { shown: 0 };
  for (const message of MESSAGES) {
    await company.sendMessage(outages, message);
    await tray.waitForNotification(message);
    peak.shown = Math.max(peak.shown, (await tray.listNotifications()).length);
  }
  const counting = `${MESSAGES.length - (MAX_SHOWN - 1)} more in the inbox`;
  const shownNotices = await eventually(async () => {
    const notices = await tray.listNotifications();
    // The counting notification appears before the ones it replaces are closed.
    return (
      notices.some(({ title }) => title === counting) && notices.length <= MAX_SHOWN && notices
    );
  }, `the notification "${counting}"`);
  equal(shownNotices.length, MAX_SHOWN);
  equal(peak.shown <= MAX_SHOWN + 2, true, `${peak.shown} at a time: one is there before one goes`);
  deepEqual(
    shownNotices.filter(({ title }) => title !== counting).map(({ body }) => body),
    MESSAGES.slice(1 - MAX_SHOWN),
    'the newest stay',
  );

  const newestFirst = MESSAGES.toReversed();
  await person.open('/messages');
  await person.see(`Inbox ${MESSAGES.length} new`);
  await person.see(newestFirst[0]!);
  // Pushed messages are there first, until the server's newest page arrives.
  await person.page.waitForNetworkIdle({ idleTime: 500 });
  if ((await readInboxTexts(person)).length < MESSAGES.length) await person.press('Show older');
  await waitForInbox(person, newestFirst);
}

async function loseSubscription(browserName: BrowserName, cleanUp: CleanUp): Promise<void> {
  const { company, installation, outages, person, tray } = await setUp(browserName, cleanUp);
  await company.sendMessage(outages, 'Still to the phone.');
  await tray.waitForNotification('Still to the phone.');
  // The browser reports nothing. The push service informs the server with the next push.
  await person.page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    await (await registration.pushManager.getSubscription())?.unsubscribe();
  });
  await person.closeApp();
  const five = MESSAGES.slice(0, 5);
  for (const message of five) await company.sendMessage(outages, message);
  await eventually(
    async () => (await company.listDeviceTokens(TECHNICIAN)).length === 0,
    'the server to know that the device is gone',
  );

  const expectedTexts = [...five.toReversed(), 'Still to the phone.'];
  await person.open('/messages');
  await person.see(`Inbox ${expectedTexts.length} new`);
  await waitForInbox(person, expectedTexts);
  const { messages, unread } = await company.readInbox(TECHNICIAN);
  deepEqual(
    messages.map(({ message, seq }) => [seq, message]),
    expectedTexts.map((message, index) => [expectedTexts.length - index, message]),
  );
  equal(unread, expectedTexts.length);
  await eventually(
    async () => (await company.listDeviceTokens(TECHNICIAN)).length === 1,
    'the phone to be reached again',
  );
  await company.sendMessage(outages, 'To the phone again.');
  await tray.waitForNotification('To the phone again.');
  await waitForInbox(person, ['To the phone again.', ...expectedTexts]);

  // The server is down, and one message is known from its push only.
  await person.closeApp();
  await company.sendMessage(outages, 'While the app was closed.');
  await tray.waitForNotification('While the app was closed.');
  await installation.halt();
  await person.open('/messages');
  await person.see('Offline');
  await waitForInbox(person, [
    'While the app was closed.',
    'To the phone again.',
    ...expectedTexts,
  ]);
}

async function openPressedMessage(browserName: BrowserName, cleanUp: CleanUp): Promise<void> {
  const testBed = await setUp(browserName, cleanUp);
  const { browser, company, installation, outages, person, safety, tray } = testBed;
  const elsewhere = await Person.openIn(await browser.createBrowserContext(), installation.address);
  await elsewhere.signIn(TECHNICIAN, PERSON_PASSWORD);
  await company.sendMessage(outages, 'For you alone.');
  const messageToBoth = await company.sendMessage(safety, 'For you both.', { answers: ['Got it'] });
  await tray.waitForNotification('For you alone.');
  await tray.waitForNotification('For you both.');
  await elsewhere.open('/messages');
  await elsewhere.see('Inbox 2 new');

  await person.closeApp();
  const address = await openFromTray(testBed, 'For you both.');
  equal(address, `${installation.address}/messages/${messageToBoth}`);
  const [page] = (await browser.defaultBrowserContext().pages()).filter(
    (each) => each.url() === address,
  );
  await page!.waitForFunction(() => document.body.innerText.includes('For you both.'));
  await eventually(
    async () => (await company.readMessage(messageToBoth)).people.read === 1,
    'the message to be read',
  );
  await elsewhere.reload();
  await elsewhere.see('Inbox 1 new');
  await page!.close();

  await person.open('/messages');
  await person.see('For you alone.');
  await person.see('For you both.');
  await installation.halt();
  await person.press('Got it');
  await person.see('sends when you’re back online');
  await person.press('Logout');
  await person.seeControl('button', 'Sign in');
  await installation.resume();
  await person.open('/login');
  await person.logIn(NEXT, PERSON_PASSWORD);
  await person.open('/messages');
  await person.see('Inbox 1 new');
  await waitForInbox(person, ['For you both.']);
  equal(JSON.stringify(await readStoredTraces(person.page)).includes('For you alone.'), false);
  const { people } = await company.readMessage(messageToBoth);
  deepEqual([people.read, people.acknowledged], [1, 0], 'no one answered');
  await company.sendMessage(safety, 'For the next.');
  await tray.waitForNotification('For the next.');
  deepEqual(
    (await tray.listNotifications()).map(({ body }) => body),
    ['For the next.'],
    'no notification of the first is left',
  );
}

const BROWSERS: BrowserName[] = ['Chromium', 'Firefox'];

export const inboxStories: Story[] = BROWSERS.flatMap((browserName): Story[] => [
  {
    name: `keeps thirty pushes in the inbox and twenty in the tray, in ${browserName}`,
    run: (cleanUp) => receiveThirtyPushes(browserName, cleanUp),
  },
  {
    name: `lists missed messages once and unread in the inbox, in ${browserName}`,
    run: (cleanUp) => loseSubscription(browserName, cleanUp),
  },
  {
    name: `marks the pressed message as read everywhere, in ${browserName}`,
    run: (cleanUp) => openPressedMessage(browserName, cleanUp),
  },
]);
