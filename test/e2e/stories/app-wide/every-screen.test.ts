import { equal } from 'node:assert/strict';
import type { Browser, CDPSession, Page } from 'puppeteer-core';
import type { CleanUp, Story } from '../../parts/harness';
import { findCoveredControls } from '../../tour/covered-controls';
import { findUnknownGreenWords } from '../../tour/green-words';
import {
  cutOffTexts,
  isBrief,
  themesAt,
  sidewaysOverflow,
  unmirroredParts,
  untranslatedTexts,
  axeViolations,
} from '../../tour/inspections';
import { inspectPhoneLayout } from '../../tour/phone-layout';
import {
  retryIfReloaded,
  setBrowserLanguage,
  openTourPage,
  TOUR_SCREENS,
  waitForRest,
  showPage,
  type TourUser,
} from '../../tour/tour';
import { listEnglishTexts } from '../../parts/translations';
import { startTestBed } from '../../parts/push/test-bed';

const LANGUAGES = ['ar', 'de'];
/** The administrator has the most screens, so the groups run beside each other. */
const GROUPS: TourUser[][] = [
  ['admin'],
  ['technician', 'visitor', 'unasked technician', 'blocked technician'],
];

async function startDemo(cleanUp: CleanUp) {
  const { browser, installation } = await startTestBed('Chromium', 'web-push', cleanUp, {
    program: 'demo',
    // The app offers its installation on a secure host or this one.
    variables: { HOST: 'localhost' },
  });
  return { browser, demo: installation.address };
}

/** Adds the faults of any page, such as errors and CSP violations. */
async function openRecordedPage(
  browser: Browser,
  demo: string,
  role: TourUser,
  faults: string[],
): Promise<Page> {
  const page = await openTourPage(browser, demo, role);
  page.on('pageerror', (error) => faults.push(`error: ${String(error)}`));
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/.test(message.text())) faults.push(message.text());
  });
  page.on('dialog', (dialog) => {
    faults.push(`the page opened a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return page;
}

const phone = (height: number, width = 320) => ({ width, height, hasTouch: true, isMobile: true });

/** Inspects the shown screen, because showing a screen takes longer than inspecting it. */
async function inspectOnPhone(page: Page): Promise<string[]> {
  const violations = await inspectPhoneLayout(page, (reduced) =>
    page.emulateMediaFeatures(
      reduced ? [{ name: 'prefers-reduced-motion', value: 'reduce' }] : undefined,
    ),
  );
  await page.setViewport(phone(640, 360));
  violations.push(...(await findCoveredControls(page)), ...(await findUnknownGreenWords(page)));
  await page.setViewport(phone(800));
  return violations;
}

/** Makes a phone a desktop or the reverse. `setViewport` would load the page again. */
async function switchDevice(page: Page, width: number, isPhone: boolean): Promise<void> {
  // Another session's emulation would add to the emulation of puppeteer's session.
  const session = (page as unknown as { _client(): CDPSession })._client();
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: isPhone });
  await session.send('Emulation.setDeviceMetricsOverride', {
    ...{ width, height: 800, deviceScaleFactor: 1, mobile: isPhone },
  });
  await page.waitForFunction(
    (wanted, isCoarse) =>
      matchMedia(`(width: ${wanted}px)`).matches &&
      matchMedia('(pointer: coarse)').matches === isCoarse,
    { polling: 20 },
    width,
    isPhone,
  );
  await waitForRest(page);
}

type Inspect = (page: Page, demo: string, role: TourUser) => Promise<string[]>;

async function inspectScreens(
  roles: readonly TourUser[],
  inspect: Inspect,
  cleanUp: CleanUp,
): Promise<void> {
  const { browser, demo } = await startDemo(cleanUp);
  const faults: string[] = [];
  for (const role of roles) {
    const page = await openRecordedPage(browser, demo, role, faults);
    faults.push(...(await inspect(page, demo, role)));
    await page.close();
  }
  equal(faults.join('\n'), '');
}

async function inspectInEnglish(page: Page, demo: string, role: TourUser): Promise<string[]> {
  const faults: string[] = [];
  const inspectAt = async (width: number, name: string) => {
    for (const [theme, rules] of themesAt(width)) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
      const violations = [...(await sidewaysOverflow(page)), ...(await axeViolations(page, rules))];
      faults.push(...violations.map((fault) => `${name} at ${width} px, ${theme}: ${fault}`));
    }
  };
  // Loads the page again.
  await page.setViewport(phone(800));
  for (const screen of TOUR_SCREENS.filter((one) => one.as === role)) {
    await showPage(page, demo, screen);
    await inspectAt(320, screen.name);
    await switchDevice(page, 1280, false);
    await inspectAt(1280, screen.name);
    await switchDevice(page, 320, true);
    faults.push(...(await inspectOnPhone(page)).map((fault) => `${screen.name}: ${fault}`));
  }
  return faults;
}

async function inspectInLanguages(page: Page, demo: string, role: TourUser): Promise<string[]> {
  const faults: string[] = [];
  for (const language of LANGUAGES)
    faults.push(...(await inspectInLanguage(language, page, demo, role)));
  return faults;
}

/**
 * Inspects another language at 320 px, with text of 200 %. German tests long words, so axe does not
 * run again, and screens that need presses are left out.
 */
async function inspectInLanguage(language: string, page: Page, demo: string, role: TourUser) {
  const violations: string[] = [];
  const isMirrored = language === 'ar';
  const rules = isBrief() ? 'translated' : 'all';
  await setBrowserLanguage(page, language);
  await page.setViewport(phone(800));
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
  const inspect = async (screen: (typeof TOUR_SCREENS)[number]) => {
    await showPage(page, demo, screen, language);
    const faults = await untranslatedTexts(page, listEnglishTexts(language));
    if (isMirrored)
      faults.push(...(await axeViolations(page, rules)), ...(await unmirroredParts(page)));
    await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'));
    const large = [...(await sidewaysOverflow(page)), ...(await cutOffTexts(page))];
    return [...faults.map((fault) => `: ${fault}`), ...large.map((fault) => ` at 200 %: ${fault}`)];
  };
  for (const screen of TOUR_SCREENS.filter(
    ({ as, steps }) => as === role && (isMirrored || !steps),
  )) {
    const place = `${screen.name} in ${language}`;
    const faults = await retryIfReloaded(() => inspect(screen));
    violations.push(...faults.map((fault) => `${place}${fault}`));
  }
  return violations;
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
  const { browser, demo } = await startDemo(cleanUp);
  const faults: string[] = [];
  const page = await openRecordedPage(browser, demo, 'admin', faults);
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
        [...document.querySelectorAll('tbody th a')].some((link) => link.textContent === title),
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

/** Pastes the text: typing 10,000 characters would take a minute. */
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

export const everyScreenStories: Story[] = [
  ...GROUPS.flatMap((roles): Story[] => [
    {
      name: `passes axe and layout checks on every screen of ${roles.join(', ')}`,
      limit: 900_000,
      run: (cleanUp) => inspectScreens(roles, inspectInEnglish, cleanUp),
    },
    {
      name: `passes axe in Arabic and fits in German on every screen of ${roles.join(', ')}`,
      limit: 900_000,
      run: (cleanUp) => inspectScreens(roles, inspectInLanguages, cleanUp),
    },
  ]),
  { name: 'shows anything typed as text without breaking the layout', run: typeNastyTexts },
];
