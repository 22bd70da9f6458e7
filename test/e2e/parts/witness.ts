/**
 * Looks over the shoulder of everybody at a browser, so that a story that fails can tell what was
 * seen: where each page was, what its console said, and its text.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page, Target } from 'puppeteer-core';

/** So much of each page, the last lines and the first letters. */
const [MAX_LINES, MAX_TEXT] = [15, 700];
/** A page that a question stops, or that hangs, is asked no longer. */
const ANSWER_MS = 5000;

/** A story that is being told, perhaps beside another one. */
interface Telling {
  browsers: Set<Browser>;
  lines: string[];
}
const telling = new AsyncLocalStorage<Telling>();
/** Lines of its own for a story. @returns what it said while it was told */
export function overhear<T>(tell: () => Promise<T>): { told: Promise<T>; lines: string[] } {
  const lines: string[] = [];
  return { told: telling.run({ browsers: new Set(), lines }, tell), lines };
}
/** Prints a line below the story that is being told, such as a figure. */
export const say = (line: string): void => void telling.getStore()!.lines.push(line);

const heard = new WeakMap<Page, string[]>();

/** From now on this browser's pages are listened to. */
export async function watch(browser: Browser): Promise<void> {
  const { browsers } = telling.getStore()!;
  browsers.add(browser);
  browser.on('disconnected', () => browsers.delete(browser));
  browser.on('targetcreated', (target: Target) => {
    if (target.type() !== 'page') return;
    target.page().then(
      (page) => page && listenTo(page),
      () => undefined, // it was closed meanwhile
    );
  });
  for (const page of await browser.pages()) listenTo(page);
}

function listenTo(page: Page): void {
  if (heard.has(page)) return;
  const lines: string[] = [];
  heard.set(page, lines);
  const note = (line: string) => {
    lines.push(line.slice(0, 300));
    if (lines.length > MAX_LINES) lines.shift();
  };
  page.on('console', (message) => {
    note(`${message.type()}: ${message.text()}`);
    // What was handed to the console must not stay in memory, which stories measure.
    for (const argument of message.args()) argument.dispose().catch(() => undefined);
  });
  page.on('pageerror', (error) => note(`uncaught: ${error}`));
  page.on('requestfailed', (request) =>
    note(`${request.method()} ${request.url()}: ${request.failure()?.errorText}`),
  );
}

/** What all pages of the story have to say that are open at the moment. */
export async function testify(): Promise<string> {
  const said = await Promise.all([...telling.getStore()!.browsers].map(within(readAll)));
  return said.join('\n');
}

const readAll = async (browser: Browser): Promise<string> =>
  (await Promise.all((await browser.pages()).map(within(read)))).join('\n');

async function read(page: Page): Promise<string> {
  const text = within((one: Page) => one.evaluate(() => document.body.innerText));
  return [
    `A page at ${page.url()}`,
    ...(heard.get(page) ?? []).map((line) => `  console: ${line}`),
    `  text: ${(await text(page)).replace(/\s+/g, ' ').slice(0, MAX_TEXT)}`,
  ].join('\n');
}

/** The same, without an end or a failure of its own. */
const within =
  <Asked>(ask: (asked: Asked) => Promise<string>) =>
  (asked: Asked): Promise<string> =>
    Promise.race([
      ask(asked).catch((error: unknown) => `(${error})`),
      pause(ANSWER_MS, '(no answer)', { ref: false }),
    ]);
