import type { Page } from 'puppeteer-core';
import { isFirefox } from './push/firefox-windows';
import { printInStory } from './page-records';

/** Milliseconds of a fixed piece of work when the budgets were set. */
const BUDGET_MACHINE_WORK_MS = 110;

/**
 * The limit of a story that prints a figure with a budget: half as much again, scaled by how slow
 * the machine is now. Ends the page's throttling.
 */
export async function limitOnThisMachine(budget: number, page: Page): Promise<number> {
  if (!(await isFirefox(page.browser()))) await page.emulateCPUThrottling(1);
  const workMs = await page.evaluate(() => {
    const work = () => {
      const startedAt = performance.now();
      for (let index = 0, sum = 0; index < 20_000_000; index++) sum = (sum * 31 + index) | 0;
      return performance.now() - startedAt;
    };
    return Math.min(...Array.from({ length: 5 }, work));
  });
  const slowdown = Math.max(1, workMs / BUDGET_MACHINE_WORK_MS);
  printInStory(`  this machine is ${slowdown.toFixed(1)} times slower than the budgets' own`);
  return budget * 1.5 * slowdown;
}
