/**
 * What a visitor with a slow phone on a bad network goes through, measured by Chromium: see
 * app.bench.ts.
 */
import type { Browser, BrowserContext, CDPSession, Page } from 'puppeteer-core';
import { DEMO_ADMIN, DEMO_PASSWORD } from '../../server/demo/sample';

const SLOWER = 6;
/** Bytes a second are 1.6 Mbit/s down, 0.75 up; latency in milliseconds. */
const BAD_NETWORK = {
  offline: false,
  latency: 150,
  downloadThroughput: 200_000,
  uploadThroughput: 93_750,
};
const ROWS = 500;

export type Figures = Record<string, number>;

async function openPage(context: BrowserContext): Promise<{ page: Page; client: CDPSession }> {
  const page = await context.newPage();
  await page.setViewport({ width: 1280, height: 800 });
  const client = await page.createCDPSession();
  await client.send('Network.enable');
  await client.send('Performance.enable');
  return { page, client };
}

async function slowDown({ page, client }: { page: Page; client: CDPSession }): Promise<void> {
  await client.send('Network.emulateNetworkConditions', BAD_NETWORK);
  await page.emulateCPUThrottling(SLOWER);
}

/** Milliseconds of work and bytes of heap so far. */
async function spent(client: CDPSession): Promise<{ script: number; task: number; heap: number }> {
  const { metrics } = await client.send('Performance.getMetrics');
  const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
  return {
    script: of('ScriptDuration') * 1000,
    task: of('TaskDuration') * 1000,
    heap: of('JSHeapUsedSize'),
  };
}

/**
 * Notes when each condition first held after a paint, as `window.times[name]`, by the page's clock.
 */
const noteTimes = (page: Page) =>
  page.evaluateOnNewDocument(() => {
    const times: Record<string, number> = {};
    const holds: Record<string, () => unknown> = {
      usable: () => document.querySelector('form [type=submit]:not([disabled])'),
      settings: () =>
        document.querySelector('h2')?.textContent?.startsWith('Your subscribed topics (') &&
        document.querySelector('ul.rows:not([aria-hidden]) li'),
      rows: () => document.querySelectorAll('tbody tr').length >= 500,
      found: () => document.querySelectorAll('tbody tr').length === 499,
    };
    Object.assign(window, { times });
    new MutationObserver(() => {
      for (const [name, hold] of Object.entries(holds)) {
        if (name in times || !hold()) continue;
        times[name] = NaN; // until it is painted
        requestAnimationFrame(() => setTimeout(() => (times[name] = performance.now())));
      }
    }).observe(document, { childList: true, subtree: true, attributes: true, characterData: true });
  });
const timeOf = async (page: Page, name: string): Promise<number> => {
  const time = await page
    .waitForFunction(
      (wanted) => (window as unknown as { times: Record<string, number> }).times[wanted] || null,
      { polling: 50 },
      name,
    )
    .catch(async (error: Error) => {
      throw new Error(
        `${name}: ${error.message}\n${page.url()}\n${await page.evaluate(() => document.body.innerText)}`,
      );
    });
  return (await time.jsonValue()) as number;
};

/**
 * Fills the form as a password manager does and presses the button. Resolves with when, by the
 * page's clock.
 */
const logIn = (page: Page, username: string) =>
  page.evaluate(
    (name, password) => {
      const fields = document.querySelectorAll<HTMLInputElement>('form input');
      fields[0]!.value = name;
      fields[1]!.value = password;
      const pressed = performance.now();
      document.querySelector<HTMLButtonElement>('form [type=submit]')!.click();
      return pressed;
    },
    username,
    DEMO_PASSWORD,
  );

/** What the first load costs, without anything of ours that watches it. */
async function justLoad(browser: Browser, address: string): ReturnType<typeof spent> {
  const context = await browser.createBrowserContext();
  const opened = await openPage(context);
  await slowDown(opened);
  await opened.page.goto(`${address}/login`, { waitUntil: 'networkidle0' });
  const figures = await spent(opened.client);
  await context.close();
  return figures;
}

/** The first visit, signing in to the settings, and a later start without a network. */
export async function technician(browser: Browser, address: string): Promise<Figures> {
  const { script, task, heap } = await justLoad(browser, address);
  const context = await browser.createBrowserContext();
  const first = await openPage(context);
  const { page, client } = first;
  await slowDown(first);
  await noteTimes(page);
  let bytes = 0;
  client.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await page.goto(`${address}/login`, { waitUntil: 'networkidle0' });
  const usable = await timeOf(page, 'usable');
  const critical = await page.evaluate(() => {
    const fetched = performance
      .getEntries()
      .filter(
        (entry): entry is PerformanceResourceTiming =>
          entry.entryType === 'navigation' || entry.name.endsWith('.js'),
      );
    return fetched.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
  });
  const paint = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]!.startTime,
  );
  const firstBytes = bytes;
  const pressed = await logIn(page, 'm.okafor');
  const settings = (await timeOf(page, 'settings')) - pressed;

  await client.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
  await page.emulateCPUThrottling(1); // the worker may take its time, but none of ours
  await page.waitForFunction(() => navigator.serviceWorker.controller, {
    polling: 100,
    timeout: 60_000,
  });
  await page.goto(`${address}/`); // by the worker, as from now on
  await timeOf(page, 'settings');
  await page.close();
  const later = await openPage(context);
  await later.page.emulateCPUThrottling(SLOWER);
  await later.client.send('Network.emulateNetworkConditions', { ...BAD_NETWORK, offline: true });
  await noteTimes(later.page);
  await later.page.goto(`${address}/`);
  const offline = await timeOf(later.page, 'settings');
  await context.close();
  return {
    'page and script, bytes': critical,
    'first load with headers, bytes': firstBytes,
    'first paint, ms': paint,
    'usable login, ms': usable,
    'script time of the first load, ms': script,
    'task time of the first load, ms': task,
    'heap after it, bytes': heap,
    'from sign-in to settings, ms': settings,
    'from address to settings, ms': usable + settings,
    'offline start, ms': offline,
  };
}

/** Opening the topics and searching them, where the server gives 500 at once. */
export async function administrator(browser: Browser, address: string): Promise<Figures> {
  const context = await browser.createBrowserContext();
  const opened = await openPage(context);
  const { page, client } = opened;
  await page.evaluateOnNewDocument((count) => {
    const real = window.fetch;
    window.fetch = (input, init) => {
      const url = new URL(String(input), location.href);
      if (url.pathname !== '/api/admin/topics') return real(input, init);
      const total = url.searchParams.get('query') ? count - 1 : count;
      const topics = Array.from({ length: total }, (_, id) => ({
        id,
        title: `Topic ${id}`,
        description: `About ${id}`,
        createdAt: new Date(id * 1e8),
        updatedAt: new Date(id * 1e8),
      }));
      return Promise.resolve(
        new Response(JSON.stringify({ topics, total, page: 1, limit: count })),
      );
    };
  }, ROWS);
  await noteTimes(page);
  await page.goto(`${address}/login`);
  await timeOf(page, 'usable');
  await logIn(page, DEMO_ADMIN);
  await page.waitForSelector('a[href="/admin/topics"]');
  await page.waitForNetworkIdle();
  await slowDown(opened);
  const pressed = await page.evaluate(() => {
    const link = document.querySelector<HTMLAnchorElement>('nav a[href="/admin/topics"]')!;
    const now = performance.now();
    link.click();
    return now;
  });
  const rows = (await timeOf(page, 'rows')) - pressed;
  const before = await spent(client);
  await page.focus('input[type=search]');
  await page.keyboard.type('lines down');
  await timeOf(page, 'found');
  const after = await spent(client);
  await context.close();
  return {
    'opening 500 topics, ms': rows,
    'search among 500: task time, ms': after.task - before.task,
  };
}
