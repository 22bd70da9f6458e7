/**
 * Waiting times: order of requests, and Chromium's own figures on a slow phone (test/quality.md,
 * D).
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'puppeteer-core';
import { DEMO_PASSWORD } from '../../../../server/demo/sample';
import { openServerDatabase } from '../../../abuse/people.mjs';
import { launchChromium } from '../../../support/browsers/chromium';
import {
  ADMIN_PASSWORD,
  startInstallation,
  type InstallationSettings,
} from '../../../support/processes/installation';
import { limitOnThisMachine } from '../../parts/budget';
import { builtFolder } from '../../parts/builds';
import { RequestGate } from '../../parts/request-gate';
import { startServerAndBrowser, type CleanUp, type Story } from '../../parts/harness';
import { Person } from '../../parts/person';
import { printInStory } from '../../parts/page-records';

const TECHNICIAN = 'm.okafor';
const TOPICS = ['/api/notifications/my-subscriptions', '/api/notifications/preferences'];
const isCode = (path: string) => path.startsWith('/assets/');
const isCall = (path: string) => path.startsWith('/api/');

async function setUp(
  cleanUp: CleanUp,
  settings: Partial<InstallationSettings> = { program: 'demo' },
) {
  const [installation, browser] = await startServerAndBrowser(
    startInstallation({ built: builtFolder('web-push'), ...settings }),
    launchChromium(),
    cleanUp,
  );
  const context = await browser.createBrowserContext();
  const person = await Person.openIn(context, installation.address);
  return { installation, context, person };
}

async function loadFirstScreenWhileSigningIn(cleanUp: CleanUp): Promise<void> {
  const { person } = await setUp(cleanUp);
  await person.open('/login');
  const requestedPaths: string[] = [];
  person.page.on('request', (request) => requestedPaths.push(new URL(request.url()).pathname));
  const gate = await RequestGate.attachTo(person.page);
  await person.fill('Username', TECHNICIAN);
  await person.fill('Password', DEMO_PASSWORD);
  await person.press('Sign in');
  await gate.waitForHeldRequests(1, isCall, 'the login call');
  const code = await gate.waitForHeldRequests(
    3,
    isCode,
    'the next screen’s scripts and styles, while the login call runs',
  );
  deepEqual(code.map((path) => path.slice(-3)).sort(), ['.js', '.js', 'css'], code.join());
  gate.letThrough((path) => code.includes(path) || path === '/api/auth/login');
  await person.see('5 topics enabled');
  deepEqual(
    requestedPaths.filter((path) => TOPICS.includes(path)),
    [],
    'nothing known is requested again',
  );
}

async function requestCodeAtOnce(cleanUp: CleanUp): Promise<void> {
  const { person, context } = await setUp(cleanUp);
  await person.signIn(TECHNICIAN, DEMO_PASSWORD);
  const page = await context.newPage();
  await page.setBypassServiceWorker(true);
  const gate = await RequestGate.attachTo(page);
  gate.letThrough((path) => path === '/');
  void page.goto(person.origin).catch(() => undefined); // ends with the browser, at the latest
  const code = await gate.waitForHeldRequests(4, isCode, 'all scripts and the styles');
  gate.letThrough((path) => code.includes(path));
  deepEqual(await gate.waitForHeldRequests(2, isCall, 'all calls side by side'), TOPICS);
}

async function countFirstRequests(cleanUp: CleanUp): Promise<void> {
  const { person } = await setUp(cleanUp);
  const requestedPaths: string[] = [];
  person.page.on('request', (request) => requestedPaths.push(request.url()));
  await person.page.goto(`${person.origin}/login`, { waitUntil: 'networkidle0' });
  ok(requestedPaths.length <= 5, requestedPaths.join('\n'));
  deepEqual(
    requestedPaths.filter(
      (address) => !address.startsWith(person.origin) && !address.startsWith('data:'),
    ),
    [],
  );
}

/** Maximum rounds. The best counts, as other load only adds time. */
const ROUNDS = 6;
/** The limits for the answer to a press, and for an offline start (D8, D10). */
const RESPONSE_MS = 100;
const START_MS = 1000;

interface Press {
  /** The press's time on the page's clock, and the milliseconds until the next paint. */
  at: number;
  took: number;
}
interface PageReport {
  shifts: number;
  presses: Press[];
}

const recordShiftsAndPresses = (page: Page) =>
  page.evaluateOnNewDocument(() => {
    const pageReport: PageReport = { shifts: 0, presses: [] };
    Object.assign(window, { pageReport });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as unknown as {
        value: number;
        hadRecentInput: boolean;
      }[])
        if (!entry.hadRecentInput) pageReport.shifts += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as unknown as {
        startTime: number;
        duration: number;
        interactionId: number;
      }[])
        if (entry.interactionId)
          pageReport.presses.push({ at: entry.startTime, took: entry.duration });
    }).observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit);
  });
const readPageReport = (page: Page) =>
  page.evaluate(() => (window as unknown as { pageReport: PageReport }).pageReport);

async function showTenThousandUsers(cleanUp: CleanUp): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fieldbell-e2e-'));
  cleanUp(() => rmSync(folder, { recursive: true, force: true }));
  const { person } = await setUp(cleanUp, { environment: { DATA_DIR: folder } });
  const database = await openServerDatabase({ DATA_DIR: folder, DATABASE_URL: '' });
  await database.run(`insert into users (username, username_key, role, status, created_at)
    with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 10000)
    select 'user ' || n, 'user ' || n, 'TECHNICIAN', 'ACTIVE', 0 from numbers`);
  await database.close();

  await recordShiftsAndPresses(person.page);
  await person.page.emulateCPUThrottling(4);
  await person.signIn('admin', ADMIN_PASSWORD);
  await person.follow('Users');
  await person.see('of 10,001 users');
  const nodes = await person.page.$$eval('*', (elements) => elements.length);
  ok(nodes <= 1500, `${nodes} nodes`);
  const best = new Map<string, number>();
  for (
    let round = 0;
    round < ROUNDS && (best.size === 0 || Math.max(...best.values()) > RESPONSE_MS);
    round++
  ) {
    for (const [step, took] of await useUsers(person))
      best.set(step, Math.min(took, best.get(step) ?? Infinity));
  }
  printInStory(`  ${[...best].map(([step, took]) => `${step} ${took} ms`).join(', ')}`);
  const { shifts } = await readPageReport(person.page);
  const limit = await limitOnThisMachine(RESPONSE_MS, person.page);
  deepEqual(
    [...best].filter(([, took]) => took > limit),
    [],
  );
  ok(shifts <= 0.02, `layout shifts ${shifts}`);
}

/**
 * Uses search, pages, a dialog and other screens. Resolves with the slowest answer in each step.
 */
async function useUsers(person: Person): Promise<Map<string, number>> {
  const { page } = person;
  const steps: [name: string, act: () => Promise<unknown>, seen: string][] = [
    [
      'search',
      () =>
        page
          .locator('input[type=search]')
          .click()
          .then(() => page.keyboard.type('user 777')),
      'of 19 users',
    ],
    [
      'search again',
      () =>
        page
          .$eval('input[type=search]', (field) => (field as HTMLInputElement).select())
          .then(() => page.keyboard.press('Delete')),
      'of 10,001 users',
    ],
    ['page', () => person.press('Next'), '11–20'],
    ['dialog', () => person.press('Add User'), 'Username'],
    [
      'form',
      () => page.keyboard.type('somebody').then(() => page.keyboard.press('Escape')),
      '11–20',
    ],
    ['topics', () => person.follow('Topics'), 'No topics yet'],
    ['settings', () => person.follow('Notifications'), 'You are not subscribed'],
    ['users', () => person.follow('Users'), 'of 10,001 users'],
  ];
  const startTimes: number[] = [];
  for (const [, act, seen] of steps) {
    startTimes.push(await page.evaluate(() => performance.now()));
    await act();
    await person.see(seen);
  }
  // Answers are reported after the paint, the last one's too.
  const end = startTimes[steps.length - 1]!;
  await page.waitForFunction(
    (after) =>
      (window as unknown as { pageReport: PageReport }).pageReport.presses.some(
        ({ at }) => at > after,
      ),
    {},
    end,
  );
  const { presses } = await readPageReport(page);
  const within = (step: number) =>
    presses
      .filter(({ at }) => at >= startTimes[step]! && at < (startTimes[step + 1] ?? Infinity))
      .map(({ took }) => took);
  return new Map(steps.map(([name], step) => [name, Math.max(0, ...within(step))]));
}

async function changeScreensHundredTimes(cleanUp: CleanUp): Promise<void> {
  const { person } = await setUp(cleanUp, { program: 'main' });
  await person.signIn('admin', ADMIN_PASSWORD);
  const { page } = person;
  const client = await page.createCDPSession();
  const heap = async () => {
    await client.send('HeapProfiler.collectGarbage');
    return (await client.send('Runtime.getHeapUsage')).usedSize;
  };
  const changeScreens = (changes: number) =>
    page.evaluate(async (count) => {
      const links = [...document.querySelectorAll<HTMLAnchorElement>('#menu nav a')];
      const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      for (let change = 1; change <= count; change++) {
        const earlierElement = document.querySelector('h1');
        links[change % links.length]!.click();
        while (
          document.querySelector('h1') === earlierElement ||
          !document.querySelector('h1') ||
          document.querySelector('.skeleton')
        )
          await nextFrame();
      }
    }, changes);
  await changeScreens(20); // code and caches that stay
  const before = await heap();
  await changeScreens(100);
  const grown = (await heap()) - before;
  printInStory(`  heap ${(before / 1e6).toFixed(2)} MB, grown by ${(grown / 1e6).toFixed(2)} MB`);
  ok(grown <= 2_000_000, `grown by ${grown} bytes`);
}

async function startWarmOffline(cleanUp: CleanUp): Promise<void> {
  const { person, context, installation } = await setUp(cleanUp);
  await person.signIn(TECHNICIAN, DEMO_PASSWORD);
  await person.see('5 topics enabled');
  await person.page.waitForFunction(() => navigator.serviceWorker.controller);
  await person.reload(); // the worker serves the page from now on
  await person.see('5 topics enabled');
  await printTimesAtSixthSpeed(context, person.origin);
  await installation.stop();

  let best = Infinity;
  for (let round = 0; round < ROUNDS && best > START_MS; round++)
    best = Math.min(best, await startOffline(await context.newPage(), person.origin));
  printInStory(`  topics after ${best.toFixed()} ms`);
  ok(best <= (await limitOnThisMachine(START_MS, person.page)), `${best} ms`);
}

/** Resolves with the milliseconds until the topics were painted. */
async function startOffline(page: Page, origin: string): Promise<number> {
  await page.emulateCPUThrottling(4);
  await page.evaluateOnNewDocument(() => {
    new MutationObserver((_, observer) => {
      if (!document.body?.textContent?.includes('topics enabled')) return;
      observer.disconnect();
      requestAnimationFrame(() =>
        setTimeout(() => Object.assign(window, { shownAfter: performance.now() })),
      );
    }).observe(document, { childList: true, subtree: true, characterData: true });
  });
  await page.goto(origin);
  const after = await page.waitForFunction(
    () => (window as unknown as { shownAfter?: number }).shownAfter,
  );
  await page.waitForFunction(() => document.body.innerText.includes('Offline. Shown as of'));
  const pictures = await page.evaluate(
    () =>
      (performance.getEntriesByType('resource') as PerformanceResourceTiming[]).filter(
        ({ initiatorType }) => initiatorType === 'img',
      ).length,
  );
  equal(pictures, 1, 'the login form in the page, which is hidden here, has its picture fetched');
  await page.close();
  return (await after.jsonValue()) as number;
}

/** The aim is 600 ms at a sixth of the speed. Printed only, as machines differ too much. */
async function printTimesAtSixthSpeed(context: BrowserContext, origin: string): Promise<void> {
  for (const network of ['online', 'offline'] as const) {
    let best = Infinity;
    for (let round = 0; round < 3; round++)
      best = Math.min(
        best,
        await timeWarmStart(await context.newPage(), origin, network === 'offline'),
      );
    printInStory(
      `  at a sixth of the speed topics and latest messages ${network} after ${best.toFixed()} ms`,
    );
  }
}

/** Resolves with the milliseconds until topics and latest messages were painted. */
async function timeWarmStart(page: Page, origin: string, offline: boolean): Promise<number> {
  const client = await page.createCDPSession();
  await client.send('Network.enable');
  // Calls take a second: what appears earlier was stored.
  const network = { latency: 1000, downloadThroughput: 200_000, uploadThroughput: 93_750 };
  await client.send('Network.emulateNetworkConditions', { ...network, offline });
  await page.emulateCPUThrottling(6);
  await page.evaluateOnNewDocument(() => {
    new MutationObserver((_, observer) => {
      const text = document.body?.textContent;
      if (!text?.includes('topics enabled') || !text.includes('New messages (')) return;
      observer.disconnect();
      requestAnimationFrame(() =>
        setTimeout(() => Object.assign(window, { shownAfter: performance.now() })),
      );
    }).observe(document, { childList: true, subtree: true, characterData: true });
  });
  await page.goto(origin);
  const after = await page.waitForFunction(
    () => (window as unknown as { shownAfter?: number }).shownAfter,
  );
  const took = (await after.jsonValue()) as number;
  await page.close();
  return took;
}

const measured: Story[] = [
  {
    name: 'loads the first screen while signing in',
    run: loadFirstScreenWhileSigningIn,
  },
  { name: 'requests all code of a signed-in person at once', run: requestCodeAtOnce },
  { name: 'makes at most five requests on first load, all to us', run: countFirstRequests },
  {
    name: 'reacts within 100 ms with 10,000 users at quarter speed',
    run: showTenThousandUsers,
  },
  { name: 'keeps at most 2 MB after a hundred screen changes', run: changeScreensHundredTimes },
  {
    name: 'shows topics offline within a second at quarter speed',
    run: startWarmOffline,
  },
];

export const speedStories = measured.map((story) => ({ ...story, measures: true }));
