import { deepEqual, equal } from 'node:assert/strict';
import { ADMIN_PASSWORD } from '../../../support/processes/installation';
import type { CleanUp, Story } from '../../parts/harness';
import type { Person } from '../../parts/person';
import { setTwoBrowsers } from '../../parts/push/two-browsers';
import { say } from '../../parts/witness';

function counted(person: Person) {
  const task = { clicks: 0, fields: 0 };
  const press =
    (what: 'press' | 'follow' | 'tick') =>
    (name: string): Promise<void> => {
      task.clicks += 1;
      return person[what](name);
    };
  return {
    press: press('press'),
    follow: press('follow'),
    tick: press('tick'),
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
    await person.read('20 people subscribed to Grid outages.');
    by.done(`${browser}: 20 people subscribed`, 4, 1);
    await person.seeNoDialog();

    await by.tick('Select all on this page');
    await by.press('Subscribe 20 to…');
    await by.fill('Search Topics', 'storm');
    await by.tick('Select all 3 found');
    await by.press('Subscribe');
    await person.read('20 people subscribed to 3 topics.');
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

export const stories: Story[] = [
  {
    name: 'adds fifty people, subscribes twenty and adds three topics in a few clicks each, in both browsers',
    run: tasks,
  },
];
