/**
 * Compares a screen's green words with the table of recorded outcomes in `test/quality.md` (G5).
 */
import { readFileSync } from 'node:fs';
import type { Page } from 'puppeteer-core';

/** The quoted words of the table's first column; `*` stands for what differs. */
const KNOWN = readFileSync('test/quality.md', 'utf8')
  .replace(/^.*\n### Green words\n/s, '')
  .replace(/\n##.*$/s, '')
  .split('\n')
  .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/“([^”]+)”/g)])
  .map(([, words = '']) => words.split('*'));

function fits(text: string, [first = '', ...rest]: readonly string[]): boolean {
  if (rest.length === 0) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest.slice(0, -1)) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  const last = rest.at(-1) ?? '';
  return text.length >= from + last.length && text.endsWith(last);
}

/** Green words that the table does not have. */
export async function findUnknownGreenWords(page: Page): Promise<string[]> {
  const foundTexts = await page.evaluate(() =>
    [...document.querySelectorAll('[data-tone="ok"]')]
      // A chart's bars are explained by the words of its key.
      .filter((element) => element instanceof HTMLElement)
      .filter((element) => element.checkVisibility({ visibilityProperty: true }))
      .map((element) => element.innerText.replace(/\s+/g, ' ').trim()),
  );
  return foundTexts
    .filter((text) => text !== '' && !KNOWN.some((words) => fits(text, words)))
    .map((text) => `green, but not among the green words of test/quality.md: “${text}”`);
}
