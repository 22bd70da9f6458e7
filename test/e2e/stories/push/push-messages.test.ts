/** Uses the real messaging SDK, which sees each push, too. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { buildPushMessage } from '../../../../src/shared/push-message';
import { eventually } from '../../../support/eventually';
import type { Fcm } from '../../../support/push-services/fcm';
import { ADMIN_PASSWORD } from '../../../support/processes/installation';
import { MAX_WAIT_MS } from '../../parts/control';
import type { CleanUp, Story } from '../../parts/harness';
import { Person, type PageNotification } from '../../parts/person';
import { startTestBed, type BrowserName } from '../../parts/push/test-bed';
import { openFromTray } from '../../parts/push/tray';

const [SETTINGS, HOME] = ['Topics & Notifications Settings', 'Manage Users'];
const DEFAULTS = ['New Message', 'You have a new message.'];
const PAYLOADS: { name: string; payload: string; shown: string[] }[] = [
  ...['', 'garbage', 'null', '7', JSON.stringify('x'.repeat(3900)), '[]', '{"from":"1"}'].map(
    (payload) => ({
      name: `the payload ${payload.slice(0, 12) || '(empty)'}`,
      payload,
      shown: DEFAULTS,
    }),
  ),
  {
    name: 'a notification part',
    payload: JSON.stringify({ notification: { title: 'Yard', body: 'Gate 3 is open.' } }),
    shown: ['Yard', 'Gate 3 is open.'],
  },
  {
    name: 'markup',
    payload: JSON.stringify({
      data: { title: '<img src=x onerror=alert(1)>', body: '<b>Gate</b> 5 \u202Eis open.' },
    }),
    shown: ['<img src=x onerror=alert(1)>', '<b>Gate</b> 5 \u202Eis open.'],
  },
  {
    name: 'both parts',
    payload: JSON.stringify({
      notification: { title: 'no', body: 'no' },
      data: { title: 'Yard', body: 'Gate 4.' },
    }),
    shown: ['Yard', 'Gate 4.'],
  },
];

const createPayload = (body: string, link = '/subscriptions', messageId = body) =>
  JSON.stringify(
    buildPushMessage({
      title: 'Grid outages',
      body,
      topicId: '1',
      messageId,
      link,
      sentAt: new Date().toISOString(),
    }),
  );

interface Setup {
  person: Person;
  fcm: Fcm;
}
async function setUp(browserName: BrowserName, cleanUp: CleanUp) {
  const testBed = await startTestBed(browserName, 'firebase', cleanUp);
  const person = await Person.openIn(
    testBed.browser.defaultBrowserContext(),
    testBed.installation.address,
  );
  await person.open('/login?next=/subscriptions');
  await person.logIn('admin', ADMIN_PASSWORD);
  await person.allowNotifications('Enable Notifications');
  await person.closeNotice('Notifications are on for this device.');
  return { ...testBed, person, fcm: testBed.fcm! };
}

/** Chromium loses a notification requested while another is being shown, so call it afterwards. */
const list = (person: Person): Promise<PageNotification[]> =>
  person.page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration('/');
    return ((await registration?.getNotifications()) ?? []).map(({ title, body, tag }) => ({
      title,
      body,
      tag,
    }));
  });
async function clear(person: Person): Promise<void> {
  await person.page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration('/');
    for (const notification of (await registration?.getNotifications()) ?? []) notification.close();
  });
  await eventually(async () => (await list(person)).length === 0, 'the notifications to be closed');
}
/**
 * Waits for the app's notice, and closes the notice without bringing the page to the front.
 */
const seesNotice = (person: Person, text: string) =>
  person.page.waitForFunction(
    (wanted) => {
      const notice = [...document.querySelectorAll('.toast .note')].find((each) =>
        each.textContent?.includes(wanted),
      );
      notice?.querySelector('button')?.click();
      return notice;
    },
    { polling: 'mutation', timeout: MAX_WAIT_MS },
    text,
  );

async function pushEverything({ person, fcm }: Setup): Promise<void> {
  await clear(person);
  for (const [index, { name, payload, shown }] of PAYLOADS.entries()) {
    deepEqual(await fcm.pushToAll(payload), [201], name);
    await seesNotice(person, shown.join(': '));
    const notices = await list(person);
    equal(notices.length, index + 1, `${name} is one notification`);
    equal(
      notices.some(({ title, body }) => title === shown[0] && body === shown[1]),
      true,
      `${name}: ${JSON.stringify(notices)}`,
    );
  }
  deepEqual(
    (await list(person)).map(({ title, body }) => [title, body]).sort(),
    PAYLOADS.map(({ shown }) => shown).sort(),
  );
  await clear(person);
}

async function announceInTabs(browserName: BrowserName, cleanUp: CleanUp): Promise<void> {
  const { person, fcm } = await setUp(browserName, cleanUp);
  const otherPerson = await person.newTab();
  await otherPerson.open('/subscriptions');
  await otherPerson.see('Permission: granted');

  await fcm.pushToAll(createPayload('Feeder 12 tripped.'));
  await Promise.all(
    [person, otherPerson].map((tab) => seesNotice(tab, 'Grid outages: Feeder 12 tripped.')),
  );
  equal((await list(person)).length, 1, 'two tabs, one notification');

  await fcm.pushToAll(createPayload('Feeder 12 tripped.'));
  await seesNotice(person, 'Feeder 12 tripped.');
  await fcm.pushToAll(createPayload('Feeder 13 tripped.'));
  await seesNotice(person, 'Feeder 13 tripped.');
  deepEqual(
    (await list(person)).map(({ body }) => body).sort(),
    ['Feeder 12 tripped.', 'Feeder 13 tripped.'],
    'a repeat takes the place of the first',
  );

  await pushEverything({ person, fcm });
  const front = await otherPerson.newTab(); // of another site: nothing of the app is visible
  await front.page.bringToFront();
  await pushEverything({ person, fcm });
}

async function openByClicks(browserName: BrowserName, cleanUp: CleanUp): Promise<void> {
  const testBed = await setUp(browserName, cleanUp);
  const { tray, person, fcm } = testBed;
  const { page, origin } = person;
  const path = () => new URL(page.url()).pathname;
  const click = async (body: string, link: string) => {
    await fcm.pushToAll(createPayload(body, link));
    await seesNotice(person, body);
    await tray.press(body);
  };
  /** Waits until the app shows the page: one still loading would miss a push. */
  const arrive = async (where: string, title: string, what: string) => {
    await eventually(() => path() === where, what);
    await person.see(title);
  };
  await person.follow('Users');
  await person.see('Users');
  await page.evaluate(() => Object.assign(window, { same: true }));

  await click('To another page', '/subscriptions');
  await arrive('/subscriptions', SETTINGS, 'the open window to go where the message leads');
  await click('External', 'https://evil.example/');
  await arrive('/admin', HOME, 'a link to another site to lead home');
  await click('Back again', '/subscriptions');
  await arrive('/subscriptions', SETTINGS, 'the window to be back');
  await click('Script', 'javascript:alert(1)');
  await arrive('/admin', HOME, 'a script to lead home');

  await person.follow('Topics');
  await person.press('Add Topic');
  await person.fill('Title', 'Half a title');
  const answerNextDialog = (accept: boolean) => {
    let question: string | undefined;
    page.once('dialog', async (dialog) => {
      await (accept ? dialog.accept() : dialog.dismiss());
      question = dialog.message();
    });
    return () => eventually(() => question, 'the app to ask whether it may go');
  };
  const refused = answerNextDialog(false);
  await click('While typing', '/subscriptions');
  match(await refused(), /You’ll lose your unsaved changes/);
  equal(path(), '/admin/topics');
  equal(
    await page.$eval('dialog[open] input', (field) => (field as HTMLInputElement).value),
    'Half a title',
  );
  const accepted = answerNextDialog(true);
  await click('While typing still', '/subscriptions');
  await accepted();
  await arrive('/subscriptions', SETTINGS, 'the window to go there after Yes');
  equal(await page.evaluate(() => 'same' in window), true, 'without loading the app again');

  await person.closeApp();
  await fcm.pushToAll(
    JSON.stringify({
      notification: { title: 'Yard', body: 'No one is here.' },
      fcmOptions: { link: `${origin}/subscriptions` },
    }),
  );
  equal(
    (await tray.waitForNotification('No one is here.')).filter(({ title }) => title === 'Yard')
      .length,
    1,
  );
  equal(await openFromTray(testBed, 'No one is here.'), `${origin}/subscriptions`);
}

const BROWSERS: BrowserName[] = ['Chromium', 'Firefox'];

export const pushMessageStories: Story[] = BROWSERS.flatMap((browserName): Story[] => [
  {
    name: `shows one notification per push, even with two tabs, in ${browserName}`,
    run: (cleanUp) => announceInTabs(browserName, cleanUp),
  },
  {
    name: `opens a pressed message without losing typed text, in ${browserName}`,
    run: (cleanUp) => openByClicks(browserName, cleanUp),
  },
]);
