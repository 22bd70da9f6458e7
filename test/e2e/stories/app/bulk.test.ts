import { deepEqual, equal } from 'node:assert/strict';
import { eventually } from '../../../support/eventually';
import { ADMIN_PASSWORD } from '../../../support/processes/installation';
import type { CleanUp, Story } from '../../parts/harness';
import type { Person } from '../../parts/person';
import { PERSON_PASSWORD } from '../../parts/company';
import type { BrowserName } from '../../parts/push/test-bed';
import { startTwoBrowsers } from '../../parts/push/two-browsers';
import { printInStory } from '../../parts/page-records';

/** @param task counts on at another screen of the same task */
function countClicks(person: Person, task = { clicks: 0, fields: 0 }) {
  const countedClick =
    (action: 'press' | 'follow' | 'tick' | 'pick' | 'take' | 'unfold') =>
    async (name: string): Promise<void> => {
      task.clicks += 1;
      // The row's menu is opened by the same helper, but people press it first.
      const menuItem = `.more [aria-label="${name}"]`;
      if (await person.page.$(menuItem)) task.clicks += 1;
      return person[action](name);
    };
  return {
    press: countedClick('press'),
    follow: countedClick('follow'),
    tick: countedClick('tick'),
    pick: countedClick('pick'),
    take: countedClick('take'),
    unfold: countedClick('unfold'),
    /** The app's button and the browser's. */
    allowNotifications(button = 'Enable Notifications'): Promise<void> {
      task.clicks += 2;
      return person.allowNotifications(button);
    },
    choose(field: string, option: string): Promise<void> {
      task.fields += 1;
      return person.choose(field, option);
    },
    /** Continues at another screen. */
    handTo: (other: Person) => countClicks(other, task),
    fill(field: string, text: string): Promise<void> {
      task.fields += 1;
      return person.fill(field, text);
    },
    /** Ends a task, with the most clicks and fields it may have taken. */
    done(action: string, clicks: number, fields: number): void {
      printInStory(`${action}: ${task.clicks} clicks and ${task.fields} fields`);
      equal(task.clicks <= clicks && task.fields <= fields, true, action);
      Object.assign(task, { clicks: 0, fields: 0 });
    },
  };
}

/** The names of all twenty rows: long lists draw fifteen first, the rest later. */
async function names({ page }: Person): Promise<(string | null)[]> {
  await page.waitForFunction(() => document.querySelectorAll('tbody th').length === 20);
  return page.$$eval('tbody th', (cells) => cells.map(({ textContent }) => textContent));
}

async function addManyAtOnce(cleanUp: CleanUp): Promise<void> {
  const { company, seats } = await startTwoBrowsers(cleanUp);
  for (const title of ['Grid outages', 'Storm north', 'Storm south', 'Storm west'])
    await company.addTopic(title);
  for (const [browser, { person }] of Object.entries(seats)) {
    const crew = `${browser.toLowerCase()}-crew`;
    await person.signIn('admin', ADMIN_PASSWORD);
    await person.follow('Users');
    const counted = countClicks(person);

    await counted.follow('Add many users');
    const lines = Array.from(
      { length: 50 },
      (_, at) => `${at < 20 ? crew : `${browser}-depot`}.${at},,technician,`,
    );
    await counted.fill(
      'People, one per line:',
      ['username,email,role,topics', ...lines].join('\n'),
    );
    await counted.press('Check');
    await counted.press('Add 50 users');
    await person.see('50 users added');
    counted.done(`${browser}: 50 people added`, 4, 1);
    await person.follow('Users');

    // Once on this device.
    await person.choose('Rows', '25');
    await person.see('1–25 of');

    await counted.fill('Search Users', crew);
    await person.see('1–20 of 20 users');
    await counted.tick('Select all on this page');
    await counted.press('Subscribe 20 to…');
    await counted.tick('Grid outages');
    await counted.press('Subscribe');
    await person.closeNotice('20 people subscribed to Grid outages.');
    counted.done(`${browser}: 20 people subscribed`, 4, 1);
    await person.seeNoDialog();

    await counted.tick('Select all on this page');
    await counted.press('Subscribe 20 to…');
    await counted.fill('Search Topics', 'storm');
    await counted.tick('Select all 3 results');
    await counted.press('Subscribe');
    await person.closeNotice('20 people subscribed to 3 topics.');
    counted.done(`${browser}: three topics at once`, 4, 1);
    await person.seeNoDialog();

    const before = await names(person);
    await person.follow(`Manage Subscriptions of ${crew}.7`);
    await person.see('Current Subscriptions (4)');
    await person.page.goBack();
    await person.see('1–20 of 20 users');
    equal(
      await person.page.$eval('[type="search"]', (field) => (field as HTMLInputElement).value),
      crew,
    );
    deepEqual(await names(person), before, 'Back shows the same search again');

    await person.choose('Role', 'TECHNICIAN');
    await person.see('1–20 of 20 results. We searched all 20 users.');
    await person.choose('Role', 'ADMIN');
    await person.see('No results. We searched all 20 users.');
  }
}

const TEXT = 'Gas smell at Mill Lane. Stay away.';

async function sendAndManageMessages(desk: BrowserName, cleanUp: CleanUp): Promise<void> {
  const { company, seats } = await startTwoBrowsers(cleanUp);
  const topics = [await company.addTopic('Grid outages'), await company.addTopic('Storm north')];
  await company.addTechnician('m.okafor', topics);
  const phone = seats[desk === 'Chromium' ? 'Firefox' : 'Chromium'];
  await phone.person.signIn('m.okafor', PERSON_PASSWORD);
  await phone.person.allowNotifications('Enable Notifications');
  await phone.person.closeNotice('Notifications are on for this device.');
  const { person } = seats[desk];
  await person.signIn('admin', ADMIN_PASSWORD);
  const counted = countClicks(person);

  await counted.follow('New message');
  for (const title of ['Grid outages', 'Storm north']) {
    await counted.fill('Add a topic, a team or a person', title);
    await counted.take(title);
  }
  await counted.fill('Message', TEXT);
  await counted.pick('Urgent');
  await person.see('1 reachable'); // the button has its number by then
  await counted.press('Send to 1 person');
  await person.see('Review before sending');
  await counted.press('Send to 1 person');
  await phone.tray.waitForNotification(TEXT);
  await person.see('Sent to 1 person');
  await counted.press('Notify 1 person again');
  await eventually(() => phone.pushes() === 2, 'the phone to be notified again');
  await counted.press('Download all as CSV');
  counted.done(`${desk}: urgent to two topics, notified again, exported`, 8, 3);

  await counted.follow('Messages');
  await counted.fill('Search Messages', 'mill');
  await person.see('admin');
  await counted.follow('Grid outages');
  await person.see(TEXT);
  counted.done(`${desk}: who sent what`, 2, 1);

  await person.open('/admin'); // the page after signing in
  await person.see('1 of 2');
  counted.done(`${desk}: the daily number`, 0, 0);

  await counted.follow('Users');
  await counted.fill('Search Users', 'okafor');
  await person.see('1–1 of 1 user');
  await counted.press('Delete m.okafor');
  await counted.press('Delete');
  await person.see('No results for “okafor”');
  counted.done(`${desk}: someone leaves`, 3, 1);
}

/** The administrator's browser becomes the new phone. */
async function addPersonAndReplacePhone(desk: BrowserName, cleanUp: CleanUp): Promise<void> {
  const { company, seats } = await startTwoBrowsers(cleanUp);
  const topic = await company.addTopic('Grid outages');
  const phone = seats[desk === 'Chromium' ? 'Firefox' : 'Chromium'];
  const { person: admin, tray } = seats[desk];
  await admin.open('/admin/users');
  const counted = countClicks(admin);

  await counted.fill('Username', 'admin');
  await counted.fill('Password', ADMIN_PASSWORD);
  await counted.press('Sign in');
  await counted.press('Add User');
  await counted.fill('Username', 'm.okafor');
  await counted.choose('Role', 'TECHNICIAN');
  await counted.unfold('Topics');
  await counted.tick('Grid outages');
  await counted.press('Add User');
  // Scanned from the screen: see the story of an import.
  const link = await admin.copyText(/http\S+\/register\/[\w-]+/);
  await admin.page.waitForSelector('.above svg.qr');
  await phone.person.open(link);
  const first = counted.handTo(phone.person);
  await first.fill('Email', 'okafor@northgrid.example');
  await first.fill('New password', PERSON_PASSWORD);
  await first.fill('Confirm password', PERSON_PASSWORD);
  await first.press('Set Password & Activate');
  await first.press('Sign in');
  await first.allowNotifications();
  await phone.person.closeNotice('Notifications are on for this device.');
  await company.sendMessage(topic, 'Feeder 12 tripped');
  await phone.tray.waitForNotification('Feeder 12 tripped');
  first.done(`${desk}: one person added, until the first notification`, 9, 7);

  await admin.press('Logout');
  const old = countClicks(phone.person);
  await old.press('Use another phone');
  await admin.open(await phone.person.copyText(/http\S+\/new-phone#[\w-]+/));
  const next = old.handTo(admin);
  await admin.see('This phone will get notifications for m.okafor.');
  equal(admin.page.url().includes('#'), false, 'the token leaves the address');
  await next.allowNotifications('Sign in and allow notifications');
  await admin.see('Permission: granted');
  await eventually(
    async () => (await company.listDeviceTokens('m.okafor')).length === 2,
    'the new phone to register',
  );
  await company.sendMessage(topic, 'Feeder 14 tripped');
  await tray.waitForNotification('Feeder 14 tripped');
  next.done(`${desk}: change of phone`, 3, 0);
}

const BROWSERS: BrowserName[] = ['Chromium', 'Firefox'];

export const bulkActionStories: Story[] = [
  ...BROWSERS.map(
    (desk): Story => ({
      name: `adds a person and replaces a phone in few clicks, from ${desk}`,
      run: (cleanUp) => addPersonAndReplacePhone(desk, cleanUp),
    }),
  ),
  ...BROWSERS.map(
    (desk): Story => ({
      name: `sends, exports, finds and deletes in few clicks, in ${desk}`,
      run: (cleanUp) => sendAndManageMessages(desk, cleanUp),
    }),
  ),
  {
    name: 'adds people, subscriptions and topics in few clicks',
    run: addManyAtOnce,
  },
];
