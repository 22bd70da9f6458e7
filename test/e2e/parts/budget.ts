import type { Page } from 'puppeteer-core';
import { isFirefox } from './push/firefox-windows';
import { say } from './witness';

/** What a fixed piece of work took when the budgets were set. */
const WORK_MS = 110;

/**
 * Milliseconds at which a story fails that prints its figure beside a budget: half as much again,
 * and later where the machine is slower at the moment than when the budgets were set, so that what
 * else it does is not taken for the app. The machine is measured at its full speed, so this ends
 * the throttling.
 */
export async function failsAt(budget: number, page: Page): Promise<number> {
  if (!(await isFirefox(page.browser()))) await page.emulateCPUThrottling(1);
  const took = await page.evaluate(() => {
    const work = () => {
      const began = performance.now();
      for (let index = 0, sum = 0; index < 20_000_000; index++) sum = (sum * 31 + index) | 0;
      return performance.now() - began;
    };
    return Math.min(...Array.from({ length: 5 }, work));
  });
  const slower = Math.max(1, took / WORK_MS);
  say(`  this machine is ${slower.toFixed(1)} times slower than the budgets' own`);
  return budget * 1.5 * slower;
}
