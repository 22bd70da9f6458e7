/** Networks, sessions and browsers as bad as they get: afterwards the app works without a reload by hand, and said why. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { DEMO_ADMIN } from '../../server/demo/sample';
import type { CleanUp, Story } from './harness';
import type { Person } from './person';
import { logIn, setScene, signIn, TECHNICIAN } from './scene';

const HOTEL = '<!DOCTYPE html><title>Hotel</title><h1 id="hotel">Welcome to the hotel</h1>';
const TOPICS_FAILED = 'Failed to fetch topics. You might not have the required permissions.';
const USERS_FAILED = 'Failed to fetch users. You might not have the required permissions.';

const address = (person: Person): string => person.page.url().replace(person.origin, '');
const rows = (person: Person): Promise<number> => person.page.$$eval('tbody tr', (all) => all.length);
const at = (person: Person, place: string) => person.page.waitForFunction((wanted) => location.pathname + location.search === wanted, {}, place);

async function badNetwork(cleanUp: CleanUp): Promise<void> {
  const { network, person } = await setScene(cleanUp);
  const admin = await person();
  const errors: unknown[] = [];
  admin.page.on('pageerror', (error) => errors.push(error));
  await signIn(admin, DEMO_ADMIN);
  await admin.follow('Topics');
  await admin.see('1–10 of 12 topics');

  network.fault('GET /api/admin/topics', 'cut');
  await admin.press('Next');
  await admin.see(TOPICS_FAILED);
  equal(await rows(admin), 10, 'the old rows stay');
  network.heal();
  await admin.press('Retry');
  await admin.see('11–12 of 12 topics');

  const answers = [
    { status: 200, body: HOTEL },
    { status: 500, body: HOTEL },
    { status: 200, body: '{"users":[{"id":1,"usern' },
    { status: 200, body: '{"users":[{"id":"1"}],"total":1,"page":1,"limit":10}' },
    { status: 200, body: 'null' },
    { status: 204, body: '' },
  ];
  network.fault('GET /api/admin/users', answers[0]!);
  await admin.follow('Users');
  for (const answer of answers) {
    network.heal();
    network.fault('GET /api/admin/users', answer);
    const answered = admin.page.waitForResponse((response) => response.url().includes('/api/admin/users'));
    await admin.press('Retry');
    await answered;
    await admin.see(USERS_FAILED);
    equal(await admin.page.$('#hotel'), null, 'markup stays outside');
  }
  network.heal();
  network.fault('GET /api/admin/users', { status: 503, body: HOTEL }, 2);
  await admin.press('Retry');
  await admin.see('1–10 of');
  equal(await admin.page.$('[role="alert"]:not(:empty)'), null, 'a server that is busy for a moment is not worth a word');

  network.fault('GET /api/admin/topics', { status: 429, body: '', headers: { 'Retry-After': '2' } }, 1);
  await admin.follow('Topics');
  await admin.see(`${TOPICS_FAILED} Wait 2 seconds. It is then tried again by itself.`);
  await admin.see('1–10 of 12 topics');

  network.fault('POST /api/admin/topics', { status: 503, body: HOTEL });
  await admin.press('Add Topic');
  await admin.fill('Title', 'Feeder 12');
  await admin.fill('Description', 'Its own channel');
  await admin.press('Add Topic');
  await admin.see('Failed to add topic.');
  equal(network.count('POST /api/admin/topics'), 1, 'what changes something is never sent twice silently');
  network.heal();
  await admin.press('Add Topic');
  await admin.see('Topic added.');
  deepEqual(errors, []);
}

async function silentServer(cleanUp: CleanUp): Promise<void> {
  const { network, person } = await setScene(cleanUp);
  const [hanging, trickling] = [await person(), await person()];
  for (const admin of [hanging, trickling]) await signIn(admin, DEMO_ADMIN);
  network.fault('GET /api/admin/topics', 'hang');
  network.fault('GET /api/admin/users', 'trickle');
  const started = performance.now();
  await hanging.follow('Topics');
  await trickling.follow('Users');
  const gaveUp = async (admin: Person, sentence: string): Promise<void> => {
    await admin.page.waitForFunction((text) => document.body.innerText.includes(text), { timeout: 15_000, polling: 100 }, sentence);
    const seconds = (performance.now() - started) / 1000;
    ok(seconds > 9.5 && seconds < 13, `given up after ${seconds} s`);
  };
  await Promise.all([gaveUp(hanging, TOPICS_FAILED), gaveUp(trickling, USERS_FAILED)]);
  network.heal();
  await hanging.press('Retry');
  await hanging.see('1–10 of 12 topics');
}

async function lostSend(cleanUp: CleanUp): Promise<void> {
  const { network, person } = await setScene(cleanUp);
  const admin = await person();
  await signIn(admin, DEMO_ADMIN);
  await admin.open('/admin/topics');
  await admin.see('1–10 of 12 topics');
  const before = await sentMessages(admin);

  // Each time: a browser sends again by itself, once, where a connection that it had kept open is cut.
  network.fault('POST /api/admin/notifications/send-topic/', 'cut');
  const [topic] = await admin.page.$$eval('tbody th', (cells) => cells.map((cell) => cell.textContent ?? ''));
  await admin.press(`Send notification to ${topic}`);
  await admin.fill('Message', 'Feeder 12 is dead.');
  await admin.press('Send');
  await admin.see('Failed to send notification. It is not known whether it was sent. You can press Send again: nobody is notified twice.');
  equal(await sentMessages(admin), before + 1, 'it had arrived');
  network.heal();
  await admin.press('Send');
  await admin.see('Notification sent to');
  equal(await sentMessages(admin), before + 1, 'and arrived once');
}

/** How many messages the server says were sent. */
const sentMessages = (admin: Person): Promise<number> =>
  admin.page.evaluate(async () => {
    const answer = await fetch('/api/admin/messages', { headers: { Authorization: `Bearer ${atob(localStorage.getItem('jwt_token') ?? '')}` } });
    return ((await answer.json()) as { total: number }).total;
  });

async function endedInMidAction(cleanUp: CleanUp): Promise<void> {
  const { network, person } = await setScene(cleanUp);
  const admin = await person();
  await signIn(admin, DEMO_ADMIN);
  await admin.open('/admin/topics');
  await admin.see('1–10 of 12 topics');
  const [topic] = await admin.page.$$eval('tbody th', (cells) => cells.map((cell) => cell.textContent ?? ''));
  network.fault('POST /api/admin/notifications/send-topic/', { status: 401, body: '{"error":"Log in again."}' }, 1);
  await admin.press(`Send notification to ${topic}`);
  await admin.fill('Message', 'Crews to Mill Bridge.');
  await admin.press('Send');
  await admin.see('Your session has ended. Log in to go on.');
  equal(address(admin), '/login?next=%2Fadmin%2Ftopics');
  await logIn(admin, DEMO_ADMIN);
  await at(admin, '/admin/topics');
  await admin.press(`Send notification to ${topic}`);
  equal(await admin.page.$eval('dialog textarea', (field) => field.value), 'Crews to Mill Bridge.', 'what was typed is still there');
  await admin.press('Send');
  await admin.see('Notification sent to');
}

/** Runs in each page before the app: notes whether anything of the signed-in part was ever in the document. */
function watchForFlash(): void {
  new MutationObserver(() => {
    if (document.querySelector('header.top')) sessionStorage.setItem('flashed', 'yes');
  }).observe(document, { subtree: true, childList: true });
}

async function badTokens(cleanUp: CleanUp): Promise<void> {
  const { network, person } = await setScene(cleanUp);
  const visitor = await person((page) => page.evaluateOnNewDocument(watchForFlash));
  const claims = { id: 1, username: 'x', role: 'ADMIN', type: 'access', exp: 1_700_000_000 };
  const token = (payload: object) => btoa(['{"alg":"HS256"}', JSON.stringify(payload), 'signature'].map((part) => Buffer.from(part).toString('base64url')).join('.'));
  const stored = { expired: token(claims), 'of another type': token({ ...claims, exp: 9e9, type: 'refresh' }), empty: '', null: 'null', 'no base64': '%%%', 'a megabyte': 'A'.repeat(2 ** 20) };
  await visitor.open('/login');
  for (const [kind, text] of Object.entries(stored)) {
    await visitor.page.evaluate((value) => localStorage.setItem('jwt_token', value), text);
    await visitor.open('/admin/topics');
    await visitor.seeControl('button', 'Log in');
    equal(address(visitor), '/login?next=%2Fadmin%2Ftopics', kind);
    equal(await visitor.page.evaluate(() => localStorage.getItem('jwt_token') || null), null, `the token that is ${kind} is discarded`);
    equal(await visitor.page.evaluate(() => sessionStorage.getItem('flashed')), null, `nothing protected flashes with a token that is ${kind}`);
  }
  equal(network.count('GET /api/'), 0, 'nothing is asked for either');
}

async function editedRole(cleanUp: CleanUp): Promise<void> {
  const { network, person } = await setScene(cleanUp);
  const technician = await person();
  await signIn(technician, TECHNICIAN);
  const makeAdmin = () =>
    technician.page.evaluate(() => {
      const [head, payload = '', signature] = atob(localStorage.getItem('jwt_token') ?? '').split('.');
      const claims = JSON.parse(atob(payload.replace(/-/g, '+').replace(/_/g, '/'))) as object;
      localStorage.setItem('jwt_token', btoa([head, btoa(JSON.stringify({ ...claims, role: 'ADMIN' })).replace(/=/g, ''), signature].join('.')));
    });
  await makeAdmin();
  // A backend that looks the role up, and not at the signature, refuses each call.
  network.fault('GET /api/admin/', { status: 403, body: '{}' });
  for (const [path, sentence] of [['topics', TOPICS_FAILED], ['users', USERS_FAILED], ['users/1/subscriptions', 'Failed to fetch user data.']] as const) {
    await technician.open(`/admin/${path}`);
    await technician.see(sentence);
  }
  // Ours sees that nobody signed this.
  network.heal();
  await technician.press('Retry');
  await technician.see('Your session has ended. Log in to go on.');
}

async function wrongClock(days: number, cleanUp: CleanUp): Promise<void> {
  const { person } = await setScene(cleanUp);
  const shift = (milliseconds: number) => {
    const { now } = Date;
    Date = class extends Date {
      constructor(...given: unknown[]) {
        super(...((given.length ? given : [now() + milliseconds]) as []));
      }
      static override now = () => now() + milliseconds;
    } as DateConstructor;
  };
  const technician = await person((page) => page.evaluateOnNewDocument(shift, days * 86_400_000));
  let navigations = 0;
  technician.page.on('framenavigated', () => navigations++);
  await signIn(technician, TECHNICIAN);
  await technician.see('Your subscribed topics');
  await technician.reload();
  await technician.see('Your subscribed topics');
  equal(address(technician), '/');
  ok(navigations < 6, `${navigations} navigations`);
}

async function twoTabs(cleanUp: CleanUp): Promise<void> {
  const { network, person } = await setScene(cleanUp);
  const first = await person();
  await signIn(first, DEMO_ADMIN);
  const second = await first.page.browserContext().newPage();
  await second.goto(`${network.address}/admin/users`);
  await second.waitForSelector('tbody tr');
  // A third page sleeps where Back leads, as it was left.
  const third = await first.page.browserContext().newPage();
  await third.goto(`${network.address}/admin/users`);
  await third.waitForSelector('tbody tr');
  await third.evaluate(() => {
    addEventListener('pageshow', ({ persisted }) => {
      (window as unknown as { woke: object }).woke = { persisted };
    });
  });
  await third.goto('about:blank');

  await first.press('Logout');
  await first.seeControl('button', 'Log in');
  const started = performance.now();
  await second.bringToFront();
  await second.waitForFunction(() => location.pathname === '/login' && !document.body.innerText.includes('Logged in as'), { timeout: 1000 });
  ok(performance.now() - started < 1000);

  await third.bringToFront();
  await third.goBack();
  await third.waitForFunction(() => location.pathname === '/login' && document.querySelector('button[type="submit"]') && !document.querySelector('tbody'));
  equal(await third.evaluate(() => (window as unknown as { woke?: { persisted: boolean } }).woke?.persisted), true, 'the page came back as it was left');
}

export const stories: Story[] = [
  { name: 'answers that are lost, garbled, refused or postponed are said, and Retry or time brings them', run: badNetwork },
  { name: 'a server that never answers, or never ends its answer, is given up after ten seconds', run: silentServer },
  { name: 'a message whose answer was lost is sent again without reaching anybody twice', run: lostSend },
  { name: 'a session that ends while a message is sent leads to the login and back, and the message is still there', run: endedInMidAction },
  { name: 'a token that is expired or no token at all shows the login, and nothing else for a moment', run: badTokens },
  { name: 'a role edited into the token opens nothing', run: editedRole },
  { name: 'a phone whose clock is two days ahead can be used', run: (cleanUp) => wrongClock(2, cleanUp) },
  { name: 'a phone whose clock is two days behind can be used', run: (cleanUp) => wrongClock(-2, cleanUp) },
  { name: 'logging out in one tab logs out the others within a second, those included that Back brings back', run: twoTabs },
];
