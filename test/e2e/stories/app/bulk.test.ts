import { deepEqual, equal } from 'node:assert/strict';
import { eventually } from '../../../support/eventually';
import { ADMIN_PASSWORD } from '../../../support/processes/installation';
import type { CleanUp, Story } from '../../parts/harness';
import type { Person } from '../../parts/person';
import { PASSWORD } from '../../parts/company';
import type { BrowserName } from '../../parts/push/transports';
import { setTwoBrowsers } from '../../parts/push/two-browsers';
import { say } from '../../parts/witness';

function counted(person: Person) {
  const task = { clicks: 0, fields: 0 };
  const press =
    (what: 'press' | 'follow' | 'tick' | 'pick' | 'take') =>
    (name: string): Promise<void> => {
      task.clicks += 1;
      return person[what](name);
    };
  return {
    press: press('press'),
    follow: press('follow'),
    tick: press('tick'),
    pick: press('pick'),
    take: press('take'),
    fill(field: string, text: string): Promise<void> {
      task.fields += 1;
      return person.fill(field, text);
    },
    /** Ends a task, with the most clicks and fields it may have taken. */
    done(what: string, clicks: number, fields: number): void {
      say(`${what}: ${task.clicks} clicks and ${task.fields} fields`);
      equal(task.clicks <= clicks && task.fields <= fields, true, what);
      Object.assign(task, { clicks: 0, fields: 0 });
    },
  };
}

/** The names of all twenty rows: long lists draw fifteen first, the rest later. */
async function names({ page }: Person): Promise<(string | null)[]> {
  await page.waitForFunction(() => document.querySelectorAll('tbody th').length === 20);
  return page.$$eval('tbody th', (cells) => cells.map(({ textContent }) => textContent));
}

async function tasks(cleanUp: CleanUp): Promise<void> {
  const { company, seats } = await setTwoBrowsers(cleanUp);
  for (const title of ['Grid outages', 'Storm north', 'Storm south', 'Storm west'])
    await company.addTopic(title);
  for (const [browser, { person }] of Object.entries(seats)) {
    const crew = `${browser.toLowerCase()}-crew`;
    await person.signIn('admin', ADMIN_PASSWORD);
    await person.follow('Users');
    const by = counted(person);

    await by.follow('Add many users');
    const lines = Array.from(
      { length: 50 },
      (_, at) => `${at < 20 ? crew : `${browser}-depot`}.${at},,technician,`,
    );
    await by.fill('People, one per line:', ['username,email,role,topics', ...lines].join('\n'));
    await by.press('Check');
    await by.press('Add 50 users');
    await person.see('50 users added');
    by.done(`${browser}: 50 people added`, 4, 1);
    await person.follow('Users');

    // Once on this device.
    await person.choose('Rows', '25');
    await person.see('1–25 of');

    await by.fill('Search Users', crew);
    await person.see('1–20 of 20 users');
    await by.tick('Select all on this page');
    await by.press('Subscribe 20 to…');
    await by.tick('Grid outages');
    await by.press('Subscribe');
    await person.closeNotice('20 people subscribed to Grid outages.');
    by.done(`${browser}: 20 people subscribed`, 4, 1);
    await person.seeNoDialog();

    await by.tick('Select all on this page');
    await by.press('Subscribe 20 to…');
    await by.fill('Search Topics', 'storm');
    await by.tick('Select all 3 found');
    await by.press('Subscribe');
    await person.closeNotice('20 people subscribed to 3 topics.');
    by.done(`${browser}: three topics at once`, 4, 1);
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
    await person.see('1–20 of 20 matches in all 20 users');
    await person.choose('Role', 'ADMIN');
    await person.see('No matches in all 20 users.');
  }
}

const TEXT = 'Gas smell at Mill Lane. Stay away.';

async function oneEvening(desk: BrowserName, cleanUp: CleanUp): Promise<void> {
  const { company, seats } = await setTwoBrowsers(cleanUp);
  const topics = [await company.addTopic('Grid outages'), await company.addTopic('Storm north')];
  await company.addTechnician('m.okafor', topics);
  const phone = seats[desk === 'Chromium' ? 'Firefox' : 'Chromium'];
  await phone.person.signIn('m.okafor', PASSWORD);
  await phone.person.allowNotifications('Enable Notifications');
  await phone.person.closeNotice('Notifications are on for this device.');
  const { person } = seats[desk];
  await person.signIn('admin', ADMIN_PASSWORD);
  const by = counted(person);

  await by.follow('New message');
  for (const title of ['Grid outages', 'Storm north']) {
    await by.fill('Add a topic, a team or a person', title);
    await by.take(`${title} Topic`);
  }
  await by.fill('Message', TEXT);
  await by.pick('Urgent');
  await by.press('Send');
  await by.press('Send to 1 person');
  await phone.tray.until(TEXT);
  await person.see('Sent to 1 person');
  await by.press('Notify 1 person again');
  await eventually(() => phone.pushes() === 2, 'the phone to be notified again');
  await by.press('Download all as CSV');
  by.done(`${desk}: urgent to two topics, notified again, exported`, 8, 3);

  await by.follow('Messages');
  await by.fill('Search Messages', 'mill');
  await person.see('admin');
  await by.follow('Grid outages');
  await person.see(TEXT);
  by.done(`${desk}: who sent what`, 2, 1);

  await by.follow('Users');
  await by.fill('Search Users', 'okafor');
  await by.press('Delete m.okafor');
  await by.press('Delete');
  await person.see('No results for “okafor”');
  by.done(`${desk}: somebody leaves`, 3, 1);
}

const BROWSERS: BrowserName[] = ['Chromium', 'Firefox'];

export const stories: Story[] = [
  ...BROWSERS.map(
    (desk): Story => ({
      name: `sends urgently, notifies again, exports, finds and deletes in the fewest clicks, in ${desk}`,
      run: (cleanUp) => oneEvening(desk, cleanUp),
    }),
  ),
  {
    name: 'adds fifty people, subscribes twenty and adds three topics in a few clicks each, in both browsers',
    run: tasks,
  },
];
