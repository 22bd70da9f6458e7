import { equal } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { builtFolder } from '../../parts/builds';
import { setPreferences } from '../../parts/push/firefox-windows';
import type { CleanUp, Story } from '../../parts/harness';
import { invalidMarkup, sidewaysOverflow, axeViolations } from '../../tour/inspections';
import { inspectPhoneLayout } from '../../tour/phone-layout';
import { openTourPage, PERMISSIONS, TOUR_SCREENS, showPage, type TourUser } from '../../tour/tour';
import { startTestBed } from '../../parts/push/test-bed';

const PEOPLE = Object.keys(PERMISSIONS) as TourUser[];

/** Runs each inspection on every screen, and collects the findings. */
async function inspectAll(
  people: readonly TourUser[],
  browser: Browser,
  demo: string,
  inspect: (page: Page) => Promise<string[]>,
): Promise<void> {
  const violations: string[] = [];
  for (const role of people) {
    const page = await openTourPage(browser, demo, role);
    for (const screen of TOUR_SCREENS.filter((one) => one.as === role)) {
      await showPage(page, demo, screen);
      violations.push(...(await inspect(page)).map((finding) => `${screen.name}: ${finding}`));
    }
    await page.close();
  }
  equal(violations.join('\n'), '');
}

/** Preferences that Firefox reads from the system: color schemes, and finger or mouse. */
const COLOR_SCHEMES = {
  light: { 'layout.css.prefers-color-scheme.content-override': 1 },
  dark: { 'layout.css.prefers-color-scheme.content-override': 0 },
};
/** This order needs only two theme changes per screen. Each takes as long as an axe run. */
const VIEWPORTS = [
  [1280, 'light'],
  [1280, 'dark'],
  [320, 'dark'],
  [320, 'light'],
] as const;
const POINTER = {
  mouse: { 'ui.primaryPointerCapabilities': 6 },
  finger: { 'ui.primaryPointerCapabilities': 1 },
};

async function inspectInFirefox(people: readonly TourUser[], cleanUp: CleanUp): Promise<void> {
  const { browser, installation } = await startTestBed('Firefox', 'web-push', cleanUp, {
    program: 'demo',
  });
  /** Sets preferences, and waits until the page applies them. */
  const set = async (page: Page, numbers: Record<string, number>, query: string, holds = true) => {
    await setPreferences(browser, numbers);
    await page.waitForFunction(
      (asked, wanted) => matchMedia(asked).matches === wanted,
      { polling: 20 },
      query,
      holds,
    );
  };
  let inForce: string | undefined;
  await inspectAll(people, browser, installation.address, async (page) => {
    const violations: string[] = [];
    for (const [width, theme] of VIEWPORTS) {
      await page.setViewport({ width, height: 800 });
      if (theme !== inForce)
        await set(page, COLOR_SCHEMES[theme], `(prefers-color-scheme: ${theme})`);
      inForce = theme;
      violations.push(
        ...[
          ...(await sidewaysOverflow(page)),
          ...(await axeViolations(page, theme === 'dark' ? 'colors' : 'all')),
        ].map((fault) => `at ${width} px, ${theme}: ${fault}`),
      );
    }
    await set(page, POINTER.finger, '(pointer: coarse)');
    violations.push(
      ...(await inspectPhoneLayout(page, (reduced) =>
        set(
          page,
          { 'ui.prefersReducedMotion': Number(reduced) },
          '(prefers-reduced-motion: reduce)',
          reduced,
        ),
      )),
    );
    await set(page, POINTER.mouse, '(pointer: fine)');
    return violations;
  });
}

async function checkIndexMarkup(): Promise<void> {
  const violations = await invalidMarkup(
    readFileSync(join(builtFolder('web-push'), 'app/index.html'), 'utf8'),
  );
  equal(violations.join('\n'), '');
}

export const everyScreenInFirefoxStories: Story[] = [
  // Two stories, as one would exceed the time limit in Firefox.
  {
    name: 'passes axe and layout checks on every screen of an administrator in Firefox',
    run: (cleanUp) => inspectInFirefox(['admin'], cleanUp),
  },
  {
    name: 'passes axe and layout checks on every screen of other people in Firefox',
    run: (cleanUp) =>
      inspectInFirefox(
        PEOPLE.filter((role) => role !== 'admin'),
        cleanUp,
      ),
  },
  { name: 'serves a valid index.html', run: checkIndexMarkup },
];
