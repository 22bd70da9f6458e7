/** A device test as a person reads it, and a page whose clock can be moved. */
import { deepEqual } from 'node:assert/strict';
import type { Page } from 'puppeteer-core';
import { eventually } from '../../support/eventually';
import { evaluateInFirefox } from '../../support/browsers/firefox-desktop';
import { isFirefox } from './push/firefox-windows';
import type { Person } from './person';

export const TEST_TEXT = 'This device is reachable. Tap to see the result.';

/** `` is a stage that was not reached, or is awaited. */
export type ResultTone = 'ok' | 'warn' | 'bad' | '';

interface Stage {
  title: string;
  text: string;
  tone: ResultTone;
}

/** The stages on the page, of the device or of the test. */
export const readStages = (person: Person, label: string): Promise<Stage[]> =>
  person.page.$$eval(`[role="group"][aria-label="${label}"] li`, (items) =>
    items.map((item) => ({
      title: item.querySelector('b')?.textContent ?? '',
      text: item.querySelector('small')?.textContent ?? '',
      tone: (item.dataset.tone ?? '') as ResultTone,
    })),
  );

/** The marks of all stages, and the text of one of them. */
interface Marked {
  tones: ResultTone[];
  /** The title of the stage that is `bad` or late. */
  at: string;
  text: RegExp;
}

async function waitForMarks(
  person: Person,
  label: string,
  { tones, at, text }: Marked,
): Promise<void> {
  let stages: Stage[] = [];
  await eventually(async () => {
    stages = await readStages(person, label);
    const markedStage = stages.find(({ title }) => title === at);
    return (
      markedStage !== undefined &&
      text.test(markedStage.text) &&
      stages.map(({ tone }) => tone).join() === tones.join()
    );
  }, 'the stages to be marked').catch(() =>
    deepEqual(stages, { tones, at, text: String(text) }, `${label} at ${person.page.url()}`),
  );
}

export const waitForOwnStages = (person: Person, expected: Marked): Promise<void> =>
  waitForMarks(person, 'Checks on this device', expected);

/** Waits for these stages of the test, after the device has passed all of its own stages. */
export async function waitForTestStages(person: Person, expected: Marked): Promise<void> {
  await waitForMarks(person, 'Progress of the test', expected);
  const ownStages = await readStages(person, 'Checks on this device');
  deepEqual(
    ownStages.map(({ tone }) => tone),
    ['ok', 'warn', 'ok', 'ok', 'ok'],
    'only installation warns in a browser tab',
  );
}

export const waitForShownTest = (person: Person): Promise<string> =>
  eventually(
    () => new URL(person.page.url()).searchParams.get('test'),
    'the address to name the test',
  );

/** A page whose monotonic clock `passTime` moves. */
export const installMovableClock = (page: Page): Promise<unknown> =>
  page.evaluateOnNewDocument(() => {
    const { performance } = window;
    const clock = performance.now.bind(performance);
    Object.assign(window, { ahead: 0 });
    performance.now = () => clock() + (window as unknown as { ahead: number }).ahead;
  });

/** Shorter than the longest pause between looks, which would otherwise restart. */
const CLOCK_STEP_MS = 14_000;

/** Passes time while the person looks at the page. */
export async function passTime({ page }: Person, milliseconds: number): Promise<void> {
  const countLooks = () =>
    page.evaluate(() => (window as unknown as { looks?: number }).looks ?? 0);
  await page.evaluate(() => {
    const counter = window as unknown as { looks?: number };
    if (counter.looks !== undefined) return;
    counter.looks = 0;
    const { fetch } = window;
    window.fetch = async (...fetchArguments) => {
      try {
        return await fetch(...fetchArguments);
      } finally {
        if (/notifications\/tests\/[^/]+$/.test(String(fetchArguments[0]))) counter.looks!++;
      }
    };
  });
  for (let passed = 0; passed < milliseconds; passed += CLOCK_STEP_MS) {
    const before = await countLooks();
    await page.evaluate((step) => {
      (window as unknown as { ahead: number }).ahead += step;
      document.dispatchEvent(new Event('visibilitychange')); // the page is visible again, so it checks at once
    }, CLOCK_STEP_MS);
    await eventually(async () => (await countLooks()) > before, 'the page to look at the test');
  }
}

/** Chromium decides this question by itself. */
export async function letStorageBeKept({ origin, page }: Person): Promise<void> {
  const browser = page.browser();
  if (!(await isFirefox(browser)))
    return page
      .browserContext()
      .setPermission(origin, { permission: { name: 'persistent-storage' }, state: 'granted' });
  await evaluateInFirefox(
    browser,
    `Services.prefs.setBoolPref('dom.storageManager.prompt.testing', true);
    Services.prefs.setBoolPref('dom.storageManager.prompt.testing.allow', true);`,
  );
}
