/** A slow phone on a bad network, in Chromium. See app.bench.ts. */
import type { BrowserContext, CDPSession, Page } from 'puppeteer-core';
import { DEMO_PASSWORD } from '../../server/demo/sample';

const CPU_SLOWDOWN = 6;
/** Bytes a second for 1.6 Mbit/s down and 0.75 up; milliseconds. */
export const BAD_NETWORK = {
  offline: false,
  latency: 150,
  downloadThroughput: 200_000,
  uploadThroughput: 93_750,
};
export type Figures = Record<string, number>;

export async function openSlowPage(
  context: BrowserContext,
): Promise<{ page: Page; client: CDPSession }> {
  const page = await context.newPage();
  await page.setViewport({ width: 1280, height: 800 });
  const client = await page.createCDPSession();
  await client.send('Network.enable');
  await client.send('Performance.enable');
  return { page, client };
}

export async function slowDown({
  page,
  client,
}: {
  page: Page;
  client: CDPSession;
}): Promise<void> {
  await client.send('Network.emulateNetworkConditions', BAD_NETWORK);
  await page.emulateCPUThrottling(CPU_SLOWDOWN);
}

export async function readMetrics(
  client: CDPSession,
): Promise<{ script: number; task: number; heap: number }> {
  const { metrics } = await client.send('Performance.getMetrics');
  const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
  return {
    script: of('ScriptDuration') * 1000,
    task: of('TaskDuration') * 1000,
    heap: of('JSHeapUsedSize'),
  };
}

/** Records in `window.times[name]` when each condition first held after a paint. */
export const noteTimes = (page: Page) =>
  page.evaluateOnNewDocument(() => {
    const times: Record<string, number> = {};
    const holds: Record<string, () => unknown> = {
      usable: () => document.querySelector('form [type=submit]:not([disabled])'),
      settings: () => document.querySelector('section:has(#mine) > ul > li'),
      messages: () => document.querySelector('section:has(#new) > ul > li') && holds.settings?.(),
    };
    Object.assign(window, { times });
    new MutationObserver(() => {
      for (const [name, hold] of Object.entries(holds)) {
        if (name in times || !hold()) continue;
        times[name] = NaN; // replaced after the next paint
        requestAnimationFrame(() => setTimeout(() => (times[name] = performance.now())));
      }
    }).observe(document, { childList: true, subtree: true, attributes: true, characterData: true });
  });
export const readPageTime = async (page: Page, name: string): Promise<number> => {
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

/** Resolves with the time of the press by the page's clock. */
export const logIn = (page: Page, username: string) =>
  page.evaluate(
    (name, password) => {
      const fields = document.querySelectorAll<HTMLInputElement>('form input');
      fields[0]!.value = name;
      fields[1]!.value = password;
      const pressedAt = performance.now();
      document.querySelector<HTMLButtonElement>('form [type=submit]')!.click();
      return pressedAt;
    },
    username,
    DEMO_PASSWORD,
  );
