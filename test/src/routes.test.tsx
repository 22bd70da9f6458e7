import * as assert from 'uvu/assert';
import { App, redirectSignedOut } from '../../src/app';
import { currentPath, replacePath } from '../../src/platform/location';
import { adminRoutes } from '../../src/routes/admin';
import { auditorRoutes } from '../../src/routes/auditors';
import { login, publicRoutes } from '../../src/routes/public';
import { signedInRoutes } from '../../src/routes/signed-in';
import { applyRights } from '../../src/state/rights';
import { fakeApi, screen, screenSuite, showScreen, waitFor } from '../support/app/app';
import { fakeInbox, createMessage } from '../support/app/fake-inbox';
import { createOwnCheckIns } from '../support/app/factories/check-ins';
import { createAccount } from '../support/app/factories/own-account';
import { endSession, signInAs } from '../support/app/session';
import {
  createRecipient,
  createSentMessage,
  createTopic,
  createUser,
  recipientPages,
  sentPages,
  topicPages,
  userPages,
} from '../support/app/factories/people';
import { auditPages, createEntry } from '../support/app/factories/setup';
import { createOverview, createReachBoardPerson, reachPages } from '../support/app/factories/reach';
import { createTeam, memberPages } from '../support/app/factories/teams';
import { fakePush } from '../support/push-services/fake-push';

const test = screenSuite('routes');
const allRoutes = [...adminRoutes, ...signedInRoutes];
const patterns = allRoutes.map((route) => route.path);
const { append } = document.head;
let stopGuard: () => void;

test.before.each(() => {
  stopGuard = redirectSignedOut();
  fakePush.install('default');
  fakeInbox.install([createMessage(1, { id: '1', readAt: '2026-11-20T14:02:00.000Z' })]);
  fakeApi.reply('GET /api/notifications/my-subscriptions', []);
  fakeApi.reply('GET /api/notifications/preferences', []);
  fakeApi.reply('GET /api/notifications/devices', []);
  fakeApi.reply('GET /api/notifications/quiet-hours', {
    timeZone: 'UTC',
    rules: [],
    quietUntil: null,
    waiting: 0,
  });
  fakeApi.reply('GET /api/account', createAccount());
  fakeApi.reply('GET /api/check-ins', createOwnCheckIns());
  fakeApi.reply('GET /api/admin/check-ins', {
    ...{ checkIns: [], total: 0, page: 1, limit: 25 },
    counts: { running: 0, due: 0, missed: 0, help: 0, ended: 0 },
  });
  fakeApi.reply('GET /api/admin/check-ins/settings', {
    ...{ enabled: false, graceMinutes: 5, alarmTopicId: null, policyId: null, alarmTopic: null },
  });
  fakeApi.reply('GET /api/admin/topics', topicPages([createTopic(1)]));
  fakeApi.reply('GET /api/admin/topics/:id', createTopic(1));
  fakeApi.reply('GET /api/admin/topics/:id/teams', { teams: [] });
  fakeApi.reply('GET /api/admin/topics/:id/subscribers', []);
  fakeApi.reply('GET /api/admin/topics/:id/senders', { users: [], teams: [] });
  fakeApi.reply('GET /api/admin/teams/:id', createTeam(1));
  fakeApi.reply('GET /api/admin/teams/:id/members', memberPages([]));
  fakeApi.reply('GET /api/admin/messages', sentPages([]));
  fakeApi.reply('GET /api/admin/overview', createOverview());
  fakeApi.reject('GET /api/admin/check-ins', 404);
  fakeApi.reply('GET /api/admin/reach', reachPages([createReachBoardPerson(1, 'silent')]));
  fakeApi.reply('GET /api/admin/insights', {
    ...{ days: [], makes: [], medianSeconds: null, p95Seconds: null },
  });
  fakeApi.reply('GET /api/admin/messages/:id', createSentMessage('1'));
  fakeApi.reply('GET /api/admin/messages/:id/recipients', recipientPages([]));
  fakeApi.reject('GET /api/admin/messages/:id/escalation', 404);
  fakeApi.reply('GET /api/admin/users', userPages([createUser(1)]));
  fakeApi.reply('GET /api/admin/users/:id', createUser(1));
  fakeApi.reply('GET /api/admin/templates', { templates: [] });
  fakeApi.reply('GET /api/admin/policies', { policies: [] });
  fakeApi.reply('GET /api/admin/webhooks', { webhooks: [] });
  fakeApi.reply('GET /api/admin/audit', auditPages([createEntry(1)]));
  fakeApi.reply('GET /api/admin/users/:id/subscriptions', []);
  fakeApi.reply('GET /api/admin/users/:id/available-topics', []);
  fakeApi.reply('GET /api/auth/verify-email/:token', { message: '' });
  fakeApi.reject('GET /api/auth/registration/:token', 404);
  fakeApi.reject('GET /api/auth/password-rules', 404);
  // A document without a network never loads the signed-in part's style sheet.
  document.head.append = ((link: HTMLLinkElement) =>
    link.onload?.(new Event('load'))) as typeof document.head.append;
});
test.after.each(endSession);
test.after.each(() => {
  stopGuard(); // other files' pages share this document
  document.head.append = append;
});
test.after(() => replacePath('/'));

const examplePath = (pattern: string) =>
  pattern.replace(':page', 'import').replace(/:\w+\??/g, '1');

function startApp(address: string): void {
  history.replaceState(null, '', address);
  currentPath.value = location.pathname;
  showScreen(<App />, address);
}

async function heading(): Promise<string> {
  const [top, ...furtherElements] = await screen.findAllByRole('heading', { level: 1 });
  assert.equal(furtherElements, []);
  const name = top?.textContent ?? '';
  assert.ok(name);
  await waitFor(() => assert.match(document.title, / · Fieldbell$/));
  return name;
}

const currentLink = () =>
  screen.getByRole('navigation', { name: 'Main' }).querySelector('[aria-current="page"]')
    ?.textContent;
const navigationText = () => screen.getByRole('navigation', { name: 'Main' }).textContent;

/** What auditors may press or follow: links, filters, pages, copies and files. */
const READING = /^(\d.*|Copy .+|Download .+|Previous|Next|.+ days|Search .*|Filters.*)$/;

for (const { path: pattern, adminLabel: nav } of auditorRoutes)
  test(`shows an auditor ${pattern}, with nothing there that changes anything`, async () => {
    signInAs('TECHNICIAN');
    applyRights({ isAuditor: true });
    fakeApi.reply('GET /api/admin/messages', sentPages([createSentMessage('1')]));
    fakeApi.reply(
      'GET /api/admin/messages/:id/recipients',
      recipientPages([createRecipient(1, 'displayed')]),
    );
    startApp(examplePath(pattern));
    await heading();
    await waitFor(() => assert.is(currentLink(), nav));
    await waitFor(() => assert.not(document.querySelector('main .skeleton')));
    const pressedTexts = screen
      .queryAllByRole('button')
      .map((button) => button.getAttribute('aria-label') ?? button.textContent ?? '');
    assert.equal(
      pressedTexts.filter((name) => !READING.test(name)),
      ['Menu', 'Logout'],
    );
    assert.is(screen.queryByRole('link', { name: /^(New|Add|Edit|Send)/ }), null);
  });

test('leads an auditor home from the rest of administration', async () => {
  signInAs('TECHNICIAN');
  applyRights({ isAuditor: true });
  startApp('/admin/users');
  await waitFor(() => assert.is(location.pathname, '/'));
  assert.match(navigationText() ?? '', /MessagesReachInsightsAudit log/);
});

for (const [role, refused] of [
  ['ADMIN', 'user'],
  ['TECHNICIAN', 'admin'],
  ['CUSTOMER', 'admin'],
] as const) {
  const own = allRoutes
    .filter(({ access }) => access !== refused)
    .map((route) =>
      role === 'ADMIN' ? route : { ...route, adminLabel: route.userLabel ?? route.adminLabel },
    );
  const [home] = own.filter(({ access }) => access);

  for (const pattern of patterns) {
    const address = examplePath(pattern);
    const route = own.find(({ path: one }) => one === pattern);
    if (route)
      test(`shows ${role} a heading at ${pattern}, and marks its navigation entry`, async () => {
        signInAs(role);
        applyRights({ mayCheckIn: true });
        startApp(address);
        await heading();
        assert.is(location.pathname, address);
        assert.is(currentLink() ?? '', route.adminLabel);
      });
    else
      test(`sends ${role} home from ${pattern}`, async () => {
        signInAs(role);
        applyRights({ mayCheckIn: true });
        startApp(address);
        await waitFor(() => assert.is(location.pathname, home?.path));
        await heading();
        assert.is(currentLink(), home?.adminLabel);
      });
  }

  test(`lists each navigation entry of ${role} once, in table order`, async () => {
    signInAs(role);
    applyRights({ mayCheckIn: true });
    startApp('/');
    await heading();
    assert.is(navigationText(), [...new Set(own.map(({ adminLabel: nav }) => nav))].join(''));
  });
}

for (const pattern of patterns)
  test(`sends a visitor from ${pattern} to the login`, async () => {
    startApp(examplePath(pattern));
    await screen.findByRole('heading', { level: 1, name: 'Sign in to Fieldbell' });
    assert.is(location.pathname, login.path);
  });

for (const route of publicRoutes)
  test(`shows ${route.path} with its heading to a visitor`, async () => {
    startApp(examplePath(route.path));
    assert.is.not(await heading(), 'Sign in to Fieldbell');
    assert.is(location.pathname, examplePath(route.path));
  });

test('keeps exactly the administrator’s routes below /admin', () => {
  for (const route of allRoutes)
    assert.is(/^\/admin(\/|$)/.test(route.path), route.access === 'admin', route.path);
});

test.run();
