/** See screens.mjs. */
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Browser, BrowserContext, Page } from 'puppeteer-core';
import { DEMO_ADMIN, DEMO_PASSWORD } from '../../server/demo/sample';
import { launchChromium } from '../support/chromium';
import { startGcm } from '../support/gcm';
import { startInstallation } from '../support/installation';
import { builtFolder } from './builds';

type Somebody = 'visitor' | 'admin' | 'technician' | 'unasked technician' | 'blocked technician';

interface Screen {
  name: string;
  path: string;
  as: Somebody;
  /** What to press before the picture, by accessible name. */
  press?: string[];
}

const SCREENS: Screen[] = [
  { name: 'login', path: '/login', as: 'visitor' },
  { name: 'register', path: '/register/a-token', as: 'visitor' },
  { name: 'register-invalid', path: '/register', as: 'visitor' },
  { name: 'request-reset', path: '/request-password-reset', as: 'visitor' },
  { name: 'reset-password', path: '/reset-password/a-token', as: 'visitor' },
  { name: 'verify-email', path: '/verify-email/a-token', as: 'visitor' },
  { name: 'dashboard', path: '/admin', as: 'admin' },
  { name: 'topics', path: '/admin/topics', as: 'admin' },
  { name: 'topics-add', path: '/admin/topics', as: 'admin', press: ['Add Topic'] },
  { name: 'topics-send', path: '/admin/topics', as: 'admin', press: ['Send notification to'] },
  { name: 'topics-subscribers', path: '/admin/topics', as: 'admin', press: ['Subscribers of'] },
  { name: 'topics-delete', path: '/admin/topics', as: 'admin', press: ['Delete '] },
  { name: 'users', path: '/admin/users', as: 'admin' },
  { name: 'users-add', path: '/admin/users', as: 'admin', press: ['Add User'] },
  { name: 'users-role', path: '/admin/users', as: 'admin', press: ['Change role of'] },
  { name: 'user-subscriptions', path: '/admin/users', as: 'admin', press: ['Manage Subscriptions of'] },
  { name: 'settings', path: '/', as: 'technician' },
  { name: 'settings-default', path: '/', as: 'unasked technician' },
  { name: 'settings-denied', path: '/', as: 'blocked technician' },
];
const SIZES = [
  { width: 360, height: 740, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
  { width: 1280, height: 800, deviceScaleFactor: 1 },
];
const THEMES = ['light', 'dark'];

const PERMISSIONS: Record<Somebody, 'granted' | 'prompt' | 'denied'> = {
  visitor: 'prompt',
  admin: 'prompt',
  technician: 'granted',
  'unasked technician': 'prompt',
  'blocked technician': 'denied',
};

const [folder, ...wanted] = process.argv.slice(2);
if (!folder) throw new Error('Say into which folder: node test/e2e/screens.mjs FOLDER');
mkdirSync(resolve(folder), { recursive: true });

const gcm = await startGcm();
const demo = await startInstallation({ built: builtFolder('web-push'), program: 'demo' });
const browser = await launchChromium({ gcm });
try {
  for (const somebody of Object.keys(PERMISSIONS) as Somebody[]) await picture(somebody);
} finally {
  await browser.close();
  await demo.stop();
  await gcm.close();
}

/** All screens of one person: signed in once, in a context of their own. */
async function picture(somebody: Somebody): Promise<void> {
  const shots = SCREENS.filter((screen) => screen.as === somebody).flatMap((screen) =>
    SIZES.flatMap((size) => THEMES.map((theme) => ({ screen, size, theme, file: `${screen.name}-${size.width}-${theme}` }))),
  );
  const chosen = shots.filter(({ file }) => wanted.every((part) => file.includes(part)));
  if (chosen.length === 0) return;

  const context = await contextFor(browser, somebody);
  await context.setPermission(demo.address, { permission: { name: 'notifications' }, state: PERMISSIONS[somebody] });
  const page = await context.newPage();
  if (somebody !== 'visitor') await signIn(page, somebody === 'admin' ? DEMO_ADMIN : 'm.okafor');
  for (const { screen, size, theme, file } of chosen) {
    await page.setViewport(size);
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
    await page.goto(demo.address + screen.path, { waitUntil: 'networkidle0' });
    for (const name of screen.press ?? []) await press(page, name);
    await page.screenshot({ path: resolve(folder!, `${file}.png`) });
    console.log(`${file}.png`);
  }
  await page.close();
}

/** Only the default context can subscribe to pushes, so that nothing is amiss on this technician's screen. */
function contextFor(browser: Browser, somebody: Somebody): Promise<BrowserContext> {
  return somebody === 'technician' ? Promise.resolve(browser.defaultBrowserContext()) : browser.createBrowserContext();
}

async function signIn(page: Page, username: string): Promise<void> {
  await page.goto(`${demo.address}/login`, { waitUntil: 'networkidle0' });
  await page.locator('input[name="username"]').fill(username);
  await page.locator('input[name="password"]').fill(DEMO_PASSWORD);
  await page.locator('button[type="submit"]').click();
  await page.waitForFunction(() => location.pathname !== '/login');
  await page.evaluate(comeToRest, 400);
}

/** Presses the first control whose name begins so, and waits until what it asked for is there. */
async function press(page: Page, name: string): Promise<void> {
  await page.bringToFront();
  const own = `main :is(a, button)[aria-label^="${name}"]`;
  await page.locator((await page.$(own)) ? own : `main ::-p-aria([name="${name}"][role="button"])`).click();
  await page.evaluate(comeToRest, 400);
}

/** Runs in the page: resolves once nothing in it has changed for so many milliseconds. */
function comeToRest(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const rest = () => {
      observer.disconnect();
      resolve();
    };
    let timer = setTimeout(rest, milliseconds);
    const observer = new MutationObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(rest, milliseconds);
    });
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  });
}
