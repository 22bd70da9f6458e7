/** Long and short lists at a slow desk or phone, where the server gives everything at once. */
import type { Browser, CDPSession, Page } from 'puppeteer-core';
import { DEMO_ADMIN } from '../../server/demo/sample';
import {
  logIn,
  noteTimes,
  openSlowPage,
  slowDown,
  readMetrics,
  readPageTime,
  type Figures,
} from './slow-page';

const TECHNICIAN = 'm.okafor';
/** This many rows fill a screen. */
const ROWS_ON_SCREEN = 10;

/** Where a link's rows are, once the screen with this heading is open. */
interface Place {
  link: string;
  heading?: string;
  rows: string;
}
const DASHBOARD_PLACE = { link: 'nav a[href="/admin"]', heading: 'Dashboard', rows: 'main h1' };
const SENT_PLACE = { link: 'nav a[href="/admin/messages"]', heading: 'Messages', rows: 'tbody tr' };
const HOME_PLACE = {
  link: 'a[href="/"]',
  heading: 'Topics & Notifications Settings',
  rows: 'section:has(#mine) > ul > li',
};
const INBOX_PLACE = { link: 'a[href="/messages"]', heading: 'Inbox', rows: '.inbox > li' };
const PEOPLE_ROWS = '[aria-labelledby="people"] tbody tr';

/** The numbers of rows in a short and in a long list. */
const LIST_PLACES: Record<string, Place & { few: number; many: number }> = {
  topics: {
    ...SENT_PLACE,
    link: 'nav a[href="/admin/topics"]',
    heading: 'Topics',
    few: 10,
    many: 500,
  },
  users: {
    ...SENT_PLACE,
    link: 'nav a[href="/admin/users"]',
    heading: 'Users',
    few: 10,
    many: 100,
  },
  recipients: { link: 'tbody a[href^="/admin/messages/"]', rows: PEOPLE_ROWS, few: 10, many: 100 },
};

/**
 * Runs in the page: after `window.have(count)` the server has that many rows of anything, with its
 * answers prepared beforehand.
 */
function replyWithAllRows(): void {
  const scope = window as unknown as { have(count: number): void; fetch: typeof fetch };
  const real = scope.fetch;
  let responses: Record<string, string> | undefined;
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
  const write = (name: keyof typeof rows, total: number, given = total) =>
    JSON.stringify({
      [name]: Array.from({ length: given }, (_, index) => rows[name](total - 1 - index)),
      ...{ total, page: 1, limit: total, unread: 0, newest: total },
    });
  scope.have = (count) => {
    responses = {};
    for (const name of Object.keys(rows) as (keyof typeof rows)[]) {
      responses[name] = write(name, count);
      responses[`${name} found`] = write(name, count - 1); // a search leaves out one row
      responses[`${name} since`] = write(name, count, 0); // all rows are known by then
    }
  };
  scope.fetch = (input, init) => {
    const { pathname, searchParams } = new URL(String(input), location.href);
    const name =
      /^\/api\/(?:admin|notifications)\/(?:messages\/[^/]+\/)?(topics|users|recipients|messages)$/.exec(
        pathname,
      )?.[1];
    const isSent = pathname === '/api/admin/messages';
    if (!name || isSent || !responses) return real(input, init);
    const kind = searchParams.has('after') ? ' since' : searchParams.get('query') ? ' found' : '';
    return Promise.resolve(new Response(responses[name + kind]));
  };
}

const claimRowCount = (rows: number): void =>
  (window as unknown as { have(count: number): void }).have(rows);

/** Resolves with the milliseconds until a screen of rows was painted, once all rows are there. */
async function openList(page: Page, place: Place, count = 1): Promise<number> {
  await page.waitForSelector(place.link);
  const took = await page.evaluate(
    ({ link, heading, rows }, least) => {
      const pressedAt = performance.now();
      document.querySelector<HTMLAnchorElement>(link)!.click();
      return new Promise<number>((resolve) => {
        const isThere = () =>
          (!heading || document.querySelector('h1')?.textContent === heading) &&
          document.querySelectorAll(rows).length >= least;
        const look = () =>
          requestAnimationFrame(
            isThere() ? () => setTimeout(() => resolve(performance.now() - pressedAt)) : look,
          );
        look();
      });
    },
    place,
    Math.min(count, ROWS_ON_SCREEN),
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

/** Short and long by turns, after a warm-up; then a search in the longest. */
export async function measureAdministrator(browser: Browser, address: string): Promise<Figures> {
  const context = await browser.createBrowserContext();
  const opened = await openSlowPage(context);
  const { page, client } = opened;
  await page.evaluateOnNewDocument(replyWithAllRows);
  await noteTimes(page);
  await page.goto(`${address}/login`);
  await readPageTime(page, 'usable');
  await logIn(page, DEMO_ADMIN);
  await page.waitForSelector('a[href="/admin/topics"]');
  await page.waitForNetworkIdle();
  await slowDown(opened);
  const visit = async (list: string, count: number) => {
    await page.evaluate(claimRowCount, count);
    if (list === 'recipients') await openList(page, SENT_PLACE);
    return openList(page, LIST_PLACES[list]!, count);
  };
  const figures: Figures = {
    'opening 500 topics for the first time, ms': await visit('topics', 500),
    'search among 500: task time, ms': await search(page, client, 500),
  };
  await openList(page, DASHBOARD_PLACE);
  await visit('topics', 10);
  figures['the same among 10, ms'] = await search(page, client, 10);
  for (const [list, { few, many }] of Object.entries(LIST_PLACES)) {
    const times = new Map<number, number[]>([few, many].map((count) => [count, []]));
    await visit(list, few); // its code
    for (const count of [few, many, few, many]) {
      await openList(page, DASHBOARD_PLACE);
      times.get(count)!.push(await visit(list, count));
    }
    for (const [count, milliseconds] of times)
      figures[`opening ${count} ${list}, ms`] = Math.min(...milliseconds);
  }
  await context.close();
  return figures;
}

/**
 * Milliseconds of work from the first letter until one row is gone and all is done. With few rows
 * it is the cost of typing.
 */
async function search(page: Page, client: CDPSession, count: number): Promise<number> {
  const before = await readMetrics(client);
  await page.focus('input[type=search]');
  await page.keyboard.type('lines down');
  await page.waitForFunction(
    (left) => document.querySelectorAll('tbody tr').length === left,
    { polling: 100 },
    count - 1,
  );
  await page.waitForNetworkIdle({ idleTime: 500 }); // whatever is drawn later counts, too
  return (await readMetrics(client)).task - before.task;
}

/** An inbox of loaded messages, opened from the topics. */
export async function measureInbox(browser: Browser, address: string): Promise<Figures> {
  const figures: Figures = {};
  for (const count of [10, 2000]) {
    const context = await browser.createBrowserContext();
    const opened = await openSlowPage(context);
    const { page } = opened;
    await page.evaluateOnNewDocument(replyWithAllRows);
    await page.evaluateOnNewDocument(claimRowCount, count);
    await noteTimes(page);
    await page.goto(`${address}/login`);
    await readPageTime(page, 'usable');
    await logIn(page, TECHNICIAN);
    await openList(page, INBOX_PLACE, count);
    const times: number[] = [];
    await slowDown(opened);
    for (const _ of [1, 2, 3]) {
      await openList(page, HOME_PLACE);
      times.push(await openList(page, INBOX_PLACE, count));
    }
    figures[`opening ${count} of an inbox, ms`] = Math.min(...times);
    await context.close();
  }
  return figures;
}
