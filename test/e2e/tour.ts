/** Every screen of the demo: who sees it, where it is, and what to press to get there. For pictures and for checks. */
import { Locator, type Browser, type BrowserContext, type Page } from 'puppeteer-core';
import { DEMO_ADMIN, DEMO_PASSWORD } from '../../server/demo/sample';

export type Somebody = 'visitor' | 'admin' | 'technician' | 'unasked technician' | 'blocked technician';

export interface Screen {
  name: string;
  path: string;
  as: Somebody;
  /** What to press before the picture, by accessible name. */
  press?: string[];
}

export const SCREENS: Screen[] = [
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
  { name: 'user-subscriptions-none', path: '/admin/users/1/subscriptions', as: 'admin' },
  { name: 'user-subscriptions-missing', path: '/admin/users/999999/subscriptions', as: 'admin' },
  { name: 'settings', path: '/', as: 'technician' },
  { name: 'settings-default', path: '/', as: 'unasked technician' },
  { name: 'settings-denied', path: '/', as: 'blocked technician' },
];
export const SIZES = [
  { width: 360, height: 740, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
  { width: 1280, height: 800, deviceScaleFactor: 1 },
];
export const THEMES = ['light', 'dark'];

export const PERMISSIONS: Record<Somebody, 'granted' | 'prompt' | 'denied'> = {
  visitor: 'prompt',
  admin: 'prompt',
  technician: 'granted',
  'unasked technician': 'prompt',
  'blocked technician': 'denied',
};

/** A page of the demo at this address for somebody, signed in where that is needed. */
export async function pageOf(browser: Browser, demo: string, somebody: Somebody): Promise<Page> {
  const context = await contextFor(browser, somebody);
  await context.setPermission(demo, { permission: { name: 'notifications' }, state: PERMISSIONS[somebody] });
  const page = await context.newPage();
  if (somebody !== 'visitor') await signIn(page, demo, somebody === 'admin' ? DEMO_ADMIN : 'm.okafor');
  return page;
}

/** Shows a screen as it is once everything on it has arrived. */
export async function show(page: Page, demo: string, screen: Screen): Promise<void> {
  await page.goto(demo + screen.path, { waitUntil: 'networkidle0' });
  for (const name of screen.press ?? []) await press(page, name);
}

/** Only the default context can subscribe to pushes, so that nothing is amiss on this technician's screen. */
function contextFor(browser: Browser, somebody: Somebody): Promise<BrowserContext> {
  return somebody === 'technician' ? Promise.resolve(browser.defaultBrowserContext()) : browser.createBrowserContext();
}

async function signIn(page: Page, demo: string, username: string): Promise<void> {
  await page.goto(`${demo}/login`, { waitUntil: 'networkidle0' });
  await page.locator('input[name="username"]').fill(username);
  await page.locator('input[name="password"]').fill(DEMO_PASSWORD);
  await page.locator('button[type="submit"]').click();
  await page.waitForFunction(() => location.pathname !== '/login');
  await page.evaluate(comeToRest, 400);
}

/** Presses the first control whose name begins so, and waits until what it asked for is there. */
async function press(page: Page, name: string): Promise<void> {
  await page.bringToFront();
  // In a row, by the beginning of its name; elsewhere by all of it. Neither need be there yet.
  const inRow = page.locator(`main :is(a, button)[aria-label^="${name}"]`);
  const elsewhere = page.locator(`main ::-p-aria([name="${name}"][role="button"])`);
  await Locator.race([inRow, elsewhere]).click();
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
