/** A technician's visits with a slow phone on a bad network: see app.bench.ts. */
import type { Browser } from 'puppeteer-core';
import {
  BAD_NETWORK,
  logIn,
  noteTimes,
  openSlowPage,
  slowDown,
  readMetrics,
  readPageTime,
  type Figures,
} from './slow-page';

/** Needed before the first paint. */
export const PAGE_BYTES = 'page, bytes';

/** The first load, without anything that watches it. */
async function loadUnwatched(browser: Browser, address: string): ReturnType<typeof readMetrics> {
  const context = await browser.createBrowserContext();
  const opened = await openSlowPage(context);
  await slowDown(opened);
  await opened.page.goto(`${address}/login`, { waitUntil: 'networkidle0' });
  const figures = await readMetrics(opened.client);
  await context.close();
  return figures;
}

/** The first visit, the sign-in, and later starts with and without a network. */
export async function measureTechnician(browser: Browser, address: string): Promise<Figures> {
  const { script, task, heap } = await loadUnwatched(browser, address);
  const context = await browser.createBrowserContext();
  const first = await openSlowPage(context);
  const { page, client } = first;
  await slowDown(first);
  await noteTimes(page);
  let bytes = 0;
  client.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await page.goto(`${address}/login`, { waitUntil: 'networkidle0' });
  const usable = await readPageTime(page, 'usable');
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
  const html = await page.evaluate(
    () => (performance.getEntriesByType('navigation')[0] as PerformanceResourceTiming).transferSize,
  );
  const pressed = await logIn(page, 'm.okafor');
  const settings = (await readPageTime(page, 'settings')) - pressed;

  await client.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
  await page.emulateCPUThrottling(1); // the worker's own time does not count
  await page.waitForFunction(() => navigator.serviceWorker.controller, {
    polling: 100,
    timeout: 60_000,
  });
  await page.goto(`${address}/`); // the worker serves the page from now on
  await readPageTime(page, 'settings');
  await readPageTime(page, 'messages');
  await page.close();
  const comeBack = async (network: object) => {
    const later = await openSlowPage(context);
    await slowDown(later);
    await later.client.send('Network.emulateNetworkConditions', { ...BAD_NETWORK, ...network });
    await noteTimes(later.page);
    await later.page.goto(`${address}/`);
    const times = {
      topics: await readPageTime(later.page, 'settings'),
      messages: await readPageTime(later.page, 'messages'),
    };
    await later.page.close();
    return times;
  };
  const online = await comeBack({});
  const offline = await comeBack({ offline: true });
  await context.close();
  return {
    [PAGE_BYTES]: html,
    'page and script, bytes': critical,
    'first load with headers, bytes': firstBytes,
    'first paint, ms': paint,
    'usable login, ms': usable,
    'script time of the first load, ms': script,
    'task time of the first load, ms': task,
    'heap after it, bytes': heap,
    'from sign-in to settings, ms': settings,
    'from address to settings, ms': usable + settings,
    'coming back: topics, ms': online.topics,
    'coming back: and messages, ms': online.messages,
    'offline start: topics, ms': offline.topics,
    'offline start: and messages, ms': offline.messages,
  };
}
