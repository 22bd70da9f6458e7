import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { OwnCheckIns } from '../../../../src/shared/contract';
import { eventually } from '../../../support/eventually';
import { Company, PERSON_PASSWORD } from '../../parts/company';
import type { CleanUp, Story } from '../../parts/harness';
import { Person } from '../../parts/person';
import { startTestBed, type BrowserName } from '../../parts/push/test-bed';
import { listOpenPages } from '../../parts/push/tray';

const WORKER = 'm.okafor';
const WATCHERS = ['a.lindqvist', 'j.petrov'];
const [FOUND_BY] = WATCHERS as [string];
const CHIEF = 'c.haaland';
const MINUTE_MS = 60_000;

const timeText = (at: string): string =>
  new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' }).format(Date.parse(at));

async function workAloneInTheEvening(browserName: BrowserName, cleanUp: CleanUp): Promise<void> {
  const testBed = await startTestBed(browserName, 'web-push', cleanUp);
  const { browser, installation, tray } = testBed;
  const moveTo = async (minutes: number): Promise<void> => {
    await installation.halt();
    await installation.resume(minutes * MINUTE_MS);
  };
  // The phone's clock cannot be moved, so the hour before its first press is the server's alone.
  await moveTo(-56);
  const company = await Company.connect(installation.address);
  await company.addAdmin(CHIEF);
  const control = await company.addTopic('Control room');
  await company.addTechnician(WORKER, []);
  for (const name of WATCHERS) await company.addTechnician(name, [control]);
  await company.callAs(CHIEF, 'PUT /api/admin/check-ins/settings', {
    ...{ enabled: true, graceMinutes: 5, alarmTopicId: control, policyId: null },
  });
  const state = () => company.callAs<OwnCheckIns>(WORKER, 'GET /api/check-ins');
  const dueText = async (): Promise<string> =>
    `Your check-in is due at ${timeText((await state()).current?.dueAt ?? '')}.`;

  /** A press within 600 ms after its button appeared counts as the second tap of a double tap. */
  const pressCalmly = async (name: string): Promise<void> => {
    await worker.seeControl('button', name);
    await wait(700);
    await worker.press(name);
  };
  const worker = await Person.openIn(browser.defaultBrowserContext(), installation.address);
  await worker.signIn(WORKER, PERSON_PASSWORD);
  await worker.allowNotifications('Enable Notifications');
  await worker.closeNotice('Notifications are on for this device.');
  await worker.follow('Check in');
  await pressCalmly('Start check-in');
  await worker.see('60 minutes left');
  await worker.closeApp();

  // The reminder comes to the closed app, and the answer to a phone without a server.
  await moveTo(0);
  const first = await dueText();
  const [reminder] = await tray.waitForNotification(first);
  deepEqual(
    [reminder?.title, reminder?.buttons],
    ['Urgent: Are you OK?', ['I’m OK', 'I need help']],
  );
  await installation.halt();
  await tray.press(first, 'I’m OK');
  await tray.waitForNotification(
    'We’ll keep trying. Open the app and keep it open. Need help now? Call someone, too.',
  );
  deepEqual(await listOpenPages(browser, installation.address), [], 'pages that the press opened');
  // The app, opened without a server, shows the answer that waits on the phone.
  await worker.open('/check-in');
  await worker.see('“I’m OK” hasn’t been sent yet.');
  await worker.closeApp();
  await installation.resume(2 * MINUTE_MS);
  await tray.waitForNotification('Open the app for details.');
  const { current: answered } = await state();
  deepEqual([answered?.state, answered?.answers], ['running', 1]);
  // The phone's clock is two minutes behind by now, which does not make an answer late.
  equal(answered?.receivedAt, undefined);

  // Silence after the next reminder.
  await moveTo(57);
  await tray.waitForNotification(await dueText());
  await moveTo(67);
  const titles = async (username: string): Promise<string[]> =>
    (await company.readInbox(username)).messages.map(({ title }) => title);
  const alarm = `${WORKER} missed a check-in`;
  await eventually(async () => (await titles(FOUND_BY)).includes(alarm), 'the alarm');
  const watcher = await Person.openIn(await browser.createBrowserContext(), installation.address);
  await watcher.signIn(FOUND_BY, PERSON_PASSWORD);
  await watcher.open('/messages'); // the link's name has the number of new messages
  await watcher.see(alarm);
  await watcher.press('On my way');

  // Found: the phone shows what was recorded, and the same people get the all-clear.
  await company.addTechnician('late', [control]);
  await worker.open('/check-in');
  await worker.see('We’ve alerted Control room');
  await worker.see('Displayed on your device');
  // No one in the topic has a device: both administrators are alerted, too.
  await worker.see('1 of 4 people answered');
  deepEqual(
    await worker.page.$$eval('.stages b', (elements) =>
      elements.map(({ innerText }) => innerText.replace(/ at [\d:]+(\s[AP]M)?$/, '')),
    ),
    [
      'Started',
      'Last answer',
      'Asked “Are you OK?”',
      'Alerted Control room and all administrators',
    ],
    'without the second question, which no one was asked',
  );
  await pressCalmly('I’m OK');
  await worker.see('minutes left'); // by the phone's clock, which is not the server's
  const clear = `All clear: ${WORKER}`;
  await eventually(async () => (await titles(FOUND_BY)).includes(clear), 'the all-clear');
  await watcher.open('/messages');
  await watcher.see(clear);
  for (const name of WATCHERS) deepEqual(await titles(name), [clear, alarm], name);
  deepEqual(await titles('late'), [], 'who joined the topic after the alarm');

  // Someone else's all-clear does not end the check-in. Its end says that there was an alarm.
  await pressCalmly('I need help');
  await worker.see('You asked for help.');
  const alarmId = async () => (await state()).current?.alarm?.messageId;
  await eventually(async () => (await alarmId()) !== undefined, 'the alarm for help');
  await company.callAs(CHIEF, `POST /api/admin/messages/${await alarmId()}/all-clear`, {});
  await worker.see('Your check-in isn’t over');
  await eventually(
    async () =>
      (await tray.listNotifications()).some(
        ({ title }) => title === 'Urgent: Your check-in isn’t over',
      ),
    'the notification of the all-clear',
  );
  // On the home page it comes first, on a small phone's first screen.
  await worker.page.setViewport({ width: 360, height: 640 });
  await worker.open('/subscriptions');
  await worker.see('Someone gave the all-clear.');
  const { top, bottom } = await worker.page.$eval('main [role=alert]', (card) =>
    card.getBoundingClientRect().toJSON(),
  );
  ok(top >= 0 && bottom < 640, `the card is between ${top} and ${bottom}`);
  await worker.follow('Answer');
  await worker.page.setViewport({ width: 1280, height: 900 });
  const chief = await Person.openIn(await browser.createBrowserContext(), installation.address);
  await chief.signIn(CHIEF, PERSON_PASSWORD);
  await chief.open('/admin/check-ins');
  await chief.see(`${WORKER} still has to answer or end the check-in.`);
  const alarmPage = `/admin/messages/${await alarmId()}`;
  await pressCalmly('End check-in');
  await worker.see('Alarms were sent at');
  await chief.open(alarmPage);
  await chief.see(`The check-in of ${WORKER} ended at`);
  await chief.open('/admin/check-ins?state=ended');
  await chief.see('Ended after an alarm');
}

const BROWSERS: BrowserName[] = ['Chromium', 'Firefox'];

export const checkInStories: Story[] = BROWSERS.map(
  (browserName): Story => ({
    name: `reminds a lone worker and alerts others of silence, in ${browserName}`,
    run: (cleanUp) => workAloneInTheEvening(browserName, cleanUp),
  }),
);
