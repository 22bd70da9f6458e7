import { deepEqual, equal, ok } from 'node:assert/strict';
import { DEMO_ADMIN, DEMO_PASSWORD } from '../../../../server/demo/sample';
import { sessionFaultStories } from './faults-session.test';
import { MAX_WAIT_MS } from '../../parts/control';
import type { CleanUp, Story } from '../../parts/harness';
import { sidewaysOverflow } from '../../tour/inspections';
import type { Person } from '../../parts/person';
import {
  firstTopic,
  startSampleCompany,
  TECHNICIAN,
  TOPICS_FAILED,
  USERS_FAILED,
} from '../../parts/sample-company';

const CAPTIVE_PORTAL_PAGE =
  '<!DOCTYPE html><title>Hotel</title><h1 id="hotel">Welcome to the hotel</h1>';

const ENDLESS = {
  'a word of 10,000 characters': 'x'.repeat(10_000),
  'as many from right to left, with zero-width ones between them': `\u202E${'ש\u200D\u2060'.repeat(3_333)}`,
};

const rows = (person: Person): Promise<number> =>
  person.page.$$eval('tbody tr', (tableRows) => tableRows.length);

async function useBadNetwork(cleanUp: CleanUp): Promise<void> {
  const { network, person } = await startSampleCompany(cleanUp);
  const admin = await person();
  await admin.signIn(DEMO_ADMIN, DEMO_PASSWORD);
  await admin.follow('Topics');
  await admin.see('1–10 of 12 topics');

  network.fault('GET /api/admin/topics', 'cut');
  await admin.press('Next');
  await admin.see(TOPICS_FAILED);
  equal(await rows(admin), 10, 'the old rows stay');
  network.clearFaults();
  await admin.press('Retry');
  await admin.see('11–12 of 12 topics');

  const replies = [
    { status: 200, body: CAPTIVE_PORTAL_PAGE },
    { status: 500, body: CAPTIVE_PORTAL_PAGE },
    { status: 200, body: '{"users":[{"id":1,"usern' },
    { status: 200, body: '{"users":[{"id":"1"}],"total":1,"page":1,"limit":10}' },
    { status: 200, body: 'null' },
    { status: 204, body: '' },
  ];
  network.fault('GET /api/admin/users', replies[0]!);
  await admin.follow('Users');
  for (const reply of replies) {
    network.clearFaults();
    network.fault('GET /api/admin/users', reply);
    const responded = admin.page.waitForResponse((response) =>
      response.url().includes('/api/admin/users'),
    );
    await admin.press('Retry');
    await responded;
    await admin.see(USERS_FAILED);
    equal(await admin.page.$('#hotel'), null, 'markup stays outside');
  }
  network.clearFaults();
  network.fault('GET /api/admin/users', { status: 503, body: CAPTIVE_PORTAL_PAGE }, 2);
  await admin.press('Retry');
  await admin.see('1–10 of');
  equal(
    await admin.page.$('[role="alert"]:not(:empty)'),
    null,
    'a briefly busy server needs no notice',
  );

  network.fault(
    'GET /api/admin/topics',
    { status: 429, body: '', headers: { 'Retry-After': '2' } },
    1,
  );
  await admin.follow('Topics');
  await admin.see(`${TOPICS_FAILED} Wait 2 seconds. We’ll try again automatically.`);
  await admin.see('1–10 of 12 topics');

  network.fault('POST /api/admin/topics', { status: 503, body: CAPTIVE_PORTAL_PAGE });
  await admin.press('Add Topic');
  await admin.fill('Title', 'Feeder 12');
  await admin.fill('Description', 'Its own channel');
  await admin.press('Add Topic');
  await admin.see('Failed to add topic.');
  equal(
    network.countRequests('POST /api/admin/topics'),
    1,
    'changes are never sent twice silently',
  );
  network.clearFaults();
  await admin.press('Add Topic');
  await admin.see('Topic added.');
}

/** Another backend may allow what ours rejects. */
async function showEndlessTexts(cleanUp: CleanUp): Promise<void> {
  const { network, person } = await startSampleCompany(cleanUp);
  const admin = await person();
  const createdAt = '2026-11-21T09:30:00.000Z';
  const look = async (place: string) => deepEqual(await sidewaysOverflow(admin.page), [], place);
  const reply = (call: string, body: unknown) =>
    network.fault(call, {
      status: 200,
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json' },
    });
  await admin.signIn(DEMO_ADMIN, DEMO_PASSWORD);
  await admin.page.setViewport({ width: 320, height: 800, hasTouch: true, isMobile: true });
  for (const [kind, text] of Object.entries(ENDLESS)) {
    const topic = { id: 1, title: text, description: text, createdAt, updatedAt: createdAt };
    const user = {
      id: 2,
      username: text,
      email: `${text}@northgrid.example`,
      role: 'TECHNICIAN',
      status: 'PENDING',
      registrationToken: 't',
      createdAt,
    };
    const page = { total: 1, page: 1, limit: 10 };
    reply('GET /api/admin/topics', { topics: [topic], ...page });
    reply('GET /api/admin/topics/1/subscribers', [
      { id: 1, createdAt, user, notificationStatus: 'partial', enabledDevices: 1, totalDevices: 2 },
    ]);
    reply('GET /api/admin/users', { users: [user], ...page });
    reply('GET /api/admin/users/2', user);
    reply('GET /api/admin/users/2/subscriptions', [{ id: 1, createdAt, topic }]);
    reply('GET /api/admin/users/2/available-topics', [topic]);
    reply('GET /api/notifications/my-subscriptions', [{ id: 1, createdAt, topic }]);
    await admin.open('/admin/topics');
    for (const row of ['Subscribers of', 'Send notification to', 'Edit', 'Delete']) {
      await admin.see('1–1 of 1 topic');
      await look(`topics with ${kind}`);
      await admin.page.$eval(`main [aria-label^="${row}"]`, (action) =>
        action.closest('details')?.setAttribute('open', ''),
      );
      await admin.page.locator(`main [aria-label^="${row}"]`).click();
      await admin.page.waitForSelector('dialog[open]');
      await look(`${row} ${kind}`);
      await admin.page.keyboard.press('Escape');
      await admin.page.waitForSelector('dialog[open]', { hidden: true });
    }
    for (const [path, seen] of [
      ['/admin/users', '1–1 of 1 user'],
      ['/admin/users/2/subscriptions', 'Available Topics (1)'],
      ['/subscriptions', 'Your subscribed topics (1)'],
    ] as const) {
      await admin.open(path);
      await admin.see(seen);
      await look(`${path} with ${kind}`);
    }
  }
}

async function waitForSilentServer(cleanUp: CleanUp): Promise<void> {
  const { network, person } = await startSampleCompany(cleanUp);
  const [hanging, trickling] = [await person(), await person()];
  for (const admin of [hanging, trickling]) await admin.signIn(DEMO_ADMIN, DEMO_PASSWORD);
  network.fault('GET /api/admin/topics', 'hang');
  network.fault('GET /api/admin/users', 'trickle');
  const startedAt = performance.now();
  await hanging.follow('Topics');
  await trickling.follow('Users');
  const gaveUp = async (admin: Person, sentence: string): Promise<void> => {
    await admin.page.waitForFunction(
      (text) => document.body.innerText.includes(text),
      { timeout: MAX_WAIT_MS, polling: 100 },
      sentence,
    );
    const seconds = (performance.now() - startedAt) / 1000;
    // Ten seconds, plus the load of other stories.
    ok(seconds > 9.5 && seconds < 20, `given up after ${seconds} s`);
  };
  await Promise.all([gaveUp(hanging, TOPICS_FAILED), gaveUp(trickling, USERS_FAILED)]);
  network.clearFaults();
  await hanging.press('Retry');
  await hanging.see('1–10 of 12 topics');
}

async function loseResponseOfSend(cleanUp: CleanUp): Promise<void> {
  const { network, person } = await startSampleCompany(cleanUp);
  const admin = await person();
  await admin.signIn(DEMO_ADMIN, DEMO_PASSWORD);
  await admin.open('/admin/topics');
  await admin.see('1–10 of 12 topics');
  const before = await sentMessages(admin);

  // Each time, as browsers resend once when a reused connection is cut.
  network.fault('POST /api/admin/notifications/send-topic/', 'cut');
  const topic = await firstTopic(admin);
  await admin.press(`Send notification to ${topic}`);
  await admin.fill('Message', 'Feeder 12 is dead.');
  await admin.press('Send');
  await admin.see(
    'Failed to send notification. We don’t know whether the message was sent. You can press Send again. If you don’t change it, people are notified only once.',
  );
  equal(await sentMessages(admin), before + 1, 'it had arrived');
  network.clearFaults();
  await admin.press('Send');
  await admin.see('Sent. ');
  equal(await sentMessages(admin), before + 1, 'and arrived once');
}

const sentMessages = (admin: Person): Promise<number> =>
  admin.page.evaluate(async () => {
    const response = await fetch('/api/admin/messages', {
      headers: { Authorization: `Bearer ${atob(localStorage.getItem('jwt_token') ?? '')}` },
    });
    return ((await response.json()) as { total: number }).total;
  });

/** Positions of the switches, and whether the focused one is visible. */
const switchesOn = (person: Person): Promise<number[]> =>
  person.page.$$eval('[role="switch"]', (switches) =>
    switches.map((each) => each.getBoundingClientRect().top),
  );
const checkFocusIsVisible = (): string | undefined => {
  const active = document.activeElement!;
  const { left, top, width, height } = active.getBoundingClientRect();
  const over = document.elementFromPoint(left + width / 2, top + height / 2)?.closest('.edge');
  return active === document.body || over?.contains(active) ? undefined : over?.textContent;
};

async function checkNothingMoves(cleanUp: CleanUp): Promise<void> {
  const { network, person } = await startSampleCompany(cleanUp);
  const technician = await person();
  const { page } = technician;
  // This browser has no pushes, and reports it then.
  network.fault('GET /api/notifications/vapid-key', { late: 3000 }, 1);
  await technician.setPermission('granted');
  await technician.signIn(TECHNICIAN, DEMO_PASSWORD);
  await page.setViewport({ width: 360, height: 640 });
  await technician.see('Your subscribed topics');
  // New messages come above the switches once, later on a slow phone.
  await technician.see('New messages');
  const before = await switchesOn(technician);
  ok(before.length > 1);
  const still = async (what: string, at = before) =>
    deepEqual(await switchesOn(technician), at, `the switches stay where they are: ${what}`);
  ok(
    !(await page.evaluate(() => document.body.innerText.includes('Failed to initialize PWA'))),
    'time to look',
  );
  await technician.see('Failed to initialize PWA: ');
  await still('a device that cannot be registered');

  const comeBack = () => page.evaluate(() => dispatchEvent(new Event('online')));
  network.fault('GET /api/', { status: 500, body: CAPTIVE_PORTAL_PAGE });
  await comeBack();
  await technician.see('Failed to load subscriptions: ');
  await still('topics that cannot be read again');
  await page.setViewport({ width: 360, height: 320 }); // more than fit on the screen
  const reached = new Set<string>();
  for (let tabs = 0; tabs < 20; tabs++) {
    await page.keyboard.press('Tab');
    reached.add(await page.evaluate(() => document.activeElement?.role ?? ''));
    equal(await page.evaluate(checkFocusIsVisible), undefined, 'a note covers the focused element');
  }
  ok(reached.has('switch'));
  await page.setViewport({ width: 360, height: 640 });
  await page.evaluate(() => scrollTo(0, 0));
  const fromTop = await switchesOn(technician);
  network.clearFaults();
  network.fault('GET /api/', 'cut');
  await comeBack();
  await technician.see('Offline. Shown as of');
  await still('no network', fromTop);
}

export const faultStories: Story[] = [
  {
    name: 'recovers from lost, garbled, rejected and late responses',
    run: useBadNetwork,
  },
  {
    name: 'does not scroll sideways on a phone when texts exceed our limits',
    run: showEndlessTexts,
  },
  {
    name: 'gives up after ten seconds on a server that never responds or never finishes',
    run: waitForSilentServer,
  },
  {
    name: 'resends a message after a lost response without notifying anyone twice',
    run: loseResponseOfSend,
  },
  {
    name: 'keeps switches in place when updates arrive',
    run: checkNothingMoves,
  },
  ...sessionFaultStories,
];
