/** Long lists and short ones, opened at a slow desk or phone, where the server gives all at once. */
import type { Browser, CDPSession, Page } from 'puppeteer-core';
import { DEMO_ADMIN } from '../../server/demo/sample';
import { logIn, noteTimes, openPage, slowDown, spent, timeOf, type Figures } from './page';

const TECHNICIAN = 'm.okafor';
/** So many rows, or all of a shorter list, fill a screen. */
const SCREEN = 10;

/** What a press on a link opens: where its rows are, once the screen with this heading is there. */
interface Place {
  link: string;
  heading?: string;
  rows: string;
}
const DASHBOARD = { link: 'nav a[href="/admin"]', heading: 'Dashboard', rows: 'main h1' };
const SENT = { link: 'nav a[href="/admin/messages"]', heading: 'Messages', rows: 'tbody tr' };
const HOME = {
  link: 'a[href="/"]',
  heading: 'Topics & Notifications Settings',
  rows: 'section:has(#mine) > ul > li',
};
const INBOX = { link: 'a[href="/messages"]', heading: 'Messages', rows: '.inbox > li' };
const PEOPLE = '[aria-labelledby="people"] tbody tr';

/** Each with how many rows are few and many. */
const LISTS: Record<string, Place & { few: number; many: number }> = {
  topics: { ...SENT, link: 'nav a[href="/admin/topics"]', heading: 'Topics', few: 10, many: 500 },
  users: { ...SENT, link: 'nav a[href="/admin/users"]', heading: 'Users', few: 10, many: 100 },
  recipients: { link: 'tbody a[href^="/admin/messages/"]', rows: PEOPLE, few: 10, many: 100 },
};

/** Runs in the page: the server has so many rows of whatever is asked for, as `window.count` says. */
function giveAll(): void {
  const scope = window as unknown as { count: number; fetch: typeof fetch };
  const real = scope.fetch;
  const time = (id: number) => new Date(Date.UTC(2026, 0, 1) + id * 1e7).toISOString();
  const rows = {
    topics: (id: number) => ({
      id,
      title: `Topic ${id}`,
      description: `About ${id}`,
      createdAt: time(id),
      updatedAt: time(id),
    }),
    users: (id: number) => ({
      id,
      username: `user.${id}`,
      email: `user.${id}@northgrid.example`,
      role: 'TECHNICIAN',
      status: 'ACTIVE',
      createdAt: time(id),
    }),
    recipients: (id: number) => ({
      user: { id, username: `user.${id}`, role: 'TECHNICIAN' },
      state: 'displayed',
      answer: null,
      late: false,
      displayedAt: time(id),
      readAt: null,
      acknowledgedAt: null,
      devices: 1,
    }),
    messages: (id: number) => ({
      id: `message-${id}`,
      seq: id + 1,
      title: 'Outages',
      message: `Feeder ${id} tripped. A crew is on its way.`,
      link: null,
      topic: null,
      priority: 'normal',
      answers: [],
      createdAt: time(id),
      expiresAt: null,
      state: 'sent',
      readAt: time(id),
      acknowledgedAt: null,
      answer: null,
    }),
  };
  scope.fetch = (input, init) => {
    const url = new URL(String(input), location.href);
    const name =
      /^\/api\/(?:admin|notifications)\/(?:messages\/[^/]+\/)?(topics|users|recipients|messages)$/.exec(
        url.pathname,
      )?.[1] as keyof typeof rows | undefined;
    const isSent = url.pathname === '/api/admin/messages';
    if (!name || isSent || scope.count === undefined) return real(input, init);
    // A search leaves out one of them.
    const total = url.searchParams.get('query') ? scope.count - 1 : scope.count;
    const isNews = url.searchParams.has('after'); // all of them are known by then
    const given = isNews ? 0 : total;
    const all = Array.from({ length: given }, (_, index) => rows[name](total - 1 - index));
    const page = { [name]: all, total, page: 1, limit: total, unread: 0, newest: total };
    return Promise.resolve(new Response(JSON.stringify(page)));
  };
}

const set = (page: Page, count: number) =>
  page.evaluate((rows) => void Object.assign(window, { count: rows }), count);

/**
 * Presses a link. Resolves with the milliseconds until a screen full of rows was painted; once all
 * rows are there.
 */
async function open(page: Page, place: Place, count = 1): Promise<number> {
  await page.waitForSelector(place.link);
  const took = await page.evaluate(
    ({ link, heading, rows }, least) => {
      const pressed = performance.now();
      document.querySelector<HTMLAnchorElement>(link)!.click();
      return new Promise<number>((resolve) => {
        const isThere = () =>
          (!heading || document.querySelector('h1')?.textContent === heading) &&
          document.querySelectorAll(rows).length >= least;
        const look = () =>
          requestAnimationFrame(
            isThere() ? () => setTimeout(() => resolve(performance.now() - pressed)) : look,
          );
        look();
      });
    },
    place,
    Math.min(count, SCREEN),
  );
  await page.waitForFunction(
    (rows, all) => document.querySelectorAll(rows).length >= all,
    { polling: 100 },
    place.rows,
    count,
  );
  await page.waitForNetworkIdle({ idleTime: 100 });
  return took;
}

/** Each list short and long by turns, after a first time for its code; and a search in the longest. */
export async function administrator(browser: Browser, address: string): Promise<Figures> {
  const context = await browser.createBrowserContext();
  const opened = await openPage(context);
  const { page, client } = opened;
  await page.evaluateOnNewDocument(giveAll);
  await noteTimes(page);
  await page.goto(`${address}/login`);
  await timeOf(page, 'usable');
  await logIn(page, DEMO_ADMIN);
  await page.waitForSelector('a[href="/admin/topics"]');
  await page.waitForNetworkIdle();
  await slowDown(opened);
  const visit = async (list: string, count: number) => {
    await set(page, count);
    if (list === 'recipients') await open(page, SENT);
    return open(page, LISTS[list]!, count);
  };
  const figures: Figures = {
    'opening 500 topics for the first time, ms': await visit('topics', 500),
    'search among 500: task time, ms': await search(page, client),
  };
  for (const [list, { few, many }] of Object.entries(LISTS)) {
    const times = new Map<number, number[]>([few, many].map((count) => [count, []]));
    await visit(list, few); // its code
    for (const count of [few, many, few, many]) {
      await open(page, DASHBOARD);
      times.get(count)!.push(await visit(list, count));
    }
    for (const [count, all] of times) figures[`opening ${count} ${list}, ms`] = Math.min(...all);
  }
  await context.close();
  return figures;
}

/** Milliseconds of work from the first letter until one row of 500 is gone, and all else is done. */
async function search(page: Page, client: CDPSession): Promise<number> {
  const before = await spent(client);
  await page.focus('input[type=search]');
  await page.keyboard.type('lines down');
  await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 499, {
    polling: 100,
  });
  await page.waitForNetworkIdle({ idleTime: 500 }); // whatever is drawn later counts, too
  return (await spent(client)).task - before.task;
}

/** An inbox of so many messages that were loaded before, opened from the topics. */
export async function inbox(browser: Browser, address: string): Promise<Figures> {
  const figures: Figures = {};
  for (const count of [10, 2000]) {
    const context = await browser.createBrowserContext();
    const opened = await openPage(context);
    const { page } = opened;
    await page.evaluateOnNewDocument(giveAll);
    await page.evaluateOnNewDocument((rows) => void Object.assign(window, { count: rows }), count);
    await noteTimes(page);
    await page.goto(`${address}/login`);
    await timeOf(page, 'usable');
    await logIn(page, TECHNICIAN);
    await open(page, INBOX, count);
    const times: number[] = [];
    await slowDown(opened);
    for (const _ of [1, 2, 3]) {
      await open(page, HOME);
      times.push(await open(page, INBOX, count));
    }
    figures[`opening ${count} of an inbox, ms`] = Math.min(...times);
    await context.close();
  }
  return figures;
}
