/**
 * An administrator's way through screens, lists, pages and searches, with counts compared with the
 * expected data.
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { foldCase } from '../../../src/shared/case-fold';
import { countedNoun } from '../../../src/ui/lists/Pager';
import type { SimulatedDay, Workplace } from '../day';

export const NAVIGATION_SCREENS = {
  Dashboard: '/admin',
  Topics: '/admin/topics',
  Users: '/admin/users',
  Notifications: '/subscriptions',
} as const;
export type NavigationScreen = keyof typeof NAVIGATION_SCREENS;
type ListScreen = 'Topics' | 'Users';

const isList = (screen: NavigationScreen): screen is ListScreen =>
  screen === 'Topics' || screen === 'Users';
const nounOf = (screen: ListScreen): string => (screen === 'Topics' ? 'topic' : 'user');
const sizeOf = ({ expectedData }: SimulatedDay, screen: ListScreen): number =>
  screen === 'Topics' ? expectedData.topics.size : expectedData.users.size;
const requestOf = (screen: ListScreen): string =>
  screen === 'Topics' ? 'GET /api/admin/topics' : 'GET /api/admin/users';
/** Leaves out names that occur twice. */
export const uniqueNames = (names: readonly string[]): string[] =>
  names.filter((name) => names.indexOf(name) === names.lastIndexOf(name));

/** Follows the link and checks the number of rows. */
export async function goToScreen(
  day: SimulatedDay,
  workplace: Workplace,
  screen: NavigationScreen,
): Promise<void> {
  const period = isList(screen)
    ? await day.networkFaults.startRandomFault(workplace.driver, requestOf(screen))
    : undefined;
  day.monitor.currentAction += period ? ` (${period.name})` : '';
  await workplace.driver.press('link', screen);
  await waitForScreen(day, workplace, screen, async () => {
    await period?.lift();
    return period !== undefined;
  });
}

export async function goUnlessThere(
  day: SimulatedDay,
  workplace: Workplace,
  screen: NavigationScreen,
): Promise<void> {
  if (workplace.driver.path !== NAVIGATION_SCREENS[screen])
    await goToScreen(day, workplace, screen);
}

/** Waits for the whole screen, with Retry where it failed, which only a network fault allows. */
export async function waitForScreen(
  day: SimulatedDay,
  workplace: Workplace,
  screen: NavigationScreen,
  afterwards = async () => false,
): Promise<void> {
  const { driver } = workplace;
  const look = (path: string, count: string) => {
    const { status, busy } = window.pageQueries.list();
    if (window.pageQueries.outcome()?.kind === 'ended') return 'ended';
    if (location.pathname !== path) return undefined;
    if (count ? status.endsWith(count) && !busy : document.querySelector('h1')) return 'there';
    return !busy && window.pageQueries.failure();
  };
  for (;;) {
    const expected = isList(screen) ? `of ${countedNoun(sizeOf(day, screen), nounOf(screen))}` : '';
    const state = await driver.waitUntil(
      look,
      `${day.monitor.currentAction}: to see ${screen} ${expected}`,
      NAVIGATION_SCREENS[screen],
      expected,
    );
    const disturbed = await afterwards();
    if (state === 'there') return;
    ok(disturbed, `${day.monitor.currentAction}: ${state}`);
    if (state === 'ended') await day.signInAgain(workplace);
    else if (!state.includes('try again automatically')) await driver.press('button', 'Retry');
  }
}

/** The list once no request is running. */
export async function readList(day: SimulatedDay, workplace: Workplace): Promise<string[][]> {
  const list = await workplace.driver.waitUntil(() => {
    const shownList = window.pageQueries.list();
    return shownList.rows.length > 0 && !shownList.busy && shownList;
  }, `${day.monitor.currentAction}: to see a list`);
  return list.rows;
}

export async function visitScreens(day: SimulatedDay, workplace: Workplace): Promise<void> {
  const screens = (Object.keys(NAVIGATION_SCREENS) as NavigationScreen[]).filter(
    (screen) => NAVIGATION_SCREENS[screen] !== workplace.driver.path,
  );
  await goToScreen(day, workplace, day.random.pick(screens));
}

export async function backAndForward(day: SimulatedDay, workplace: Workplace): Promise<void> {
  const [first, second] = day.random.happens(50)
    ? (['Topics', 'Users'] as const)
    : (['Users', 'Dashboard'] as const);
  await goUnlessThere(day, workplace, first);
  await goToScreen(day, workplace, second);
  // The browser's driver could not wait within one document.
  await workplace.driver.page.evaluate(() => history.back());
  await waitForScreen(day, workplace, first);
  await workplace.driver.page.evaluate(() => history.forward());
  await waitForScreen(day, workplace, second);
}

export async function reloadScreen(day: SimulatedDay, workplace: Workplace): Promise<boolean> {
  if (workplace.keepsPage) return false;
  const screen = (Object.keys(NAVIGATION_SCREENS) as NavigationScreen[]).find(
    (each) => NAVIGATION_SCREENS[each] === workplace.driver.path,
  );
  if (!screen) return false;
  await workplace.driver.page.reload();
  await waitForScreen(day, workplace, screen);
  return true;
}

export async function searchList(day: SimulatedDay, workplace: Workplace): Promise<void> {
  const { driver } = workplace;
  const screen = day.random.pick(['Topics', 'Users'] as const);
  await goToScreen(
    day,
    workplace,
    driver.path === NAVIGATION_SCREENS[screen] ? 'Dashboard' : screen,
  );
  await goUnlessThere(day, workplace, screen);
  const { topics, users } = day.expectedData;
  const texts =
    screen === 'Topics'
      ? [...topics.values()].map(({ title, description }) => `${title}\n${description}`)
      : [...users.values()].map(({ username, email }) => `${username}\n${email ?? ''}`);
  const sought = day.random.happens(15)
    ? 'no%such_thing'
    : day.random.pick(texts).slice(0, day.random.integerBetween(3, 9)).split('\n')[0]!.trim();
  const matchCount = texts.filter((text) =>
    text.split('\n').some((part) => foldCase(part).includes(foldCase(sought))),
  ).length;
  const responded = driver.page.waitForResponse(
    (response) => new URL(response.url()).searchParams.get('query') === sought,
  );
  await driver.fill(`Search ${screen}`, sought);
  await responded;
  const expected = matchCount
    ? `of ${countedNoun(matchCount, nounOf(screen))}`
    : `No results for “${sought}”. Try a shorter search.`;
  const shown = (wanted: string) =>
    window.pageQueries.list().status.endsWith(wanted) && !window.pageQueries.list().busy;
  await driver.waitUntil(
    shown,
    `${day.monitor.currentAction}: searching ${screen} for "${sought}" to give ${expected}`,
    expected,
  );
  await driver.fill(`Search ${screen}`, '');
  await driver.waitUntil(
    shown,
    `${day.monitor.currentAction}: all again`,
    `of ${countedNoun(sizeOf(day, screen), nounOf(screen))}`,
  );
}

export async function turnPages(day: SimulatedDay, workplace: Workplace): Promise<void> {
  const { driver } = workplace;
  const screen = day.random.pick(['Topics', 'Users'] as const);
  await goUnlessThere(day, workplace, 'Dashboard');
  await goToScreen(day, workplace, screen);
  const total = sizeOf(day, screen);
  const last = Math.max(1, Math.ceil(total / 10));
  let page = 1;
  for (let turns = day.random.integerBetween(1, 4); turns > 0; turns--) {
    const way = day.random.pick(['Next', 'Previous', 'number'] as const);
    if (way === 'number') {
      const typed = day.random.integerBetween(0, last + 2);
      await driver.fill('Page', String(typed));
      await driver.page.keyboard.press('Enter');
      page = Math.min(Math.max(typed, 1), last);
    } else {
      const next = way === 'Next' ? page + 1 : page - 1;
      if (next < 1 || next > last) continue; // there is no such page
      await driver.press('button', way);
      page = next;
    }
    const rows = Math.min(10, total - (page - 1) * 10);
    const expected = `${(page - 1) * 10 + 1}–${(page - 1) * 10 + rows} of ${countedNoun(total, nounOf(screen))}`;
    await driver.waitUntil(
      (wanted) => window.pageQueries.list().status === wanted && !window.pageQueries.list().busy,
      `${day.monitor.currentAction}: to see ${expected}`,
      expected,
    );
    equal((await readList(day, workplace)).length, rows);
  }
}

export async function sortTopicList(day: SimulatedDay, workplace: Workplace): Promise<void> {
  await goUnlessThere(day, workplace, 'Topics');
  for (let presses = day.random.integerBetween(1, 3); presses > 0; presses--) {
    const column = day.random.pick(['Topic Name', 'Created At'] as const);
    await workplace.driver.press('button', column);
    const order = await workplace.driver.page.evaluate(
      (name) =>
        [...document.querySelectorAll('th')]
          .find((head) => head.textContent === name)
          ?.getAttribute('aria-sort'),
      column,
    );
    ok(
      order === 'ascending' || order === 'descending',
      `${day.monitor.currentAction}: ${column} is ${order}`,
    );
    if (column !== 'Topic Name') continue;
    const names = (await readList(day, workplace)).map(([name = '']) => name);
    const sortedNames = names.toSorted(
      new Intl.Collator('en', { numeric: true, sensitivity: 'base' }).compare,
    );
    deepEqual(names, order === 'ascending' ? sortedNames : sortedNames.reverse());
  }
}

export async function filterUsers(day: SimulatedDay, workplace: Workplace): Promise<void> {
  const { driver } = workplace;
  await goUnlessThere(day, workplace, 'Users');
  const allRows = await readList(day, workplace);
  const [status, role] = [
    day.random.pick(['', 'PENDING', 'ACTIVE']),
    day.random.pick(['', 'ADMIN', 'TECHNICIAN', 'CUSTOMER']),
  ];
  await driver.choose('Status', status);
  await driver.choose('Role', role);
  const cellMatches = (cell: string | undefined, wanted: string) =>
    !wanted || cell?.toUpperCase() === wanted;
  const expectedIds = allRows
    .filter((row) => cellMatches(row[4], status) && cellMatches(row[3], role))
    .map(([id]) => id);
  const shownIds = (await readList(day, workplace))
    .filter(({ length }) => length > 1)
    .map(([id]) => id);
  deepEqual(shownIds, expectedIds, `${day.monitor.currentAction}: ${status} ${role}`);
  await driver.choose('Status', '');
  await driver.choose('Role', '');
}
