import { equal, ok } from 'node:assert/strict';
import { DEMO_ADMIN, DEMO_PASSWORD } from '../../../../server/demo/sample';
import { limitOnThisMachine } from '../../parts/budget';
import { MAX_WAIT_MS } from '../../parts/control';
import type { CleanUp, Story } from '../../parts/harness';
import type { Person } from '../../parts/person';
import {
  firstTopic,
  startSampleCompany,
  TECHNICIAN,
  TOPICS_FAILED,
  USERS_FAILED,
} from '../../parts/sample-company';
import { printInStory } from '../../parts/page-records';

const address = (person: Person): string => person.page.url().replace(person.origin, '');
const at = (person: Person, place: string) =>
  person.page.waitForFunction(
    (wanted) => location.pathname + location.search === wanted,
    {},
    place,
  );

async function endSessionWhileSending(cleanUp: CleanUp): Promise<void> {
  const { network, person } = await startSampleCompany(cleanUp);
  const admin = await person();
  await admin.signIn(DEMO_ADMIN, DEMO_PASSWORD);
  await admin.open('/admin/topics');
  await admin.see('1–10 of 12 topics');
  const topic = await firstTopic(admin);
  network.fault(
    'POST /api/admin/notifications/send-topic/',
    { status: 401, body: '{"error":"Sign in again."}' },
    1,
  );
  await admin.press(`Send notification to ${topic}`);
  await admin.fill('Message', 'Crews to Mill Bridge.');
  await admin.press('Send');
  await admin.see('Your session has ended. Sign in to continue.');
  equal(address(admin), '/login?next=%2Fadmin%2Ftopics');
  await admin.logIn(DEMO_ADMIN, DEMO_PASSWORD);
  await at(admin, '/admin/topics');
  await admin.press(`Send notification to ${topic}`);
  equal(
    await admin.page.$eval('dialog textarea', (field) => field.value),
    'Crews to Mill Bridge.',
    'typed text is still there',
  );
  await admin.press('Send');
  await admin.see('Sent. ');
}

/** Runs in each page before the app: notes whether any protected part was in the document. */
function watchForFlash(): void {
  new MutationObserver(() => {
    if (document.querySelector('header.top')) sessionStorage.setItem('flashed', 'yes');
  }).observe(document, { subtree: true, childList: true });
}

async function startWithBadTokens(cleanUp: CleanUp): Promise<void> {
  const { network, person } = await startSampleCompany(cleanUp);
  const visitor = await person((page) => page.evaluateOnNewDocument(watchForFlash));
  const claims = { id: 1, username: 'x', role: 'ADMIN', type: 'access', exp: 1_700_000_000 };
  const token = (payload: object) =>
    btoa(
      ['{"alg":"HS256"}', JSON.stringify(payload), 'signature']
        .map((part) => Buffer.from(part).toString('base64url'))
        .join('.'),
    );
  const stored = {
    expired: token(claims),
    'of another type': token({ ...claims, exp: 9e9, type: 'refresh' }),
    empty: '',
    null: 'null',
    'no base64': '%%%',
    'a megabyte': 'A'.repeat(2 ** 20),
  };
  await visitor.open('/login');
  for (const [kind, text] of Object.entries(stored)) {
    await visitor.page.evaluate((value) => localStorage.setItem('jwt_token', value), text);
    await visitor.open('/admin/topics');
    await visitor.seeControl('button', 'Sign in');
    equal(address(visitor), '/login?next=%2Fadmin%2Ftopics', kind);
    equal(
      await visitor.page.evaluate(() => localStorage.getItem('jwt_token') || null),
      null,
      `the token that is ${kind} is discarded`,
    );
    equal(
      await visitor.page.evaluate(() => sessionStorage.getItem('flashed')),
      null,
      `nothing protected flashes with a token that is ${kind}`,
    );
  }
  equal(network.countRequests('GET /api/'), 0, 'no request either');
  await visitor.logIn(DEMO_ADMIN, DEMO_PASSWORD);
  // A protected screen would have been noticed.
  await visitor.page.waitForFunction(() => sessionStorage.getItem('flashed'));
}

async function editRoleInToken(cleanUp: CleanUp): Promise<void> {
  const { network, person } = await startSampleCompany(cleanUp);
  const technician = await person();
  await technician.signIn(TECHNICIAN, DEMO_PASSWORD);
  const createAdmin = () =>
    technician.page.evaluate(() => {
      const [head, payload = '', signature] = atob(localStorage.getItem('jwt_token') ?? '').split(
        '.',
      );
      const claims = JSON.parse(atob(payload.replace(/-/g, '+').replace(/_/g, '/'))) as object;
      localStorage.setItem(
        'jwt_token',
        btoa(
          [
            head,
            btoa(JSON.stringify({ ...claims, role: 'ADMIN' })).replace(/=/g, ''),
            signature,
          ].join('.'),
        ),
      );
    });
  await createAdmin();
  // Stands for a backend that looks up the role without the signature, and rejects.
  network.fault('GET /api/admin/', { status: 403, body: '{}' });
  for (const [path, sentence] of [
    ['topics', TOPICS_FAILED],
    ['users', USERS_FAILED],
    ['users/1/subscriptions', 'Failed to fetch user data.'],
  ] as const) {
    await technician.open(`/admin/${path}`);
    await technician.see(sentence);
  }
  // Ours rejects the signature.
  network.clearFaults();
  await technician.press('Retry');
  await technician.see('Your session has ended. Sign in to continue.');
}

async function useWrongClock(days: number, cleanUp: CleanUp): Promise<void> {
  const { person } = await startSampleCompany(cleanUp);
  const shift = (milliseconds: number) => {
    const { now } = Date;
    // biome-ignore lint/suspicious/noGlobalAssign: a wrong clock is what the story is about
    Date = class extends Date {
      constructor(...originalArguments: unknown[]) {
        super(...((originalArguments.length ? originalArguments : [now() + milliseconds]) as []));
      }
      static override now = () => now() + milliseconds;
    } as DateConstructor;
  };
  const technician = await person((page) => page.evaluateOnNewDocument(shift, days * 86_400_000));
  let navigations = 0;
  technician.page.on('framenavigated', () => navigations++);
  await technician.signIn(TECHNICIAN, DEMO_PASSWORD);
  await technician.see('Your subscribed topics');
  await technician.reload();
  await technician.see('Your subscribed topics');
  equal(address(technician), '/');
  ok(navigations < 6, `${navigations} navigations`);
}

/** Maximum time until a sign-out reaches the other tabs (A17). */
const ELSEWHERE_MS = 1000;

async function signOutInTwoTabs(cleanUp: CleanUp): Promise<void> {
  const { network, person } = await startSampleCompany(cleanUp);
  const firstPerson = await person();
  await firstPerson.signIn(DEMO_ADMIN, DEMO_PASSWORD);
  // A worker that takes over keeps pages out of the back/forward cache.
  await firstPerson.page.waitForFunction(() => navigator.serviceWorker.controller);
  const secondPage = await firstPerson.page.browserContext().newPage();
  await secondPage.goto(`${network.address}/admin/users`);
  await secondPage.waitForSelector('tbody tr');
  const thirdPage = await firstPerson.page.browserContext().newPage();
  await thirdPage.goto(`${network.address}/admin/users`);
  await thirdPage.waitForSelector('tbody tr');
  await thirdPage.evaluate(() => {
    addEventListener('pageshow', ({ persisted }) => {
      (window as unknown as { woke: object }).woke = { persisted };
    });
  });
  // A page with open requests is not kept.
  await thirdPage.waitForNetworkIdle();
  await thirdPage.waitForFunction(async () => {
    const { held = [], pending = [] } = await navigator.locks.query();
    return pending.length === 0 && held.every(({ mode }) => mode === 'shared');
  });
  await thirdPage.goto('about:blank');

  await firstPerson.press('Logout');
  await firstPerson.seeControl('button', 'Sign in');
  const startedAt = performance.now();
  await secondPage.bringToFront();
  await secondPage.waitForFunction(
    () => location.pathname === '/login' && !document.body.innerText.includes('Logged in as'),
    { timeout: MAX_WAIT_MS },
  );
  const took = performance.now() - startedAt;
  printInStory(`  signed out in the other tab after ${took.toFixed()} ms`);
  ok(took <= (await limitOnThisMachine(ELSEWHERE_MS, secondPage)), `${took} ms`);

  await thirdPage.bringToFront();
  await thirdPage.goBack();
  await thirdPage.waitForFunction(
    () =>
      location.pathname === '/login' &&
      document.querySelector('button[type="submit"]') &&
      !document.querySelector('tbody'),
  );
  const { woke, why } = await thirdPage.evaluate(() => ({
    woke: (window as unknown as { woke?: { persisted: boolean } }).woke?.persisted,
    why: JSON.stringify(
      (performance.getEntriesByType('navigation')[0] as unknown as { notRestoredReasons: unknown })
        .notRestoredReasons,
    ),
  }));
  equal(woke, true, `Back restored the page as it was, except ${why}`);
}

export const sessionFaultStories: Story[] = [
  {
    name: 'returns to the unsent message when the session ends while sending',
    run: endSessionWhileSending,
  },
  {
    name: 'shows only the login for an expired or invalid token',
    run: startWithBadTokens,
  },
  { name: 'opens nothing with a role edited into the token', run: editRoleInToken },
  {
    name: 'works on a phone whose clock is two days ahead',
    run: (cleanUp) => useWrongClock(2, cleanUp),
  },
  {
    name: 'works on a phone whose clock is two days behind',
    run: (cleanUp) => useWrongClock(-2, cleanUp),
  },
  {
    name: 'signs out all tabs within a second, also tabs that Back restores',
    measures: true,
    run: signOutInTwoTabs,
  },
];
