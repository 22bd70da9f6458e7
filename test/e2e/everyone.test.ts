/** The app for people with other eyes, hands and settings than ours, and in the other browser. */
import { equal } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { startAutopush } from '../support/autopush';
import { launchChromium } from '../support/chromium';
import { launchFirefox } from '../support/firefox';
import { startGcm } from '../support/gcm';
import { startInstallation } from '../support/installation';
import { builtFolder } from './builds';
import { stories as keyboard } from './everyone-keyboard.test';
import type { CleanUp, Story } from './harness';
import { cutOff, invalidMarkup, moving, sideways, smallTargets, violations } from './inspect';
import { pageOf, PERMISSIONS, SCREENS, show, THEMES, type Screen, type Somebody } from './tour';

const PEOPLE = Object.keys(PERMISSIONS) as Somebody[];

/** Shows every screen to whom it is for, and collects what each inspection finds. */
async function inspectAll(browser: Browser, demo: string, prepare: (page: Page) => Promise<void>, inspect: (page: Page, screen: Screen) => Promise<string[]>): Promise<void> {
  const found: string[] = [];
  for (const somebody of PEOPLE) {
    const page = await pageOf(browser, demo, somebody);
    await prepare(page);
    for (const screen of SCREENS.filter((one) => one.as === somebody)) {
      await show(page, demo, screen);
      found.push(...(await inspect(page, screen)).map((finding) => `${screen.name}: ${finding}`));
    }
    await page.close();
  }
  equal(found.join('\n'), '');
}

async function startDemo(cleanUp: CleanUp, environment: Record<string, string> = {}): Promise<string> {
  const demo = await startInstallation({ built: builtFolder('web-push'), program: 'demo', environment });
  cleanUp(() => demo.stop());
  return demo.address;
}

async function withFirefox(theme: string, cleanUp: CleanUp): Promise<void> {
  const autopush = await startAutopush();
  cleanUp(() => autopush.close());
  const demo = await startDemo(cleanUp, { PUSH_ALLOWED_HOSTS: autopush.host });
  const browser = await launchFirefox({ autopush, fcm: undefined, dark: theme === 'dark' });
  cleanUp(() => browser.close());
  await inspectAll(browser, demo, async () => {}, async (page) => {
    const found: string[] = [];
    for (const width of [1280, 320]) {
      await page.setViewport({ width, height: 800 });
      if ((await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)) !== (theme === 'dark')) found.push(`is not ${theme}`);
      // The other theme is other colours, and nothing else.
      found.push(...[...(await sideways(page)), ...(await violations(page, theme === 'dark' ? ['color-contrast'] : undefined))].map((fault) => `at ${width} px: ${fault}`));
    }
    return found;
  });
}

async function onThePhone(cleanUp: CleanUp): Promise<void> {
  const gcm = await startGcm();
  cleanUp(() => gcm.close());
  const demo = await startDemo(cleanUp);
  const browser = await launchChromium({ gcm });
  cleanUp(() => browser.close());
  const prepare = (page: Page) => page.setViewport({ width: 320, height: 800, hasTouch: true, isMobile: true });
  await inspectAll(browser, demo, prepare, async (page) => {
    const found = [...(await smallTargets(page)), ...(await invalidMarkup(await page.content()))];
    await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
    found.push(...(await moving(page)));
    await page.emulateMediaFeatures();
    for (const [what, style] of Object.entries(LARGER)) {
      await restyle(page, style);
      found.push(...[...(await sideways(page)), ...(await cutOff(page))].map((fault) => `${what}: ${fault}`));
      await restyle(page, '');
    }
    return found;
  });
}

/** WCAG 1.4.4 and 1.4.12. */
const LARGER = {
  'text of 200 %': 'html { font-size: 200% }',
  'text spacing': '* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important } p { margin-bottom: 2em !important }',
};

const restyle = (page: Page, css: string): Promise<void> =>
  page.evaluate((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    document.adoptedStyleSheets = [sheet];
  }, css);

async function markupOfTheFirstPage(): Promise<void> {
  const found = await invalidMarkup(readFileSync(join(builtFolder('web-push'), 'app/index.html'), 'utf8'));
  equal(found.join('\n'), '');
}

export const stories: Story[] = [
  ...THEMES.map((theme) => ({ name: `every screen in Firefox, ${theme}, at 320 and 1280 px, without a fault of axe's`, run: (cleanUp: CleanUp) => withFirefox(theme, cleanUp) })),
  { name: 'every screen on a phone: targets for fingers, valid markup, no motion where none is wanted, text of 200 % and wide spacing', run: onThePhone },
  ...keyboard,
  { name: 'index.html is valid', run: markupOfTheFirstPage },
];
