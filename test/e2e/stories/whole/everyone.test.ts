import { equal } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { builtFolder } from '../../parts/builds';
import { stories as keyboard } from './everyone-keyboard.test';
import { prefer } from '../../parts/push/firefox-windows';
import type { CleanUp, Story } from '../../parts/harness';
import { covered } from '../../tour/covered';
import { unknownGreenWords } from '../../tour/green-words';
import {
  cutOff,
  invalidMarkup,
  moving,
  sideways,
  smallTargets,
  violations,
} from '../../tour/inspect';
import { pageOf, PERMISSIONS, SCREENS, show, type Somebody } from '../../tour/tour';
import { setStage } from '../../parts/push/transports';

const PEOPLE = Object.keys(PERMISSIONS) as Somebody[];

/** Runs each inspection on every screen, and collects the findings. */
async function inspectAll(
  people: readonly Somebody[],
  browser: Browser,
  demo: string,
  prepare: (page: Page) => Promise<void>,
  inspect: (page: Page) => Promise<string[]>,
): Promise<void> {
  const found: string[] = [];
  for (const somebody of people) {
    const page = await pageOf(browser, demo, somebody);
    await prepare(page);
    for (const screen of SCREENS.filter((one) => one.as === somebody)) {
      await show(page, demo, screen);
      found.push(...(await inspect(page)).map((finding) => `${screen.name}: ${finding}`));
    }
    await page.close();
  }
  equal(found.join('\n'), '');
}

/** A phone at 320 px, with everything a person may have set. */
async function onPhone(
  page: Page,
  setMotion: (reduced: boolean) => Promise<void>,
): Promise<string[]> {
  const found = [...(await smallTargets(page)), ...(await invalidMarkup(await page.content()))];
  await setMotion(true);
  found.push(...(await moving(page)));
  await setMotion(false);
  for (const [what, style] of Object.entries(LARGER)) {
    await restyle(page, style);
    found.push(
      ...[...(await sideways(page)), ...(await cutOff(page))].map((fault) => `${what}: ${fault}`),
    );
    await restyle(page, '');
  }
  return found;
}

async function inChromium(cleanUp: CleanUp): Promise<void> {
  const { browser, installation: demo } = await setStage('Chromium', 'web-push', cleanUp, {
    program: 'demo',
  });
  const prepare = (page: Page) =>
    page.setViewport({ width: 320, height: 800, hasTouch: true, isMobile: true });
  await inspectAll(PEOPLE, browser, demo.address, prepare, async (page) => {
    const found = await onPhone(page, (reduced) =>
      page.emulateMediaFeatures(
        reduced ? [{ name: 'prefers-reduced-motion', value: 'reduce' }] : undefined,
      ),
    );
    await page.setViewport({ width: 360, height: 640, hasTouch: true, isMobile: true });
    found.push(...(await covered(page)), ...(await unknownGreenWords(page)));
    await prepare(page);
    return found;
  });
}

/** What Firefox would ask the system: colour schemes, and finger or mouse. */
const COLOURS = {
  light: { 'layout.css.prefers-color-scheme.content-override': 1 },
  dark: { 'layout.css.prefers-color-scheme.content-override': 0 },
};
/** In this order each screen needs two colour changes, each as slow as axe. */
const SIGHTS = [
  [1280, 'light'],
  [1280, 'dark'],
  [320, 'dark'],
  [320, 'light'],
] as const;
const POINTER = {
  mouse: { 'ui.primaryPointerCapabilities': 6 },
  finger: { 'ui.primaryPointerCapabilities': 1 },
};

async function inFirefox(people: readonly Somebody[], cleanUp: CleanUp): Promise<void> {
  const { browser, installation: demo } = await setStage('Firefox', 'web-push', cleanUp, {
    program: 'demo',
  });
  /** Sets preferences, and waits until the page knows. */
  const set = async (page: Page, numbers: Record<string, number>, query: string, holds = true) => {
    await prefer(browser, numbers);
    await page.waitForFunction(
      (asked, wanted) => matchMedia(asked).matches === wanted,
      { polling: 20 },
      query,
      holds,
    );
  };
  let inForce: string | undefined;
  await inspectAll(
    people,
    browser,
    demo.address,
    async () => {},
    async (page) => {
      const found: string[] = [];
      for (const [width, theme] of SIGHTS) {
        await page.setViewport({ width, height: 800 });
        if (theme !== inForce) await set(page, COLOURS[theme], `(prefers-color-scheme: ${theme})`);
        inForce = theme;
        found.push(
          ...[
            ...(await sideways(page)),
            ...(await violations(page, theme === 'dark' ? 'colours' : 'all')),
          ].map((fault) => `at ${width} px, ${theme}: ${fault}`),
        );
      }
      await set(page, POINTER.finger, '(pointer: coarse)');
      found.push(
        ...(await onPhone(page, (reduced) =>
          set(
            page,
            { 'ui.prefersReducedMotion': Number(reduced) },
            '(prefers-reduced-motion: reduce)',
            reduced,
          ),
        )),
      );
      await set(page, POINTER.mouse, '(pointer: fine)');
      return found;
    },
  );
}

/** WCAG 1.4.4 and 1.4.12. */
const LARGER = {
  'text of 200 %': 'html { font-size: 200% }',
  'text spacing':
    '* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important } p { margin-bottom: 2em !important }',
};

const restyle = (page: Page, css: string): Promise<void> =>
  page.evaluate((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    document.adoptedStyleSheets = [sheet];
  }, css);

async function markupOfTheFirstPage(): Promise<void> {
  const found = await invalidMarkup(
    readFileSync(join(builtFolder('web-push'), 'app/index.html'), 'utf8'),
  );
  equal(found.join('\n'), '');
}

const ON_A_PHONE =
  'targets for fingers, valid markup, no motion where none is wanted, text of 200 % and wide spacing';

export const stories: Story[] = [
  // Two stories, as one would exceed the time limit in Firefox.
  {
    name: `passes axe on every screen in Firefox, at 320 and 1280 px, light and dark; on a phone ${ON_A_PHONE}`,
    run: (cleanUp) => inFirefox(['admin'], cleanUp),
  },
  {
    name: `passes the same checks on every screen of non-administrators in Firefox`,
    run: (cleanUp) =>
      inFirefox(
        PEOPLE.filter((somebody) => somebody !== 'admin'),
        cleanUp,
      ),
  },
  {
    name: `shows every screen on a phone: ${ON_A_PHONE}, nothing covered, nothing green without a recorded outcome`,
    run: inChromium,
  },
  ...keyboard,
  { name: 'serves a valid index.html', run: markupOfTheFirstPage },
];
