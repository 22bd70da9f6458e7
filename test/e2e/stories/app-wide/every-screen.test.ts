import { equal } from 'node:assert/strict';
import type { Page } from 'puppeteer-core';
import type { CleanUp, Story } from '../../parts/harness';
import { findCoveredControls } from '../../tour/covered-controls';
import { unknownGreenWords } from '../../tour/green-words';
import {
  cutOffTexts,
  themesAt,
  sidewaysOverflow,
  unmirroredParts,
  untranslatedTexts,
  axeViolations,
} from '../../tour/inspections';
import { PHONE_LAYOUT_CHECKS, inspectPhoneLayout } from '../../tour/phone-layout';
import {
  retryIfReloaded,
  setBrowserLanguage,
  openTourPage,
  SCREENS,
  showPage,
  type TourUser,
} from '../../tour/tour';
import { listEnglishTexts } from '../../parts/translations';
import { startTestBed } from '../../parts/push/test-bed';

const WIDTHS = [320, 1280];
/** The administrator has the most screens: each width is a story, so that both run beside each other. */
const INSPECTIONS: [role: TourUser, widths: number[]][] = [
  ['admin', [320]],
  ['admin', [1280]],
  ['technician', WIDTHS],
  ['visitor', WIDTHS],
  ['unasked technician', WIDTHS],
  ['blocked technician', WIDTHS],
];

/** Collects faults of any page, such as errors and CSP violations. */
async function setUp(role: TourUser, cleanUp: CleanUp) {
  const { browser, installation: demo } = await startTestBed('Chromium', 'web-push', cleanUp, {
    program: 'demo',
  });
  const page = await openTourPage(browser, demo.address, role);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`error: ${String(error)}`));
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/.test(message.text())) faults.push(message.text());
  });
  page.on('dialog', (dialog) => {
    faults.push(`the page opened a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { page, demo: demo.address, faults };
}

const phone = (height: number, width = 320) => ({ width, height, hasTouch: true, isMobile: true });

/** On the screen as it is shown, because to show one takes longer than to inspect it. */
async function inspectOnPhone(page: Page): Promise<string[]> {
  const found = await inspectPhoneLayout(page, (reduced) =>
    page.emulateMediaFeatures(
      reduced ? [{ name: 'prefers-reduced-motion', value: 'reduce' }] : undefined,
    ),
  );
  await page.setViewport(phone(640, 360));
  found.push(...(await findCoveredControls(page)), ...(await unknownGreenWords(page)));
  await page.setViewport(phone(800));
  return found;
}

async function inspectScreens(
  role: TourUser,
  widths: readonly number[],
  cleanUp: CleanUp,
): Promise<void> {
  const { page, demo, faults } = await setUp(role, cleanUp);
  for (const width of widths) {
    // Loads the page again.
    await page.setViewport(width < 600 ? phone(800, width) : { width, height: 800 });
    for (const screen of SCREENS.filter((one) => one.as === role)) {
      await showPage(page, demo, screen);
      for (const [theme, rules] of themesAt(width)) {
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
        const place = `${screen.name} at ${width} px, ${theme}`;
        faults.push(
          ...(await sidewaysOverflow(page)).map((fault) => `${place}: ${fault}`),
          ...(await axeViolations(page, rules)).map((fault) => `${place}: ${fault}`),
        );
      }
      if (width < 600)
        faults.push(...(await inspectOnPhone(page)).map((fault) => `${screen.name}: ${fault}`));
    }
  }
  if (widths.some((width) => width < 600))
    for (const language of ['ar', 'de'])
      faults.push(...(await inspectInLanguage(language, page, demo, role)));
  equal(faults.join('\n'), '');
}

/**
 * In another language at 320 px, with text of 200 %. German is for its long words: axe sees no more
 * in it than in English, and screens that need presses differ by less.
 */
async function inspectInLanguage(language: string, page: Page, demo: string, role: TourUser) {
  const found: string[] = [];
  const isMirrored = language === 'ar';
  await setBrowserLanguage(page, language);
  await page.setViewport(phone(800));
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
  const inspect = async (screen: (typeof SCREENS)[number]) => {
    await showPage(page, demo, screen, language);
    const faults = await untranslatedTexts(page, listEnglishTexts(language));
    if (isMirrored) faults.push(...(await axeViolations(page)), ...(await unmirroredParts(page)));
    await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'));
    const large = [...(await sidewaysOverflow(page)), ...(await cutOffTexts(page))];
    return [...faults.map((fault) => `: ${fault}`), ...large.map((fault) => ` at 200 %: ${fault}`)];
  };
  for (const screen of SCREENS.filter(({ as, steps }) => as === role && (isMirrored || !steps))) {
    const place = `${screen.name} in ${language}`;
    const faults = await retryIfReloaded(() => inspect(screen));
    found.push(...faults.map((fault) => `${place}${fault}`));
  }
  return found;
}

const NASTY_TEXTS = {
  markup: '<img src=x onerror=alert(1)><script>alert(2)</script>',
  'right to left': 'שלום \u202Eevil\u202C עולם',
  emoji: '👷🏽‍♀️🔔'.repeat(10),
  'zero-width characters': 'Mast\u200B\u200D\u2060head',
  'an endless word': 'Donaudampfschifffahrtsgesellschaft'.repeat(5),
};

/** Text that is too long is rejected without being lost. */
async function typeNastyTexts(cleanUp: CleanUp): Promise<void> {
  const { page, demo, faults } = await setUp('admin', cleanUp);
  await page.setViewport(phone(800));
  const look = async (place: string) => {
    faults.push(...(await sidewaysOverflow(page)).map((fault) => `${place}: ${fault}`));
    if (await page.$('main img, dialog img, main script, dialog script'))
      faults.push(`${place}: markup became an element`);
  };
  for (const [kind, text] of Object.entries(NASTY_TEXTS)) {
    await addTopic(page, demo, text.slice(0, 200), text);
    await page.waitForFunction(
      (title) =>
        [...document.querySelectorAll('tbody th')].some((cell) => cell.textContent === title),
      {},
      text.slice(0, 200),
    );
    await look(`topics with ${kind}`);
    await addUser(page, demo, text.slice(0, 40));
    await page.waitForSelector('.toast code');
    await look(`users with ${kind}`);
    await page.$eval('main a[aria-label^="Manage Subscriptions of"]', (link) =>
      (link as HTMLElement).click(),
    );
    await page.waitForSelector('.pick');
    await look(`a user's subscriptions with ${kind}`);
  }
  await addTopic(page, demo, 'x'.repeat(10_000), 'y'.repeat(10_000));
  await page.waitForFunction(
    () => document.querySelector('dialog [role="alert"]')?.textContent !== '',
  );
  equal(
    await page.$eval(
      'dialog input[name="title"]',
      (field) => (field as HTMLInputElement).value.length,
    ),
    10_000,
  );
  await look('a title of 10,000 characters');
  equal(faults.join('\n'), '');
}

async function addTopic(
  page: Page,
  demo: string,
  title: string,
  description: string,
): Promise<void> {
  await showPage(page, demo, { path: '/admin/topics', steps: ['Add Topic'] });
  await paste(page, 'dialog input[name="title"]', title);
  await paste(page, 'dialog textarea[name="description"]', description);
  await page.locator('dialog button[type="submit"]').click();
}

async function addUser(page: Page, demo: string, username: string): Promise<void> {
  await showPage(page, demo, { path: '/admin/users', steps: ['Add User'] });
  await paste(page, 'dialog input[name="username"]', username);
  await page.locator('dialog button[type="submit"]').click();
}

/** As pasted: typing 10,000 characters would take a minute. */
async function paste(page: Page, field: string, text: string): Promise<void> {
  await page.waitForSelector(field);
  await page.$eval(
    field,
    (element, value) => {
      (element as HTMLInputElement).value = value;
      element.dispatchEvent(new Event('input', { bubbles: true }));
    },
    text,
  );
}

export const stories: Story[] = [
  ...INSPECTIONS.map(([role, widths]) => ({
    name: `passes axe on every screen of a ${role}, at ${widths.join(' and ')} px, light and dark; on a phone ${PHONE_LAYOUT_CHECKS}, nothing covered, nothing green without a recorded outcome`,
    limit: 900_000,
    run: (cleanUp: CleanUp) => inspectScreens(role, widths, cleanUp),
  })),
  { name: 'shows anything typed as text without breaking the layout', run: typeNastyTexts },
];
