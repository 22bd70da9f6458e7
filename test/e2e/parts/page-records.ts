/** Records where each page was, its console and its text, for stories that fail. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page, Target } from 'puppeteer-core';

/** Per page: the last lines, and the first characters. */
const [MAX_LINES, MAX_TEXT] = [15, 700];
/** Maximum wait for a page that hangs. */
const PAGE_RESPONSE_MS = 5000;

interface RunningStory {
  browsers: Set<Browser>;
  lines: string[];
}
const runningStory = new AsyncLocalStorage<RunningStory>();
/** @returns what the story printed */
export function captureOutput<T>(run: () => Promise<T>): { outcome: Promise<T>; lines: string[] } {
  const lines: string[] = [];
  return { outcome: runningStory.run({ browsers: new Set(), lines }, run), lines };
}
export const printInStory = (line: string): void => void runningStory.getStore()!.lines.push(line);

const consoleLines = new WeakMap<Page, string[]>();

export async function recordConsole(browser: Browser): Promise<void> {
  const { browsers } = runningStory.getStore()!;
  browsers.add(browser);
  browser.on('disconnected', () => browsers.delete(browser));
  browser.on('targetcreated', (target: Target) => {
    if (target.type() !== 'page') return;
    target.page().then(
      (page) => page && listenTo(page),
      () => undefined, // the page closed meanwhile
    );
  });
  for (const page of await browser.pages()) listenTo(page);
}

function listenTo(page: Page): void {
  if (consoleLines.has(page)) return;
  const lines: string[] = [];
  consoleLines.set(page, lines);
  const addLine = (line: string) => {
    lines.push(line.slice(0, 300));
    if (lines.length > MAX_LINES) lines.shift();
  };
  page.on('console', (message) => {
    addLine(`${message.type()}: ${message.text()}`);
    // The console must not hold objects, as stories measure memory.
    for (const argument of message.args()) argument.dispose().catch(() => undefined);
  });
  page.on('pageerror', (error) => addLine(`uncaught: ${error}`));
  page.on('requestfailed', (request) =>
    addLine(`${request.method()} ${request.url()}: ${request.failure()?.errorText}`),
  );
}

/** The records of all open pages of the story. */
export async function readPageRecords(): Promise<string> {
  const records = await Promise.all(
    [...runningStory.getStore()!.browsers].map(withinTime(readAll)),
  );
  return records.join('\n');
}

const readAll = async (browser: Browser): Promise<string> =>
  (await Promise.all((await browser.pages()).map(withinTime(read)))).join('\n');

async function read(page: Page): Promise<string> {
  const text = withinTime((one: Page) => one.evaluate(() => document.body.innerText));
  return [
    `A page at ${page.url()}`,
    ...(consoleLines.get(page) ?? []).map((line) => `  console: ${line}`),
    `  text: ${(await text(page)).replace(/\s+/g, ' ').slice(0, MAX_TEXT)}`,
  ].join('\n');
}

const withinTime =
  <Question>(ask: (question: Question) => Promise<string>) =>
  (question: Question): Promise<string> =>
    Promise.race([
      ask(question).catch((error: unknown) => `(${error})`),
      pause(PAGE_RESPONSE_MS, '(no answer)', { ref: false }),
    ]);
