import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { call } from '../../src/api/call';
import type { ApiError } from '../../src/api/error';
import { App, redirectSignedOut } from '../../src/app';
import { pathInApp, currentPath, replacePath } from '../../src/platform/location';
import { registerIfAllowed } from '../../src/state/device/registration';
import { isSignedIn, signIn, signOut } from '../../src/state/session';
import { sessionEndsSoon } from '../../src/state/session-ends-soon';
import '../../src/state/session-lifetime';
import { notify } from '../../src/ui/notices';
import {
  button,
  fakeApi,
  findButton,
  notices,
  pressElement,
  screen,
  screenSuite,
  showScreen,
  typeInto,
  waitFor,
} from '../support/app/app';
import { shortPause } from '../support/eventually';
import {
  createTopic,
  createUser,
  sentPages,
  topicPages,
  userPages,
} from '../support/app/factories/people';
import { createOverview, createReachBoardPerson, reachPages } from '../support/app/factories/reach';
import { fakePush } from '../support/push-services/fake-push';
import { endSession, createToken, signInAs } from '../support/app/session';

const test = screenSuite('app');
let stopGuard: () => void;

test.before.each(() => {
  stopGuard = redirectSignedOut();
  fakePush.install('default');
  fakeApi.reply('GET /api/notifications/my-subscriptions', []);
  fakeApi.reply('GET /api/notifications/preferences', []);
  fakeApi.reply('GET /api/admin/topics', topicPages([createTopic(1)]));
  fakeApi.reply('GET /api/admin/messages', sentPages([]));
  fakeApi.reply('GET /api/admin/overview', createOverview());
  fakeApi.reject('GET /api/admin/check-ins', 404);
  fakeApi.reject('GET /api/admin/insights', 404);
  fakeApi.reply('GET /api/admin/reach', reachPages([createReachBoardPerson(1, 'silent')]));
  fakeApi.reply('GET /api/admin/users', userPages([createUser(1)]));
  fakeApi.reply('GET /api/admin/users/:id', createUser(1));
  fakeApi.reply('GET /api/admin/users/:id/subscriptions', []);
  fakeApi.reply('GET /api/admin/users/:id/available-topics', []);
  fakeApi.reply('GET /api/auth/verify-email/:token', { message: '' });
  fakeApi.reject('GET /api/auth/registration/:token', 404);
  fakeApi.reject('GET /api/auth/password-rules', 404);
});
test.after.each(endSession);
test.after.each(() => registerIfAllowed()); // else the shell's work goes on in the next test
test.after.each(() => stopGuard()); // other files' pages share this document

function startApp(address: string): void {
  history.replaceState(null, '', address);
  currentPath.value = location.pathname;
  showScreen(<App />, location.pathname + location.search);
}
const heading = (name: string) => screen.findByRole('heading', { level: 1, name });

for (const address of [
  '/',
  '/subscriptions',
  '/admin',
  '/admin/topics',
  '/admin/users',
  '/admin/users/7/subscriptions',
  '/nowhere',
  '/constructor',
  '/login/x',
  '/reset-password',
  '/verify-email/',
  '/request-password-reset/x',
  '/register/a/b',
]) {
  test(`sends a visitor from ${address} to /login`, async () => {
    startApp(address);
    await heading('Sign in to Fieldbell');
    assert.is(location.pathname, '/login');
  });
}

for (const [address, title] of [
  ['/register', 'Complete your registration'],
  ['/register/t-1', 'Complete your registration'],
  ['/request-password-reset', 'Reset your password'],
  ['/reset-password/t-1', 'Set a new password'],
  ['/verify-email/t-1', 'Verify your email'],
] as const) {
  test(`shows ${address} to visitors and to people who are signed in`, async () => {
    startApp(address);
    await heading(title);
    signInAs('TECHNICIAN');
    assert.is(location.pathname, address);
  });
}

for (const [address, title] of [
  ['/admin', 'Dashboard'],
  ['/admin/topics', 'Topics'],
  ['/admin/users', 'Users'],
  ['/admin/reach', 'Reach'],
  ['/admin/users/1/subscriptions', 'Manage Subscriptions'],
  ['/subscriptions', 'Topics & Notifications Settings'],
] as const) {
  test(`shows an administrator ${title} at ${address}`, async () => {
    signInAs('ADMIN');
    startApp(address);
    await heading(title);
    assert.is(location.pathname, address);
  });
}

for (const [role, address, place] of [
  ['ADMIN', '/', '/admin'],
  ['ADMIN', '/nowhere', '/admin'],
  ['ADMIN', '/verify-email', '/admin'],
  ['CUSTOMER', '/toString', '/'],
  ['ADMIN', '/login', '/admin'],
  ['TECHNICIAN', '/nowhere', '/'],
  ['TECHNICIAN', '/login', '/'],
  ['TECHNICIAN', '/admin', '/'],
  ['CUSTOMER', '/admin/users/7/subscriptions', '/'],
] as const) {
  test(`sends ${role} from ${address} to ${place}`, async () => {
    signInAs(role);
    startApp(address);
    await waitFor(() => assert.is(location.pathname, place));
  });
}

test('opens /admin after an administrator signs in', async () => {
  fakeApi.reply('POST /api/auth/login', {
    token: createToken({ role: 'ADMIN' }),
    user: createUser(1),
  });
  startApp('/login');
  typeInto(await screen.findByLabelText('Username'), 'ada');
  typeInto(screen.getByLabelText('Password'), 'bell-tower-9');
  pressElement(button('Sign in'));
  await heading('Dashboard');
  assert.is(location.pathname, '/admin');
});

test('opens / after anyone else signs in', async () => {
  fakeApi.reply('POST /api/auth/login', {
    token: createToken({ role: 'CUSTOMER' }),
    user: createUser(1),
  });
  startApp('/login');
  typeInto(await screen.findByLabelText('Username'), 'm.okafor');
  typeInto(screen.getByLabelText('Password'), 'bell-tower-9');
  pressElement(button('Sign in'));
  await heading('Topics & Notifications Settings');
  assert.is(location.pathname, '/');
});

test('returns a visitor to the requested page after sign-in', async () => {
  startApp('/admin/topics');
  await heading('Sign in to Fieldbell');
  signInAs('ADMIN');
  await heading('Topics');
  assert.is(location.pathname, '/admin/topics');
});

test('returns to the page when a person signs in again before the session ends', async () => {
  signInAs('ADMIN');
  startApp('/admin/topics');
  await heading('Topics');
  sessionEndsSoon.value = true;
  pressElement(await findButton('Sign in again'));
  await heading('Sign in to Fieldbell');
  await waitFor(() => assert.is(location.search, '?next=%2Fadmin%2Ftopics'));
  signInAs('ADMIN');
  await heading('Topics');
  assert.is(location.pathname, '/admin/topics');
});

test('returns to the page at the next sign-in when the server ends the session', async () => {
  signInAs('ADMIN');
  startApp('/admin/topics');
  await heading('Topics');
  fakeApi.reject('GET /api/admin/users', 401, 'Log in again.');
  pressElement(screen.getByRole('link', { name: 'Users' }));
  await heading('Sign in to Fieldbell');
  assert.is(location.search, '?next=%2Fadmin%2Fusers');
});

test('returns a visitor to the requested page after an earlier deliberate sign-out', async () => {
  signInAs('ADMIN');
  startApp('/admin/topics');
  await heading('Topics');
  await signOut();
  await heading('Sign in to Fieldbell');
  fakeApi.reply('POST /api/auth/login', {
    token: createToken({ role: 'ADMIN' }),
    user: createUser(1),
  });
  await signIn('ada', 'bell-tower-9');
  await heading('Dashboard');
  fakeApi.reject('GET /api/admin/users', 401, 'Log in again.');
  pressElement(screen.getAllByRole('link', { name: 'Users' })[0]);
  await heading('Sign in to Fieldbell');
  assert.is(location.search, '?next=%2Fadmin%2Fusers');
});

test('leads to the login once after five simultaneous rejections', async () => {
  signInAs('ADMIN');
  startApp('/admin/topics');
  await heading('Topics');
  fakeApi.reject('GET /api/notifications/devices', 401, 'Log in again.');
  const { replaceState } = history;
  const places: string[] = [];
  history.replaceState = (state, title, to) => {
    places.push(String(to));
    replaceState.call(history, state, title, to);
  };
  const calls = Array.from({ length: 5 }, () =>
    call('GET /api/notifications/devices', { fallback: '' }),
  );
  const outcomes = await Promise.allSettled(calls);
  history.replaceState = replaceState;
  assert.equal(
    outcomes.map(({ status }) => status),
    Array(5).fill('rejected'),
  );
  assert.equal(places, ['/login?next=%2Fadmin%2Ftopics']);
  await heading('Sign in to Fieldbell');
  assert.ok(screen.getByText('Your session has ended. Sign in to continue.'));
});

test('keeps a new session when a rejection of the previous one arrives', async () => {
  signInAs('ADMIN', { exp: Math.floor(Date.now() / 1000) + 1000 });
  fakeApi.reject('GET /api/notifications/devices', 401, 'Log in again.');
  const release = fakeApi.holdReplies('GET /api/notifications/devices');
  const late = call('GET /api/notifications/devices', { fallback: '' }).catch(
    (error: ApiError) => error.code,
  );
  signInAs('ADMIN');
  release();
  assert.is(await late, 'stale');
  assert.is(isSignedIn.value, true);
});

test('uses the stored token when Back restores a page, and shows nothing of the earlier session', async () => {
  signInAs('ADMIN', { username: 'ada.lindqvist' });
  startApp('/admin/topics');
  await screen.findByText('Topic 1');
  localStorage.setItem(
    'jwt_token',
    btoa(createToken({ role: 'TECHNICIAN', username: 'm.okafor' })),
  );
  window.dispatchEvent(new Event('pageshow'));
  await screen.findByText('m.okafor');
  await heading('Topics & Notifications Settings');
  assert.is(screen.queryByText('Topic 1'), null);
  localStorage.removeItem('jwt_token');
  window.dispatchEvent(new Event('pageshow'));
  await heading('Sign in to Fieldbell');
  assert.is(screen.queryByText('m.okafor'), null);
});

test('shows nothing of the previous person with the same role, not even while loading', async () => {
  fakeApi.reply('GET /api/notifications/my-subscriptions', [
    { id: 1, createdAt: '', topic: createTopic(1) },
  ]);
  signInAs('TECHNICIAN', { id: 7 });
  startApp('/');
  await screen.findByText('Topic 1');
  fakeApi.reply('GET /api/notifications/my-subscriptions', []);
  const release = fakeApi.holdReplies('GET /api/notifications/my-subscriptions');
  localStorage.setItem('jwt_token', btoa(createToken({ id: 8, username: 's.rahimi' })));
  window.dispatchEvent(new Event('pageshow'));
  await screen.findByText('s.rahimi');
  assert.is(screen.queryByText('Topic 1'), null);
  release();
  await screen.findByText(/^You are not subscribed to any topics yet/);
});

test('shows no failure or notice of an ended session to the next person', async () => {
  const SET = 'PUT /api/notifications/preferences/global/:topicId';
  fakeApi.reply('GET /api/notifications/my-subscriptions', [
    { id: 1, createdAt: '', topic: createTopic(1) },
  ]);
  fakeApi.reject(SET, 500);
  fakeApi.reject('GET /api/notifications/vapid-key', 500);
  fakeApi.reply('GET /api/notifications/devices', []); // where the chip is in time
  const release = fakeApi.holdReplies(SET);
  fakePush.install('granted');
  signInAs('TECHNICIAN', { id: 7 });
  startApp('/');
  pressElement(await screen.findByRole('switch', { name: 'Topic 1' }));
  await waitFor(() => assert.is(fakeApi.requestsTo(SET).length, 1));
  endSession();
  await heading('Sign in to Fieldbell');
  notify('Notifications are on for this device.');
  signInAs('TECHNICIAN', { id: 8, username: 's.rahimi' });
  await screen.findByText('s.rahimi');
  assert.is(notices().queryAllByText(/./).length, 0, 'from the first moment');
  release();
  await shortPause(); // waits for nothing to happen
  assert.is(notices().queryAllByText(/./).length, 0);
});

test('opens plain /login after a deliberate sign-out, and focuses the login heading', async () => {
  signInAs('ADMIN');
  startApp('/admin/topics');
  await heading('Topics');
  await signOut();
  const top = await heading('Sign in to Fieldbell');
  assert.is(location.pathname + location.search, '/login');
  await waitFor(() => assert.is(document.activeElement, top));
  assert.is(document.title, 'Sign in · Fieldbell');
});

const TO_NOWHERE = [
  '/.//x',
  '/.//evil.example/',
  '/a/..//x',
  '/%2e//x',
  '/%2E/%2e%2E//x',
  '/.\\/x',
  '/.\t//x',
  '/\n./\\x',
  '/x/../\\\\evil.example',
  '/.//',
];
for (const next of [
  ...TO_NOWHERE,
  '//evil.example',
  '/\\evil.example',
  'https://evil.example/',
  'javascript:alert(1)',
  '/login',
  '/login?next=/',
  '',
]) {
  test(`ignores next=${next} at sign-in`, async () => {
    startApp(`/login?next=${encodeURIComponent(next)}`);
    await heading('Sign in to Fieldbell');
    signInAs('TECHNICIAN');
    await waitFor(() => assert.is(location.href, 'https://bell.example/'));
  });
}

test('accepts only paths of the app as addresses', () => {
  assert.is(pathInApp('/admin/topics?page=2'), '/admin/topics?page=2');
  for (const to of [null, 'admin', '//evil.example/admin', '/\t/evil.example'])
    assert.is(pathInApp(to), null);
});

test('keeps every accepted address inside the app and unchanged by browsers', () => {
  const part = fc.constantFrom(
    '/',
    '/',
    '//',
    '.',
    '..',
    '%2e',
    '%2E',
    '%2f',
    '%5c',
    '\\',
    '\t',
    '\n',
    '\r',
    ' ',
    '?',
    '#',
    '@',
    ':',
    'x',
    'evil.example',
    'javascript:',
    'https:',
    '\ud800',
    'ü',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 9 }), (parts) => {
      const own = pathInApp(`/${parts.join('')}`);
      if (own === null) return;
      assert.is(new URL(own, 'https://bell.example').href, `https://bell.example${own}`);
    }),
    { numRuns: 2000 },
  );
  for (const to of TO_NOWHERE) assert.is(pathInApp(to), null, to);
});

test('passes an undecodable code in the path to the server as it is', async () => {
  startApp('/verify-email/%E0%A4%A');
  await screen.findByText('Email verified! You can now log in.');
  assert.is(fakeApi.requestsTo('GET /api/auth/verify-email/:token').length, 1);
});

test.after(() => replacePath('/'));

test.run();
