import * as assert from 'uvu/assert';
import { SignedInRoutes } from '../../../support/app/signed-in';
import { hasNewVersion } from '../../../../src/state/app-version';
import { installation } from '../../../../src/platform/install/install';
import { isInstallDismissed } from '../../../../src/state/device/install-dismissal';
import { applyRights } from '../../../../src/state/rights';
import { sessionEndsSoon } from '../../../../src/state/session-ends-soon';
import '../../../../src/state/session-lifetime';
import { topicsShownAsOf } from '../../../../src/state/subscriptions/load-topics';
import { createFormats } from '../../../../src/ui/values/create-formats';
import {
  button,
  cleanup,
  clock,
  dialog,
  fakeApi,
  findButton,
  findNoDialog,
  fireEvent,
  notices,
  pressElement,
  pressInDialog,
  screen,
  screenSuite,
  showScreen,
  waitFor,
} from '../../../support/app/app';
import {
  createTopic,
  createUser,
  sentPages,
  topicPages,
  userPages,
} from '../../../support/app/factories/people';
import { createCheckIn, createOwnCheckIns } from '../../../support/app/factories/check-ins';
import { createOverview } from '../../../support/app/factories/reach';
import { fakePush } from '../../../support/push-services/fake-push';
import { endSession, signInAs } from '../../../support/app/session';
import { isStorageWorking, isSignedIn } from '../../../../src/state/session';

const test = screenSuite('shell');

test.before.each(() => {
  fakePush.install('default');
  fakeApi.reply('GET /api/notifications/my-subscriptions', []);
  fakeApi.reply('GET /api/notifications/preferences', []);
  fakeApi.reply('GET /api/check-ins', createOwnCheckIns());
  fakeApi.reply('GET /api/admin/users', userPages([]));
  fakeApi.reply('GET /api/admin/topics', topicPages([]));
  fakeApi.reply('GET /api/admin/messages', sentPages([]));
  fakeApi.reply('GET /api/admin/overview', createOverview());
  fakeApi.reject('GET /api/admin/check-ins', 404);
  fakeApi.reject('GET /api/admin/insights', 404);
  fakeApi.reject('GET /api/admin/reach', 404);
});
test.after.each(() => {
  installation.value = 'none';
  isInstallDismissed.value = false;
  topicsShownAsOf.value = null;
  sessionEndsSoon.value = false;
  hasNewVersion.value = false;
  isStorageWorking.value = true;
  endSession();
});

const mainNavigation = () => screen.getByRole('navigation', { name: 'Main' });
const menuEntries = () =>
  [...mainNavigation().querySelectorAll('li')].map((item) => item.textContent);

test('shows an administrator the admin title, ten entries, their name and a wide page', async () => {
  signInAs('ADMIN', { username: 'ada.lindqvist' });
  showScreen(<SignedInRoutes />, '/admin');
  await screen.findByRole('heading', { name: 'Dashboard' });
  assert.ok(screen.getByText('Fieldbell Admin'));
  assert.is(screen.getByText('Fieldbell Admin').getAttribute('href'), '/admin');
  assert.equal(menuEntries().slice(0, 10), [
    'Dashboard',
    'Topics',
    'Users',
    'Teams',
    'Messages',
    'Reach',
    'Insights',
    'Check-ins',
    'Setup',
    'Notifications',
  ]);
  assert.is(
    screen.getByText('ada.lindqvist').closest('p')?.textContent,
    'ALLogged in as: ada.lindqvist',
  );
  assert.is(screen.getByRole('heading', { name: 'Dashboard' }).closest('main')?.className, 'wide');
});

test('shows anyone else the plain title and their own entries', async () => {
  signInAs('CUSTOMER', { username: 'harbor-office' });
  showScreen(<SignedInRoutes />, '/');
  await screen.findByRole('heading', { name: 'Topics & Notifications Settings' });
  assert.is(screen.getByText('Fieldbell').getAttribute('href'), '/');
  assert.equal(menuEntries(), ['Inbox', 'Notifications', 'Test', 'Quiet hours', 'Account']);
});

test('marks the current page in the navigation', async () => {
  signInAs('ADMIN');
  showScreen(<SignedInRoutes />, '/subscriptions');
  await screen.findByRole('heading', { name: 'Topics & Notifications Settings' });
  assert.is(mainNavigation().querySelector('[aria-current="page"]')?.textContent, 'Notifications');
});

test('opens and closes the narrow menu, and closes it on navigation', async () => {
  signInAs('ADMIN');
  showScreen(<SignedInRoutes />, '/admin');
  const menu = await findButton('Menu');
  assert.is(menu.getAttribute('aria-expanded'), 'false');
  pressElement(menu);
  await waitFor(() => assert.is(menu.getAttribute('aria-expanded'), 'true'));
  pressElement(screen.getByRole('link', { name: 'Notifications' }));
  await waitFor(() => assert.is(menu.getAttribute('aria-expanded'), 'false'));
});

for (const [what, leave] of [
  [
    'Escape',
    () => fireEvent.keyDown(screen.getByRole('link', { name: 'Users' }), { key: 'Escape' }),
  ],
  ['a press beside it', () => fireEvent.click(screen.getByRole('banner'))],
  ['focus outside', () => screen.getByRole('heading', { level: 1 }).focus()],
  ['the link of its own page', () => pressElement(screen.getByRole('link', { name: 'Users' }))],
] as const)
  test(`closes the narrow menu, which lies over the page, by ${what}`, async () => {
    signInAs('ADMIN');
    showScreen(<SignedInRoutes />, '/admin/users');
    const menu = await findButton('Menu');
    await screen.findByRole('heading', { level: 1 });
    pressElement(menu);
    await waitFor(() => assert.is(menu.getAttribute('aria-expanded'), 'true'));
    screen.getByRole('link', { name: 'Users' }).focus();
    assert.is(menu.getAttribute('aria-expanded'), 'true');
    leave();
    await waitFor(() => assert.is(menu.getAttribute('aria-expanded'), 'false'));
    if (what === 'Escape') assert.is(document.activeElement, menu);
  });

test('offers Check-in as the third place of a phone to people who may check in', async () => {
  const placeNames = async () => {
    await waitFor(async () => {
      await clock.advance(200);
      screen.getByRole('navigation', { name: 'Main navigation' });
    });
    return [...document.querySelectorAll('.places a > span')].map((name) => name.textContent);
  };
  signInAs('TECHNICIAN');
  showScreen(<SignedInRoutes />, '/');
  assert.equal(await placeNames(), ['Inbox', 'Topics', 'Test']);
  applyRights({ mayCheckIn: true });
  await waitFor(async () =>
    assert.equal(await placeNames(), ['Inbox', 'Topics', 'Check-in', 'Test']),
  );
});

test('signs out with Logout', async () => {
  signInAs('TECHNICIAN');
  showScreen(<SignedInRoutes />, '/');
  pressElement(await findButton('Logout'));
  await waitFor(() => assert.is(isSignedIn.value, false));
});

const END = 'POST /api/check-ins/:id/end';

async function logOutWithCheckIn(): Promise<void> {
  signInAs('TECHNICIAN');
  applyRights({ mayCheckIn: true });
  const inbox = { messages: [], unread: 0, newest: 0, closed: 0, answered: 0 };
  fakeApi.reply('GET /api/notifications/messages', { ...inbox, mayCheckIn: true });
  fakeApi.reply('GET /api/check-ins', createOwnCheckIns(createCheckIn(5)));
  fakeApi.reply(END, createCheckIn(5, { state: 'ended', endedAt: new Date().toISOString() }));
  showScreen(<SignedInRoutes />, '/');
  const logout = await findButton('Logout');
  // What the home screen asks for must not reach the next test.
  for (const endpoint of ['GET /api/notifications/messages', 'GET /api/check-ins'] as const)
    await waitFor(() => assert.ok(fakeApi.requestsTo(endpoint).length));
  pressElement(logout);
  await screen.findByText(/^Signing out doesn’t end the check-in\./);
  await screen.findByRole('dialog');
}

test('asks before a sign-out during a check-in', async () => {
  await logOutWithCheckIn();
  pressInDialog('Cancel');
  await findNoDialog();
  assert.is(isSignedIn.value, true);
  pressElement(button('Logout'));
  await screen.findByRole('dialog');
  pressInDialog('Sign out and keep the check-in running');
  await waitFor(() => assert.is(isSignedIn.value, false));
  assert.equal(fakeApi.requestsTo(END), []);
});

test('ends the check-in before a sign-out', async () => {
  await logOutWithCheckIn();
  pressInDialog('End check-in and sign out');
  await waitFor(() => assert.is(isSignedIn.value, false));
  assert.is(fakeApi.requestsTo(END).length, 1);
});

test('announces a push while the app is open, unless it is a test', async () => {
  signInAs('TECHNICIAN');
  showScreen(<SignedInRoutes />, '/');
  // The listener exists once the screen is painted.
  await waitFor(() => assert.is(fakePush.tell({ type: 'open', path: '/' }).replied, true));
  fakePush.tell({
    type: 'shown',
    shown: { id: 't1', isTest: true, title: 'Test', body: 'Did it ring?' },
  });
  fakePush.tell({
    type: 'shown',
    shown: { title: 'Grid outages', body: '<b>Feeder</b> 12 tripped.', priority: 'urgent' },
  });
  const notice = await notices().findByText('Urgent · Grid outages: <b>Feeder</b> 12 tripped.');
  assert.is(notice.closest<HTMLElement>('.note')?.dataset.tone, 'bad', 'it looks urgent');
  assert.is(notices().queryByText(/Did it ring/), null);
  for (const [priority, mark] of [
    ['urgent', 'Urgent, corrected'],
    ['normal', 'Corrected'],
  ] as const) {
    const shown = { title: 'Feeder 12', body: 'It is feeder 21.', revision: 2, priority };
    fakePush.tell({ type: 'shown', shown });
    await notices().findByText(`${mark} · Feeder 12: It is feeder 21.`);
  }
  fakePush.tell({
    type: 'shown',
    shown: { title: 'Pump 9', body: 'Pump is fine.', priority: 'urgent', isAllClear: true },
  });
  const allClear = await notices().findByText('All clear · Pump 9: Pump is fine.');
  assert.is.not(allClear.closest<HTMLElement>('.note')?.dataset.tone, 'bad');
});

test('reads topics again for a push that arrives a minute later', async () => {
  const MINE = 'GET /api/notifications/my-subscriptions';
  const { now } = Date;
  signInAs('TECHNICIAN');
  showScreen(<SignedInRoutes />, '/');
  await screen.findByText('Your subscribed topics (0)');
  const push = () => fakePush.tell({ type: 'shown', shown: { title: 'Storms', body: 'Gale.' } });
  push();
  assert.is(fakeApi.requestsTo(MINE).length, 1);
  fakeApi.reply(MINE, [{ id: 1, createdAt: '', topic: createTopic(1) }]);
  Date.now = () => now() + 61_000;
  push();
  await screen.findByText('Your subscribed topics (1)').finally(() => Object.assign(Date, { now }));
});

test('follows a clicked notification, and confirms it to the worker', async () => {
  signInAs('ADMIN');
  showScreen(<SignedInRoutes />, '/admin');
  await screen.findByRole('heading', { name: 'Dashboard' });
  assert.is(fakePush.tell({ type: 'open', path: '/subscriptions' }).replied, true);
  await screen.findByRole('heading', { name: 'Topics & Notifications Settings' });
});

test('tells the worker that a page handles clicks, in a second session too', async () => {
  signInAs('TECHNICIAN');
  for (const _ of [1, 2]) {
    assert.equal(fakePush.shared(), []);
    showScreen(<SignedInRoutes />, '/');
    await waitFor(() => assert.equal(fakePush.shared(), ['listening']));
    cleanup();
    await waitFor(() => assert.equal(fakePush.shared(), []));
  }
});

async function beginToSubscribe(): Promise<void> {
  signInAs('ADMIN');
  fakeApi.reply('GET /api/admin/users/:id', createUser(1));
  fakeApi.reply('GET /api/admin/users/:id/subscriptions', []);
  fakeApi.reply('GET /api/admin/users/:id/available-topics', [createTopic(1)]);
  showScreen(<SignedInRoutes />, '/admin/users/1/subscriptions');
  pressElement(await screen.findByRole('checkbox', { name: 'Topic 1' }));
  await screen.findByText('1 selected');
}

for (const answer of [false, true]) {
  test(`asks before a click loses choices, and ${answer ? 'leaves after Yes' : 'stays after No'}`, async () => {
    await beginToSubscribe();
    const questions: unknown[] = [];
    globalThis.confirm = (question) => (questions.push(question), answer);
    fakePush.tell({ type: 'open', path: '/admin' });
    assert.equal(questions, ['Open the notification? You’ll lose your unsaved changes.']);
    assert.is(location.pathname, answer ? '/admin' : '/admin/users/1/subscriptions');
    await screen.findByRole('heading', { name: answer ? 'Dashboard' : 'Manage Subscriptions' });
  });
}

test('restarts for a new version, but asks when something would be lost', async () => {
  let reloads = 0;
  Object.defineProperty(location, 'reload', { configurable: true, value: () => reloads++ });
  await beginToSubscribe();
  await clock.advance(200); // the footer comes with the first screen
  hasNewVersion.value = true;
  await screen.findByText(/^A new version of the app is available\./);
  await clock.advance(0); // effects run after the paint
  assert.is(reloads, 0);
  pressElement(button('Reload'));
  assert.is(reloads, 1);
  hasNewVersion.value = false;
  pressElement(screen.getByRole('checkbox', { name: 'Topic 1' }));
  await screen.findByText('0 selected');
  hasNewVersion.value = true;
  await waitFor(() => assert.is(reloads, 2));
  Reflect.deleteProperty(location, 'reload');
});

test('warns five minutes before the session ends, and signs out to sign in again', async () => {
  signInAs('TECHNICIAN');
  showScreen(<SignedInRoutes />, '/');
  await screen.findByRole('heading', { name: 'Topics & Notifications Settings' });
  assert.is(screen.queryByText('Your session expires in less than 5 minutes.'), null);
  sessionEndsSoon.value = true;
  await screen.findByText('Your session expires in less than 5 minutes.');
  pressElement(button('Sign in again'));
  await waitFor(() => assert.is(isSignedIn.value, false));
});

test('keeps the navigation when a screen fails, and offers to reload', async () => {
  signInAs('ADMIN');
  const { error } = console;
  console.error = () => {};
  fakeApi.reply('GET /api/admin/users', userPages([createUser(1)]));
  // No broken backend can cause this: the array is not what its check returned.
  const { map } = Array.prototype;
  Array.prototype.map = function (this: unknown[], ...given: Parameters<typeof map>) {
    if ((this[0] as { username?: string } | undefined)?.username)
      throw new TypeError('a fault of ours');
    return map.apply(this, given);
  } as typeof map;
  try {
    showScreen(<SignedInRoutes />, '/admin/users');
    assert.is(
      (await screen.findByText(/^This page couldn’t be shown\./)).parentElement?.getAttribute(
        'role',
      ),
      'alert',
    );
  } finally {
    Object.assign(console, { error });
    Array.prototype.map = map;
  }
  assert.ok(button('Reload'));
  pressElement(screen.getByRole('link', { name: 'Dashboard' }));
  await screen.findByRole('heading', { name: 'Dashboard' });
  pressElement(screen.getByRole('link', { name: 'Users' }));
  await screen.findByText('user1');
});

test('warns after sign-in that the browser keeps nothing', async () => {
  signInAs('TECHNICIAN');
  isStorageWorking.value = false;
  showScreen(<SignedInRoutes />, '/');
  await waitFor(async () => {
    await clock.advance(200); // once the browser is idle
    notices().getByText(
      'This browser doesn’t store data. You’ll need to sign in again after you close this page.',
    );
  });
});

test('says offline how old the data is', async () => {
  signInAs('TECHNICIAN');
  showScreen(<SignedInRoutes />, '/');
  await screen.findByRole('heading', { name: 'Topics & Notifications Settings' });
  await clock.advance(200); // the footer comes with the first screen
  topicsShownAsOf.value = new Date().setHours(9, 42);
  await screen.findByText(
    (_, element) =>
      element?.className === 'strip chip' &&
      /^Offline\. Shown as of 09:42\./.test(element.textContent ?? ''),
  );
});

test('dates an administrator’s list offline, and reads it again afterwards', async () => {
  signInAs('ADMIN');
  showScreen(<SignedInRoutes />, '/admin/topics');
  await screen.findByText('No topics yet');
  await clock.advance(200); // the footer comes with the first screen
  const network = (online: boolean) => {
    Object.defineProperty(navigator, 'onLine', { value: online, configurable: true });
    dispatchEvent(new Event(online ? 'online' : 'offline'));
  };
  try {
    network(false);
    await screen.findByText(/^Offline\. Shown as of/, { selector: '.strip' });
    pressElement(screen.getByRole('link', { name: 'Users' }));
    await screen.findByText('Offline.', { selector: '.strip' });
    pressElement(screen.getByRole('link', { name: 'Topics' }));
    fakeApi.reply('GET /api/admin/topics', topicPages([createTopic(1, { title: 'Storms' })]));
    network(true);
    await screen.findByText('Storms');
    assert.is(screen.queryByText(/^Offline/), null);
  } finally {
    network(true);
  }
});

test('shows the day of data from another day', async () => {
  createFormats();
  signInAs('TECHNICIAN');
  showScreen(<SignedInRoutes />, '/');
  await screen.findByRole('heading', { name: 'Topics & Notifications Settings' });
  await clock.advance(200); // the footer comes with the first screen
  const time = new Date(2024, 0, 5, 9, 42);
  topicsShownAsOf.value = time.getTime();
  await screen.findByText('5 Jan 2024 09:42');
});

test('offers Install App by the browser’s prompt, and hides it once used', async () => {
  signInAs('TECHNICIAN');
  showScreen(<SignedInRoutes />, '/');
  await findButton('Logout');
  assert.is(screen.queryByRole('button', { name: 'Install App' }), null);
  installation.value = 'prompt';
  pressElement(await findButton('Install App'));
  await waitFor(() => assert.is(screen.queryByRole('button', { name: 'Install App' }), null));
});

test('hides Install App for 30 days on Not now, and keeps it in App Management', async () => {
  signInAs('TECHNICIAN');
  showScreen(<SignedInRoutes />, '/');
  installation.value = 'prompt';
  const notNow = await findButton('Not now: hide Install App');
  assert.is(notNow.textContent, 'Not now');
  assert.ok(notNow.closest('.fab.panel')?.contains(button('Install App')));
  pressElement(notNow);
  await waitFor(() => assert.is(screen.queryByRole('button', { name: 'Install App' }), null));
  assert.ok(Math.abs(Date.now() - Number(localStorage.getItem('install_dismissed'))) < 60_000);
  await waitFor(() =>
    assert.is(
      document.activeElement,
      screen.getByRole('heading', { level: 1 }),
      'the focus is not lost with the button',
    ),
  );
  pressElement(screen.getByText('App Management'));
  pressElement(await findButton('Install App'));
  await waitFor(() =>
    assert.is(screen.queryByRole('button', { name: 'Install App' }), null, 'one prompt'),
  );
});

test('hides Install App while the offer floats or no install is possible', async () => {
  signInAs('TECHNICIAN');
  showScreen(<SignedInRoutes />, '/');
  pressElement(await screen.findByText('App Management'));
  await findButton('Reset App');
  assert.is(screen.queryByRole('button', { name: 'Install App' }), null);
  installation.value = 'prompt';
  await findButton('Install App');
  assert.is(screen.getAllByRole('button', { name: 'Install App' }).length, 1);
});

test('explains manual installation on iOS', async () => {
  signInAs('TECHNICIAN');
  showScreen(<SignedInRoutes />, '/');
  installation.value = 'instructions';
  pressElement(await findButton('Install App'));
  await screen.findByRole('dialog', { name: 'Install App' });
  assert.equal(
    dialog()
      .getAllByRole('listitem')
      .map((item) => item.textContent),
    [
      'Tap the Share icon  in the browser’s bar.',
      'Choose Add to Home Screen.',
      'Tap Add.',
      'Open the app from the Home Screen and sign in there.',
    ],
  );
  pressInDialog('Close');
  await findNoDialog();
});

test.run();
