/**
 * An administrator's way through screens, lists, pages and searches, with counts compared with the
 * books.
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { foldCase } from '../../../src/shared/case-fold';
import { countedNoun } from '../../../src/ui/lists/Pager';
import type { Day, Seat } from '../day';

export const SCREENS = {
  Dashboard: '/admin',
  Topics: '/admin/topics',
  Users: '/admin/users',
  Notifications: '/subscriptions',
} as const;
export type Screen = keyof typeof SCREENS;
type ListScreen = 'Topics' | 'Users';

const isList = (screen: Screen): screen is ListScreen => screen === 'Topics' || screen === 'Users';
const nounOf = (screen: ListScreen): string => (screen === 'Topics' ? 'topic' : 'user');
const sizeOf = ({ books }: Day, screen: ListScreen): number =>
  screen === 'Topics' ? books.topics.size : books.users.size;
const requestOf = (screen: ListScreen): string =>
  screen === 'Topics' ? 'GET /api/admin/topics' : 'GET /api/admin/users';
/** Without names that occur twice. */
export const unique = (names: readonly string[]): string[] =>
  names.filter((name) => names.indexOf(name) === names.lastIndexOf(name));

/** Follows the link and checks the number of rows. */
export async function go(day: Day, seat: Seat, screen: Screen): Promise<void> {
  const spell = isList(screen) ? await day.weather.over(seat.hand, requestOf(screen)) : undefined;
  day.watch.doing += spell ? ` (${spell.name})` : '';
  await seat.hand.press('link', screen);
  await arrive(day, seat, screen, async () => {
    await spell?.lift();
    return spell !== undefined;
  });
}

export async function be(day: Day, seat: Seat, screen: Screen): Promise<void> {
  if (seat.hand.path !== SCREENS[screen]) await go(day, seat, screen);
}

/** Waits for the whole screen, with Retry where it failed, which only bad weather allows. */
export async function arrive(
  day: Day,
  seat: Seat,
  screen: Screen,
  afterwards = async () => false,
): Promise<void> {
  const { hand } = seat;
  const look = (path: string, count: string) => {
    const { status, busy } = window.eyes.list();
    if (window.eyes.outcome()?.is === 'ended') return 'ended';
    if (location.pathname !== path) return undefined;
    if (count ? status.endsWith(count) && !busy : document.querySelector('h1')) return 'there';
    return !busy && window.eyes.failure();
  };
  for (;;) {
    const expected = isList(screen) ? `of ${countedNoun(sizeOf(day, screen), nounOf(screen))}` : '';
    const state = await hand.until(
      look,
      `${day.watch.doing}: to see ${screen} ${expected}`,
      SCREENS[screen],
      expected,
    );
    const disturbed = await afterwards();
    if (state === 'there') return;
    ok(disturbed, `${day.watch.doing}: ${state}`);
    if (state === 'ended') await day.comeBack(seat);
    else if (!state.includes('try again automatically')) await hand.press('button', 'Retry');
  }
}

/** The list once no request is running. */
export async function listed(day: Day, seat: Seat): Promise<string[][]> {
  const list = await seat.hand.until(() => {
    const seen = window.eyes.list();
    return seen.rows.length > 0 && !seen.busy && seen;
  }, `${day.watch.doing}: to see a list`);
  return list.rows;
}

export async function walk(day: Day, seat: Seat): Promise<void> {
  const screens = (Object.keys(SCREENS) as Screen[]).filter(
    (screen) => SCREENS[screen] !== seat.hand.path,
  );
  await go(day, seat, day.dice.pick(screens));
}

export async function backAndForward(day: Day, seat: Seat): Promise<void> {
  const [first, second] = day.dice.chance(50)
    ? (['Topics', 'Users'] as const)
    : (['Users', 'Dashboard'] as const);
  await be(day, seat, first);
  await go(day, seat, second);
  // The browser's driver could not wait within one document.
  await seat.hand.page.evaluate(() => history.back());
  await arrive(day, seat, first);
  await seat.hand.page.evaluate(() => history.forward());
  await arrive(day, seat, second);
}

export async function reload(day: Day, seat: Seat): Promise<boolean> {
  if (seat.long) return false;
  const screen = (Object.keys(SCREENS) as Screen[]).find(
    (each) => SCREENS[each] === seat.hand.path,
  );
  if (!screen) return false;
  await seat.hand.page.reload();
  await arrive(day, seat, screen);
  return true;
}

export async function search(day: Day, seat: Seat): Promise<void> {
  const { hand } = seat;
  const screen = day.dice.pick(['Topics', 'Users'] as const);
  await go(day, seat, hand.path === SCREENS[screen] ? 'Dashboard' : screen);
  await be(day, seat, screen);
  const { topics, users } = day.books;
  const texts =
    screen === 'Topics'
      ? [...topics.values()].map(({ title, description }) => `${title}\n${description}`)
      : [...users.values()].map(({ username, email }) => `${username}\n${email ?? ''}`);
  const sought = day.dice.chance(15)
    ? 'no%such_thing'
    : day.dice.pick(texts).slice(0, day.dice.from(3, 9)).split('\n')[0]!.trim();
  const found = texts.filter((text) =>
    text.split('\n').some((part) => foldCase(part).includes(foldCase(sought))),
  ).length;
  const responded = hand.page.waitForResponse(
    (response) => new URL(response.url()).searchParams.get('query') === sought,
  );
  await hand.fill(`Search ${screen}`, sought);
  await responded;
  const expected = found
    ? `of ${countedNoun(found, nounOf(screen))}`
    : `No results for “${sought}”. Try a shorter search.`;
  const shown = (wanted: string) =>
    window.eyes.list().status.endsWith(wanted) && !window.eyes.list().busy;
  await hand.until(
    shown,
    `${day.watch.doing}: searching ${screen} for "${sought}" to give ${expected}`,
    expected,
  );
  await hand.fill(`Search ${screen}`, '');
  await hand.until(
    shown,
    `${day.watch.doing}: all again`,
    `of ${countedNoun(sizeOf(day, screen), nounOf(screen))}`,
  );
}

export async function turnPages(day: Day, seat: Seat): Promise<void> {
  const { hand } = seat;
  const screen = day.dice.pick(['Topics', 'Users'] as const);
  await be(day, seat, 'Dashboard');
  await go(day, seat, screen);
  const total = sizeOf(day, screen);
  const last = Math.max(1, Math.ceil(total / 10));
  let page = 1;
  for (let turns = day.dice.from(1, 4); turns > 0; turns--) {
    const way = day.dice.pick(['Next', 'Previous', 'number'] as const);
    if (way === 'number') {
      const typed = day.dice.from(0, last + 2);
      await hand.fill('Page', String(typed));
      await hand.page.keyboard.press('Enter');
      page = Math.min(Math.max(typed, 1), last);
    } else {
      const next = way === 'Next' ? page + 1 : page - 1;
      if (next < 1 || next > last) continue; // the button is out of reach
      await hand.press('button', way);
      page = next;
    }
    const rows = Math.min(10, total - (page - 1) * 10);
    const expected = `${(page - 1) * 10 + 1}–${(page - 1) * 10 + rows} of ${countedNoun(total, nounOf(screen))}`;
    await hand.until(
      (wanted) => window.eyes.list().status === wanted && !window.eyes.list().busy,
      `${day.watch.doing}: to see ${expected}`,
      expected,
    );
    equal((await listed(day, seat)).length, rows);
  }
}

export async function sortTopics(day: Day, seat: Seat): Promise<void> {
  await be(day, seat, 'Topics');
  for (let presses = day.dice.from(1, 3); presses > 0; presses--) {
    const column = day.dice.pick(['Topic Name', 'Created At'] as const);
    await seat.hand.press('button', column);
    const order = await seat.hand.page.evaluate(
      (name) =>
        [...document.querySelectorAll('th')]
          .find((head) => head.textContent === name)
          ?.getAttribute('aria-sort'),
      column,
    );
    ok(
      order === 'ascending' || order === 'descending',
      `${day.watch.doing}: ${column} is ${order}`,
    );
    if (column !== 'Topic Name') continue;
    const names = (await listed(day, seat)).map(([name = '']) => name);
    const sorted = names.toSorted(
      new Intl.Collator('en', { numeric: true, sensitivity: 'base' }).compare,
    );
    deepEqual(names, order === 'ascending' ? sorted : sorted.reverse());
  }
}

export async function filterUsers(day: Day, seat: Seat): Promise<void> {
  const { hand } = seat;
  await be(day, seat, 'Users');
  const all = await listed(day, seat);
  const [status, role] = [
    day.dice.pick(['', 'PENDING', 'ACTIVE']),
    day.dice.pick(['', 'ADMIN', 'TECHNICIAN', 'CUSTOMER']),
  ];
  await hand.choose('Status', status);
  await hand.choose('Role', role);
  const is = (cell: string | undefined, wanted: string) =>
    !wanted || cell?.toUpperCase() === wanted;
  const expected = all.filter((row) => is(row[4], status) && is(row[3], role)).map(([id]) => id);
  const shown = (await listed(day, seat)).filter(({ length }) => length > 1).map(([id]) => id);
  deepEqual(shown, expected, `${day.watch.doing}: ${status} ${role}`);
  await hand.choose('Status', '');
  await hand.choose('Role', '');
}
