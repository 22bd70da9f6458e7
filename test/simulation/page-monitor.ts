/** Watches pages for errors and for memory that only grows. */
import type { Page } from 'puppeteer-core';
import { FAULT_HEADER } from './network-faults';

/**
 * Console errors that are no fault: rejected requests are checked below, and Chromium reports
 * missing pushes.
 */
const EXPECTED_MESSAGES = [
  /^Failed to load resource:/,
  /^Chrome currently does not support the Push API in incognito mode/,
];

export class PageMonitor {
  readonly faults: string[] = [];
  currentAction = '';
  /** Statuses (4xx) that the present action may get. */
  readonly allowedStatuses = new Set<number>();

  constructor(private readonly server: string[]) {}

  addFault(fault: string): void {
    this.faults.push(`${this.currentAction}: ${fault}`);
  }

  watch(page: Page): void {
    // Includes uncaught rejections.
    page.on('pageerror', (error) =>
      this.addFault(
        `error in the page: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      ),
    );
    page.on('console', (message) => {
      if (
        message.type() === 'error' &&
        !EXPECTED_MESSAGES.some((known) => known.test(message.text()))
      )
        this.addFault(`the console says: ${message.text()}`);
    });
    page.on('dialog', (dialog) => {
      this.addFault(`the page asked: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('response', (response) => {
      const status = response.status();
      if (status < 400 || response.headers()[FAULT_HEADER] || this.allowedStatuses.has(status))
        return;
      this.addFault(
        `${response.request().method()} ${new URL(response.url()).pathname} answered ${status}`,
      );
    });
  }

  #read = 0;
  /** Checks what the server logged since the last call. */
  readLog(): void {
    for (const line of this.server.slice(this.#read)) {
      if (!line.startsWith('{')) continue;
      const { level, status, ...rest } = JSON.parse(line) as { level: string; status?: number };
      if (level === 'error' || (status ?? 0) >= 500)
        this.addFault(`the server logged ${JSON.stringify({ level, status, ...rest })}`);
    }
    this.#read = this.server.length;
  }
}

/** A page's size after a garbage collection. */
export interface PageSize {
  bytes: number;
  nodes: number;
  listeners: number;
  /** Only sizes of the same document compare. */
  since: number;
}

export async function measurePage(page: Page): Promise<PageSize> {
  const client = await page.createCDPSession();
  await client.send('Performance.enable');
  await client.send('Runtime.discardConsoleEntries'); // what was logged is kept for tools such as this one
  for (let time = 0; time < 3; time++) await client.send('HeapProfiler.collectGarbage');
  const { metrics } = await client.send('Performance.getMetrics');
  await client.detach();
  const readMetric = (name: string) =>
    metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
  return {
    bytes: readMetric('JSHeapUsedSize'),
    nodes: readMetric('Nodes'),
    listeners: readMetric('JSEventListeners'),
    since: await page.evaluate(() => performance.timeOrigin),
  };
}
