/** Every screen of the demo: who sees it, its address, and how to get there. */
import type { Browser, BrowserContext, ElementHandle, Page } from 'puppeteer-core';
import type { UserPage } from '../../../src/shared/contract';
import { DEMO_ADMIN, DEMO_PASSWORD } from '../../../server/demo/sample';
import { fieldSelector, scrollIntoView } from '../parts/control';
import { createNamePattern, createTranslator } from '../parts/translations';
import { finishTransitions } from './inspections';
import { ACCOUNT_SCREENS } from './tour-account';
import { CHECK_IN_SCREENS } from './tour-check-ins';
import { DEVICE_TEST_SCREENS } from './tour-device-test';
import { ESCALATION_SCREENS } from './tour-escalation';
import { IMPORT_SCREENS } from './tour-import';
import { QUIET_HOURS_SCREENS } from './tour-quiet-hours';
import { SETUP_SCREENS } from './tour-setup';
import { STATE_SCREENS } from './tour-states';

export type TourUser =
  | 'visitor'
  | 'admin'
  | 'technician'
  | 'unasked technician'
  | 'blocked technician';

export interface TourScreen {
  name: string;
  path: string;
  as: TourUser;
  /**
   * What to do first: press a button by the start of its name, fill a field, follow a link by part
   * of its address, or run a function in the page.
   */
  steps?: (
    | string
    | { field: string; text: string | (() => string) }
    | { follow: string }
    | (() => void)
  )[];
}

let createdCount = 0;

export const TOUR_SCREENS: TourScreen[] = [
  { name: 'login', path: '/login', as: 'visitor' },
  {
    name: 'login-rejected',
    path: '/login',
    as: 'visitor',
    steps: [
      { field: 'Username', text: 'nobody' },
      { field: 'Password', text: 'nothing' },
      'Sign in',
    ],
  },
  { name: 'register', path: '/register/PENDING', as: 'visitor' },
  {
    name: 'register-typing',
    path: '/register/PENDING',
    as: 'visitor',
    steps: [{ field: 'New password', text: 'three-quiet' }],
  },
  { name: 'register-invalid', path: '/register', as: 'visitor' },
  { name: 'request-reset', path: '/request-password-reset', as: 'visitor' },
  { name: 'reset-password', path: '/reset-password/a-token', as: 'visitor' },
  { name: 'verify-email', path: '/verify-email/a-token', as: 'visitor' },
  { name: 'dashboard', path: '/admin', as: 'admin' },
  { name: 'dashboard-remedy', path: '/admin', as: 'admin', steps: ['Set up email'] },
  { name: 'dashboard-first', path: '/admin', as: 'admin', steps: [fakeEmptyCompany] },
  { name: 'reach', path: '/admin/reach', as: 'admin' },
  { name: 'reach-test-all', path: '/admin/reach', as: 'admin', steps: ['Test all devices'] },
  { name: 'reach-all', path: '/admin/reach?state=all', as: 'admin' },
  {
    name: 'reach-none-found',
    path: '/admin/reach',
    as: 'admin',
    steps: [{ field: 'Search Users', text: 'unknown name' }],
  },
  { name: 'insights', path: '/admin/insights', as: 'admin' },
  { name: 'reach-remove', path: '/admin/reach?state=all', as: 'admin', steps: ['Remove device'] },
  { name: 'sent', path: '/admin/messages', as: 'admin' },
  {
    name: 'sent-none-found',
    path: '/admin/messages',
    as: 'admin',
    steps: [{ field: 'Search Messages', text: 'no such message' }],
  },
  {
    name: 'sent-message',
    path: '/admin/messages',
    as: 'admin',
    steps: ['Storm and flood warnings'],
  },
  { name: 'topics', path: '/admin/topics', as: 'admin' },
  {
    name: 'topics-none-found',
    path: '/admin/topics',
    as: 'admin',
    steps: [{ field: 'Search Topics', text: 'no such topic' }],
  },
  { name: 'topics-add', path: '/admin/topics', as: 'admin', steps: ['Add Topic'] },
  { name: 'topics-send', path: '/admin/topics', as: 'admin', steps: ['Send notification to'] },
  { name: 'topics-subscribers', path: '/admin/topics', as: 'admin', steps: ['Subscribers of'] },
  { name: 'topics-keys', path: '/admin/topics', as: 'admin', steps: ['Keys of'] },
  {
    name: 'topics-keys-made',
    path: '/admin/topics',
    as: 'admin',
    steps: [
      fakeTopicKeys,
      'Keys of',
      { field: 'Name of the new key', text: 'SCADA north' },
      'Create key',
    ],
  },
  { name: 'topics-delete', path: '/admin/topics', as: 'admin', steps: ['Delete '] },
  { name: 'compose', path: '/admin/messages/new', as: 'admin' },
  {
    name: 'topics-send-options',
    path: '/admin/topics',
    as: 'admin',
    steps: ['Send notification to', 'More options'],
  },
  {
    name: 'topics-review',
    path: '/admin/topics',
    as: 'admin',
    steps: [
      'Send notification to',
      { field: 'Message', text: 'Stop all work on poles in the north district.' },
      'More options',
      chooseUrgent,
      'Send',
    ],
  },
  { name: 'teams', path: '/admin/teams', as: 'admin' },
  { name: 'teams-add', path: '/admin/teams', as: 'admin', steps: ['Add team'] },
  { name: 'topic', path: '/admin/topics', as: 'admin', steps: [{ follow: '/admin/topics/' }] },
  { name: 'users', path: '/admin/users', as: 'admin' },
  { name: 'users-chosen', path: '/admin/users', as: 'admin', steps: [selectAllUsers] },
  {
    name: 'users-subscribe',
    path: '/admin/users',
    as: 'admin',
    steps: [selectAllUsers, 'Subscribe 10 to…', { field: 'Search Topics', text: 'ice' }],
  },
  { name: 'users-add', path: '/admin/users', as: 'admin', steps: ['Add User'] },
  {
    name: 'users-add-rejected',
    path: '/admin/users',
    as: 'admin',
    steps: ['Add User', { field: 'Username', text: DEMO_ADMIN }, 'Add User'],
  },
  {
    name: 'users-added',
    path: '/admin/users',
    as: 'admin',
    steps: [
      'Add User',
      { field: 'Username', text: () => `n.moreau.${++createdCount}` },
      'Add User',
    ],
  },
  { name: 'users-role', path: '/admin/users', as: 'admin', steps: ['Change role of'] },
  {
    name: 'user-subscriptions',
    path: '/admin/users',
    as: 'admin',
    steps: ['Manage Subscriptions of'],
  },
  { name: 'user-subscriptions-none', path: '/admin/users/1/subscriptions', as: 'admin' },
  { name: 'user-subscriptions-missing', path: '/admin/users/999999/subscriptions', as: 'admin' },
  { name: 'messages-none', path: '/messages', as: 'admin' },
  { name: 'settings-none', path: '/subscriptions', as: 'admin' },
  { name: 'messages', path: '/messages', as: 'technician' },
  {
    name: 'messages-none-found',
    path: '/messages',
    as: 'technician',
    steps: [{ field: 'Search Messages', text: 'no such message' }],
  },
  { name: 'messages-offline', path: '/messages', as: 'technician', steps: [loseNetwork] },
  { name: 'message', path: '/messages', as: 'technician', steps: [openUnansweredMessage] },
  {
    name: 'message-answered',
    path: '/messages',
    as: 'technician',
    steps: [openMessageToAnswer, giveFirstAnswer],
  },
  { name: 'settings', path: '/', as: 'technician' },
  { name: 'settings-reset', path: '/', as: 'technician', steps: ['App Management', 'Reset App'] },
  { name: 'settings-failed', path: '/', as: 'technician', steps: [breakServer] },
  { name: 'settings-offline', path: '/', as: 'technician', steps: [loseNetwork] },
  { name: 'settings-default', path: '/', as: 'unasked technician' },
  { name: 'settings-denied', path: '/', as: 'blocked technician' },
  ...DEVICE_TEST_SCREENS,
  ...ESCALATION_SCREENS,
  ...IMPORT_SCREENS,
  ...QUIET_HOURS_SCREENS,
  ...ACCOUNT_SCREENS,
  ...SETUP_SCREENS,
  ...CHECK_IN_SCREENS,
  ...STATE_SCREENS,
];

/** The newest message that waits for an answer. Runs in the page. */
function openUnansweredMessage(): void {
  const row = document.querySelector<HTMLElement>('.inbox li:has(.answers) a');
  if (!row) throw new Error('no message waits for an answer');
  row.click();
}
/** The newest answered one, else one to answer. Runs in the page. */
function openMessageToAnswer(): void {
  // An all-clear's chip is green, too.
  const row =
    document.querySelector<HTMLElement>('.inbox li:has(.disc[data-tone="ok"]) a') ??
    document.querySelector<HTMLElement>('.inbox li:has(.answers) a');
  if (!row) throw new Error('the inbox has no message with answers');
  row.click();
}
/** Runs in the page. */
function giveFirstAnswer(): void {
  document.querySelector<HTMLElement>('main .answers button')?.click();
}
/** The review opens for this priority, once the options have loaded. Runs in the page. */
async function chooseUrgent(): Promise<void> {
  const find = () =>
    document.querySelector<HTMLInputElement>('dialog [name=priority][value=urgent]');
  while (!find()) await new Promise((resolve) => setTimeout(resolve, 50));
  find()?.click();
}
/** Runs in the page. */
function selectAllUsers(): void {
  document.querySelector<HTMLElement>('thead .tick input')?.click();
}
/** The server has no people and no data. Runs in the page. */
function fakeEmptyCompany(): void {
  const { fetch } = window;
  window.fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (!String(input).endsWith('/admin/overview')) return response;
    return Response.json({
      ...(await response.json()),
      people: { total: 1, reachable: 0, pending: 0 },
      topics: { total: 0, withoutSubscribers: 0 },
      messages: [],
      ownDevices: 0,
    });
  };
  document.dispatchEvent(new Event('visibilitychange')); // shown again, so it reloads
}
/** The server fails from now on. Runs in the page. */
function breakServer(): void {
  window.fetch = async () => new Response('', { status: 500 });
  dispatchEvent(new Event('online'));
}
/** The server is unreachable from now on. Runs in the page. */
function loseNetwork(): void {
  window.fetch = async () => Promise.reject(new TypeError('Failed to fetch'));
  dispatchEvent(new Event('online'));
}

export const SIZES = [
  { width: 360, height: 740, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
  { width: 1280, height: 800, deviceScaleFactor: 1 },
];
/** `forced`: the system's colors. */
export const THEMES = ['light', 'dark', 'forced'];

export const PERMISSIONS: Record<TourUser, 'granted' | 'prompt' | 'denied'> = {
  visitor: 'prompt',
  admin: 'prompt',
  technician: 'granted',
  'unasked technician': 'prompt',
  'blocked technician': 'denied',
};

/** Opens the demo at this address, signed in where needed. */
export async function openTourPage(browser: Browser, demo: string, role: TourUser): Promise<Page> {
  const context = await contextFor(browser, role);
  await context.setPermission(demo, {
    permission: { name: 'notifications' },
    state: PERMISSIONS[role],
  });
  const page = await context.newPage();
  if (role !== 'visitor') await signIn(page, demo, role === 'admin' ? DEMO_ADMIN : 'm.okafor');
  return page;
}

/** The browser of a page that shows no screen yet asks for a language. */
export const setBrowserLanguage = (page: Page, language: string) =>
  page.evaluateOnNewDocument(
    (wanted) =>
      Object.defineProperty(navigator, 'languages', { get: () => [wanted], configurable: true }),
    language,
  );

/** Repeats what the worker interrupts, which starts the page again to bring a language's files. */
export const retryIfReloaded = <T>(look: () => Promise<T>): Promise<T> =>
  look().catch((error: unknown) => {
    if (!/context was destroyed/.test(String(error))) throw error;
    return look();
  });

/** Shows a screen once everything on it has arrived. For another language, `askFor` it first. */
export async function showPage(
  page: Page,
  demo: string,
  screen: Pick<TourScreen, 'path' | 'steps'>,
  language = 'en',
): Promise<void> {
  const path = screen.path.replace('PENDING', await pendingToken(demo));
  // This opens the language's page directly: other pages would navigate there.
  await page.goto(language === 'en' ? demo + path : `${demo}/index.${language}.html#${path}`);
  await page.waitForFunction((lang) => document.documentElement.lang === lang, {}, language);
  await waitForRest(page);
  for (const step of screen.steps ?? []) {
    await page.bringToFront();
    const within = (await page.$('dialog[open]')) ? 'dialog[open]' : 'main';
    if (typeof step === 'function') await page.evaluate(step);
    else if (typeof step === 'string')
      await pressControl(page, within, createNamePattern(language, step));
    else if ('follow' in step) await page.locator(`${within} a[href*="${step.follow}"]`).click();
    else
      await page
        .locator(`${within} ${fieldSelector(createTranslator(language)(step.field))}`)
        .fill(typeof step.text === 'string' ? step.text : step.text());
    await waitForRest(page, typeof step === 'object' ? QUIET_AFTER_TYPING_MS : QUIET_MS);
  }
}

const tokens = new Map<string, Promise<string>>();

/** The registration token of a person who has not used it. */
function pendingToken(demo: string): Promise<string> {
  const fetchJson = async (path: string, token: string, init?: RequestInit) =>
    (
      await fetch(demo + path, {
        ...init,
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      })
    ).json();
  const find = async () => {
    const { token } = (await fetchJson('/api/auth/login', '', {
      method: 'POST',
      body: JSON.stringify({ username: DEMO_ADMIN, password: DEMO_PASSWORD }),
    })) as { token: string };
    const { users } = (await fetchJson('/api/admin/users?limit=100', token)) as UserPage;
    return users.find(({ status }) => status === 'PENDING')?.registrationToken ?? 'a-token';
  };
  const found = tokens.get(demo) ?? find();
  tokens.set(demo, found);
  return found;
}

/** The technician gets the default context, because no other context can subscribe to pushes. */
function contextFor(browser: Browser, role: TourUser): Promise<BrowserContext> {
  return role === 'technician'
    ? Promise.resolve(browser.defaultBrowserContext())
    : browser.createBrowserContext();
}

async function signIn(page: Page, demo: string, username: string): Promise<void> {
  await page.goto(`${demo}/login`);
  await page.locator('input[name="username"]').fill(username);
  await page.locator('input[name="password"]').fill(DEMO_PASSWORD);
  await page.locator('button[type="submit"]').click();
  await page.waitForFunction(() => location.pathname !== '/login');
  await waitForRest(page);
}

/**
 * Presses the first control whose label begins with the pattern, or whose text it is, once it is
 * there. One function, as a losing locator of a race slows Firefox down tenfold.
 */
async function pressControl(page: Page, within: string, pattern: string): Promise<void> {
  const control = await page.waitForFunction(
    (scope, wanted) => {
      const [start, whole] = [new RegExp(`^(?:${wanted})`), new RegExp(`^(?:${wanted})$`)];
      // Names in other languages are isolated.
      const plain = (text: string | null) => text?.replace(/[\u2068\u2069]/g, '').trim() ?? '';
      const all = [
        ...document.querySelectorAll<HTMLElement>(
          `${scope} :is(a, button, summary):not([disabled])`,
        ),
      ].filter((one) => one.closest('.more') ?? one.checkVisibility());
      const found =
        all.find((one) => start.test(plain(one.getAttribute('aria-label')))) ??
        all.find((one) => whole.test(plain(one.innerText))) ??
        all.find((one) => one.matches('summary') && whole.test(plain(one.firstChild!.textContent)));
      if (found?.matches('.more li > *')) found.closest('details')!.open = true;
      return found;
    },
    { polling: 25 },
    within,
    pattern,
  );
  await scrollIntoView(control as ElementHandle<HTMLElement>);
  await (control as ElementHandle<HTMLElement>).click();
}

/**
 * Milliseconds without change until a page is at rest; longer than a search waits for more letters.
 */
const QUIET_MS = 250;
const QUIET_AFTER_TYPING_MS = 400;

/** Waits until nothing moves, changes or loads. */
export const waitForRest = async (page: Page, milliseconds = QUIET_MS): Promise<void> => {
  await page.evaluate(finishTransitions);
  return page.evaluate(waitUntilStill, milliseconds);
};

/** Runs in the page. */
function waitUntilStill(milliseconds: number): Promise<void> {
  const hasProgressText = () =>
    [...document.querySelectorAll('[role="status"]')].some(({ textContent }) =>
      textContent?.endsWith('…'),
    );
  const isLoading = () =>
    !document.querySelector('h1') ||
    document.querySelector('[data-waiting], .skeleton, [aria-busy="true"]') ||
    hasProgressText() ||
    document.getAnimations().length;
  return new Promise((resolve) => {
    const look = () => {
      if (isLoading()) return restart();
      observer.disconnect();
      resolve();
    };
    let timer = setTimeout(look, milliseconds);
    const restart = () => {
      clearTimeout(timer);
      timer = setTimeout(look, milliseconds);
    };
    const observer = new MutationObserver(restart);
    observer.observe(document, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    });
  });
}

/** The server creates a key, and knows another. Runs in the page. */
function fakeTopicKeys(): void {
  const { fetch } = window;
  const createdAt = new Date().toISOString();
  const key = { id: 2, name: 'SCADA north', prefix: 'fbk_7Qm2', createdAt, lastUsedAt: null };
  const other = { ...key, id: 1, name: 'Grafana', prefix: 'fbk_h3Xw', lastUsedAt: createdAt };
  window.fetch = async (input, init) => {
    if (!new URL(String(input), location.href).pathname.endsWith('/keys'))
      return fetch(input, init);
    return Response.json(
      init?.method === 'POST'
        ? { ...key, key: 'fbk_7Qm2vK9tXc4RwZ1sLhE8pNdB' }
        : { keys: [key, other] },
    );
  };
}
