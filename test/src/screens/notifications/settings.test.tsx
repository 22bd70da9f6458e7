import { cleanup } from '@testing-library/preact';
import * as assert from 'uvu/assert';
import type { Device, RegisteredDevice, Subscription } from '../../../../src/shared/contract';
import { installation } from '../../../../src/platform/install/install';
import { StatusMessages } from '../../../../src/screens/shell/StatusMessages';
import { StatusBar } from '../../../../src/screens/shell/StatusBar';
import { Settings } from '../../../../src/screens/notifications/Settings';
import { SignedInRoutes } from '../../../support/app/signed-in';
import {
  currentDevice,
  unregisterIfUnneeded,
  registerIfAllowed,
  startInBackground,
  registrationError,
} from '../../../../src/state/device/registration';
import { missingFeatures, notificationPermission } from '../../../../src/state/device/permission';
import { applyRights } from '../../../../src/state/rights';
import { discardSession, signOut } from '../../../../src/state/session';
import {
  deleteDeviceKey,
  readKeptMessages,
  readDeviceOwner,
} from '../../../../src/platform/storage/received';
import { loadTopics, topicsShownAsOf } from '../../../../src/state/subscriptions/load-topics';
import { readCachedTopics } from '../../../../src/state/subscriptions/cached-topics';
import {
  act,
  button,
  clock,
  dialog,
  fakeApi,
  findButton,
  findNoDialog,
  notices,
  pressElement,
  pressEscape,
  pressInDialog,
  screen,
  screenSuite,
  showScreen,
  waitFor,
} from '../../../support/app/app';
import { eventually, shortPause } from '../../../support/eventually';
import { fakeDatabase } from '../../../support/app/fake-database';
import {
  createBoard,
  createCheckIn,
  createOwnCheckIns,
} from '../../../support/app/factories/check-ins';
import { NEW_MESSAGES_ID } from '../../../../src/screens/inbox/new-messages-id';
import { fakePush } from '../../../support/push-services/fake-push';
import { createOwnDevice } from '../../../support/app/own-device';
import { endSession, signInAs } from '../../../support/app/session';

const test = screenSuite('settings');
const MINE = 'GET /api/notifications/my-subscriptions';
const OLDER = 'GET /notifications/subscriptions';
const ACCOUNT = 'GET /api/notifications/preferences';
const OWN = 'GET /api/notifications/preferences/:id';
const SET_ACCOUNT = 'PUT /api/notifications/preferences/global/:topicId';
const SET_OWN = 'PUT /api/notifications/preferences/:id';
const DEVICES = 'GET /api/notifications/devices';
const REGISTER = 'POST /api/notifications/register-device';
const UNREGISTER = 'DELETE /api/notifications/unregister-device';
const KEY = 'GET /api/notifications/vapid-key';
const MARKUP = '<img src=x onerror=alert(1)>';

/** A subscription has another id than its topic. */
const topic = (id: number, title: string): Subscription => ({
  id: id + 100,
  createdAt: '2026-11-12T09:30:00.000Z',
  topic: { id, title, description: `About ${title}` },
});
const subscribedTopics = [topic(1, 'Outages'), topic(2, 'Safety'), topic(3, MARKUP)];
const knownDevice: Device = {
  id: 5,
  deviceToken: '',
  deviceType: 'web',
  userAgent: '',
  createdAt: '',
  lastSeenAt: '',
};

test.before.each(() => {
  signInAs('TECHNICIAN');
  fakeApi.reply(MINE, subscribedTopics);
  fakeApi.reply(
    ACCOUNT,
    subscribedTopics.map(({ topic: { id } }) => ({ topicId: id, enabled: id !== 2 })),
  );
  fakeApi.reply(
    OWN,
    subscribedTopics.map(({ topic: { id } }) => ({ topicId: id, enabled: id !== 2 })),
  );
  fakeApi.reply(KEY, { publicKey: 'BAAB' });
  fakeApi.reply(DEVICES, []);
  fakeApi.reply(REGISTER, ({ body }) => ({
    ...knownDevice,
    ...(body as object),
    deviceKey: 'key-of-5',
  }));
  fakeApi.reply(UNREGISTER, { message: '' });
});
test.after.each(() => {
  installation.value = 'none';
  endSession();
});

/** The screen with the shell's notes below. */
const settingsScreen = (
  <>
    <Settings />
    <StatusBar>
      <StatusMessages currentRoute={undefined} />
    </StatusBar>
  </>
);
async function openSettings(state: NotificationPermission): Promise<void> {
  fakePush.install(state);
  showScreen(settingsScreen, '/subscriptions');
  await screen.findByText(`Your subscribed topics (${subscribedTopics.length})`);
  if (state === 'granted')
    await waitFor(() => assert.ok(currentDevice.value || registrationError.value));
}
/** Leaves the page for this long, in milliseconds, and returns. */
function comeBack(after = 0): void {
  awayMs += after;
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
}
const { now } = Date;
let awayMs = 0;
test.before.each(() => void Object.assign(Date, { now: () => now() + awayMs }));
test.after.each(() => void Object.assign(Date, { now }));
const switchOf = (name: string) => screen.getByRole<HTMLInputElement>('switch', { name });

test('shows its heading and the permission', async () => {
  await openSettings('granted');
  assert.ok(screen.getByRole('heading', { level: 1, name: 'Topics & Notifications Settings' }));
  assert.ok(screen.getByText('Permission: granted'));
});

test('shows a check-in that waits for its person first, and a running one above the messages', async () => {
  const READ = 'GET /api/check-ins';
  fakeDatabase.install();
  fakeApi.reply(READ, createOwnCheckIns(createCheckIn(5)));
  await openSettings('granted');
  void act(() => applyRights({ mayCheckIn: true }));
  const running = await screen.findByText('55 minutes left');
  const messages = document.getElementById(NEW_MESSAGES_ID)!;
  assert.ok(running.compareDocumentPosition(messages) & Node.DOCUMENT_POSITION_FOLLOWING);
  assert.not(screen.queryByText('Working alone?'));
  for (const [change, title, link] of [
    [{ state: 'due' }, 'Are you OK?', 'Answer'],
    [{ state: 'missed' }, 'We’re alerting others', 'Answer'],
    [{ state: 'help' }, 'We’re alerting others', 'Open'],
  ] as const) {
    fakeApi.reply(READ, createOwnCheckIns(createCheckIn(56, change)));
    comeBack(60_000);
    const waiting = await screen.findByRole('alert');
    await waitFor(() => assert.match(waiting.textContent ?? '', title));
    const heading = screen.getByRole('heading', { level: 1 });
    assert.is(heading.parentElement?.nextElementSibling, waiting);
    assert.is((await screen.findAllByRole('link', { name: link })).length, 1);
    assert.not(screen.queryByText(/minutes? left$|^Working alone/));
  }
});

test('shows watchers an open alarm above the topics, with its page', async () => {
  const alarm = { messageId: 'm1', at: new Date().toISOString(), people: 2, answered: 0 };
  fakeApi.reply(
    'GET /api/admin/check-ins',
    createBoard([createCheckIn(68, { state: 'missed', alarm, person: { id: 99, username: 'x' } })]),
  );
  await openSettings('granted');
  void act(() => applyRights({ watchesCheckIns: true }));
  const note = await screen.findByRole('alert');
  assert.match(note.textContent ?? '', /^x missed a check-in\./);
  const heading = screen.getByRole('heading', { level: 1 });
  assert.is(heading.parentElement?.nextElementSibling, note);
  const link = screen.getByRole('link', { name: 'View alarm' });
  assert.is(link.getAttribute('href'), '/sent/m1');
});

test('shows each topic with title, description, subscription day and switch', async () => {
  await openSettings('granted');
  assert.ok(screen.getByText('About Outages'));
  assert.is(screen.getAllByText((_, element) => element?.tagName === 'TIME').length, 3);
  assert.is(switchOf('Outages').checked, true);
  assert.is(switchOf('Safety').checked, false);
  assert.is(screen.getAllByText('Enabled').length, 2);
  assert.is(screen.getAllByText('Disabled').length, 1);
  assert.ok(screen.getByText('2 of 3 topics enabled'));
  assert.is(document.querySelector('main img'), null, 'markup in a title stays text');
});

test('names and describes each switch by its topic', async () => {
  await openSettings('granted');
  for (const title of ['Outages', 'Safety', MARKUP]) {
    const describedBy = switchOf(title).getAttribute('aria-describedby') ?? '';
    assert.is(document.getElementById(describedBy)?.textContent, `About ${title}`);
  }
});

test('shows a muted topic differently, with its meaning, as soon as the switch moves', async () => {
  await openSettings('granted');
  fakeApi.reply(SET_OWN, { topicId: 2, enabled: true });
  const silent = () =>
    screen
      .queryAllByText('Muted. You’ll still find its messages in your inbox.')
      .map((text) => text.closest('label')?.querySelector('b')?.textContent);
  const off = () => [...document.querySelectorAll('.off b')].map(({ textContent }) => textContent);
  assert.equal([silent(), off()], [['Safety'], ['Safety']]);
  pressElement(switchOf('Safety'));
  await waitFor(() => assert.equal([silent(), off()], [[], []]));
  pressElement(switchOf('Outages'));
  await waitFor(() => assert.equal([silent(), off()], [['Outages'], ['Outages']]));
});

test('marks no topic as muted without the permission', async () => {
  await openSettings('default');
  assert.equal([screen.queryByText(/Muted./), document.querySelector('.off')], [null, null]);
});

test('shows a chip instead of each switch without the permission', async () => {
  await openSettings('default');
  assert.is(screen.getAllByText('Enable notifications first').length, 3);
  assert.is(screen.queryByRole('switch'), null);
  assert.ok(screen.getByText('Permission: default'));
});

test('asks, registers this device and shows switches on Enable Notifications', async () => {
  await openSettings('default');
  pressElement(button('Enable Notifications'));
  await screen.findByRole('switch', { name: 'Outages' });
  await waitFor(() => assert.is(fakeApi.requestsTo(REGISTER).length, 1));
  const { deviceToken, deviceType, userAgent } = fakeApi.requestsTo(REGISTER)[0].body as Device;
  assert.is(deviceToken, fakePush.token());
  assert.is(deviceType, 'web');
  assert.is(userAgent, navigator.userAgent);
  await waitFor(() => assert.is(localStorage.getItem('device_token'), fakePush.token()));
  assert.is(screen.queryByText('Enable Notifications'), null);
  await waitFor(() => assert.is(document.activeElement, screen.getByRole('heading', { level: 1 })));
});

test('explains how to unblock notifications in every browser', async () => {
  await openSettings('default');
  fakePush.decision = 'denied';
  pressElement(button('Enable Notifications'));
  for (const name of ['Android Chrome', 'iPhone/iPad Safari', 'Desktop browsers', 'Other browsers'])
    await screen.findByText(name);
  assert.ok(
    notices().getByText('The notification permission was not granted and blocked instead.'),
  );
  assert.ok(screen.getByText('Permission: denied'));
  assert.is(screen.queryByRole('button', { name: 'Enable Notifications' }), null);
  assert.is(fakeApi.requestsTo(REGISTER).length, 0);
});

test('asks again after a dismissed question', async () => {
  await openSettings('default');
  fakePush.decision = 'default';
  pressElement(button('Enable Notifications'));
  await notices().findByText('Notification permission is required');
  assert.is(button('Enable Notifications').disabled, false);
});

test('says when the browser cannot ask', async () => {
  await openSettings('default');
  const { requestPermission } = Notification;
  Notification.requestPermission = () => Promise.reject(new TypeError('internal'));
  pressElement(button('Enable Notifications'));
  await notices().findByText('Failed to request notification permission');
  Notification.requestPermission = requestPermission;
});

test('renews a token older than seven days, and reuses a younger one', async () => {
  await openSettings('granted');
  const first = fakePush.token();
  const registered = async () => {
    await registerIfAllowed();
    return JSON.parse(localStorage.getItem('device_token') ?? '{}') as { endpoint: string };
  };
  localStorage.removeItem('device_token_since'); // an older version stored no time
  assert.equal(await registered(), JSON.parse(first));
  const days = (count: number) =>
    localStorage.setItem('device_token_since', String(Date.now() - count * 24 * 3600_000));
  days(6.9);
  const since = localStorage.getItem('device_token_since');
  assert.equal(await registered(), JSON.parse(first));
  assert.is(localStorage.getItem('device_token_since'), since, 'it ages with each start');
  days(7.1);
  assert.not.equal(await registered(), JSON.parse(first));
  assert.equal(
    fakeApi.requestsTo(UNREGISTER).map(({ body }) => body),
    [{ deviceToken: first }],
  );
  assert.ok(
    Date.now() - Number(localStorage.getItem('device_token_since')) < 60_000,
    'its age starts again',
  );
});

test('does not register a device again that the server lists', async () => {
  fakePush.install('granted');
  await openSettings('granted');
  const deviceToken = fakePush.token();
  const earlierCount = fakeApi.requestsTo(REGISTER).length;
  fakeApi.reply(DEVICES, [{ ...knownDevice, deviceToken }]);
  await registerIfAllowed();
  assert.is(fakeApi.requestsTo(REGISTER).length, earlierCount);
});

test('registers a token that the worker reported, and ends that report', async () => {
  localStorage.setItem('device_token', 'before the worker renewed it');
  fakePush.install('granted');
  fakeApi.reply(DEVICES, () => [createOwnDevice({ deviceToken: fakePush.token() })]);
  await registerIfAllowed();
  assert.equal(
    fakeApi.requestsTo(REGISTER).map(({ body }) => (body as Device).deviceToken),
    [fakePush.token()],
  );
});

test('keeps this device’s key for the worker, and asks for a lost one again', async () => {
  fakeDatabase.install();
  fakePush.install('granted');
  await openSettings('granted');
  await waitFor(async () => assert.is((await readDeviceOwner())?.key, 'key-of-5'));
  const earlierCount = fakeApi.requestsTo(REGISTER).length;
  fakeApi.reply(DEVICES, [createOwnDevice({ deviceToken: fakePush.token() })]);
  await registerIfAllowed();
  assert.is(fakeApi.requestsTo(REGISTER).length, earlierCount);
  await deleteDeviceKey((await readDeviceOwner())!);
  await registerIfAllowed();
  assert.is(fakeApi.requestsTo(REGISTER).length, earlierCount + 1);
  assert.equal(
    [
      (await readDeviceOwner())?.key,
      (await readDeviceOwner())?.person,
      (await readDeviceOwner())?.serverKey,
    ],
    ['key-of-5', 7, 'BAAB'],
  );
  fakeDatabase.remove();
});

test('registers the device again, once, for a following session', async () => {
  fakeDatabase.install();
  signInAs('TECHNICIAN', { id: 7, sid: 'first' });
  await openSettings('granted');
  await waitFor(async () => assert.is((await readDeviceOwner())?.sid, 'first'));
  fakeApi.reply(DEVICES, [createOwnDevice({ deviceToken: fakePush.token() })]);
  discardSession('it has expired');
  signInAs('TECHNICIAN', { id: 7, sid: 'second' });
  const earlierCount = fakeApi.requestsTo(REGISTER).length;
  await registerIfAllowed();
  await registerIfAllowed();
  assert.is(fakeApi.requestsTo(REGISTER).length, earlierCount + 1);
  assert.is((await readDeviceOwner())?.sid, 'second');
  fakeDatabase.remove();
});

test('registers this device when the server returns no key', async () => {
  fakeDatabase.install();
  fakeApi.reply(
    REGISTER,
    ({ body }) => ({ ...knownDevice, ...(body as object) }) as RegisteredDevice,
  );
  await openSettings('granted');
  await waitFor(() => assert.ok(currentDevice.value));
  assert.is(await readDeviceOwner(), undefined);
  fakeDatabase.remove();
});

test('leaves the worker no key and no message after sign-out', async () => {
  fakeDatabase.install();
  await openSettings('granted');
  await waitFor(async () => assert.ok(await readDeviceOwner()));
  await signOut();
  await waitFor(async () => assert.is(await readDeviceOwner(), undefined));
  fakeDatabase.remove();
});

test('leaves the worker no key and no message after a sign-out elsewhere', async () => {
  fakeDatabase.install();
  await openSettings('granted');
  await waitFor(async () => assert.ok(await readDeviceOwner()));
  const body = JSON.stringify({ error: 'This device was signed out.', code: 'signed_out' });
  fakeApi.respond(MINE, () => new Response(body, { status: 401 }));
  await loadTopics();
  await waitFor(async () => assert.is(await readDeviceOwner(), undefined));
  assert.equal(await readKeptMessages(7), []);
  assert.is(await readCachedTopics(7), undefined);
  fakeDatabase.remove();
});

test('leaves the worker its key when the session expires, so pushes continue', async () => {
  fakeDatabase.install();
  await openSettings('granted');
  await waitFor(async () => assert.ok(await readDeviceOwner()));
  discardSession('it has expired');
  await shortPause(); // waits for nothing to happen
  assert.is((await readDeviceOwner())?.key, 'key-of-5');
  fakeDatabase.remove();
});

test('replaces the old token on the server by a renewed one', async () => {
  localStorage.setItem('device_token', 'old-token');
  await openSettings('granted');
  await waitFor(() =>
    assert.equal(
      fakeApi.requestsTo(UNREGISTER).map(({ body }) => body),
      [{ deviceToken: 'old-token' }],
    ),
  );
  assert.is(localStorage.getItem('device_token'), fakePush.token());
});

test('registers a subscription at once when it changes while the app is open', async () => {
  fakePush.install('granted');
  showScreen(<SignedInRoutes />, '/');
  await screen.findByText('Your subscribed topics (3)');
  await waitFor(() => assert.ok(localStorage.getItem('device_token')));
  const old = localStorage.getItem('device_token');
  fakePush.dropSubscription();
  fakePush.tell({ type: 'renewed' });
  await waitFor(() =>
    assert.equal(
      fakeApi.requestsTo(UNREGISTER).map(({ body }) => body),
      [{ deviceToken: old }],
    ),
  );
  assert.not.equal(localStorage.getItem('device_token'), old);
  assert.is(localStorage.getItem('device_token'), fakePush.token());
});

test('registers a subscription that changes during a registration afterwards', async () => {
  fakePush.install('granted');
  const release = fakeApi.holdReplies(REGISTER);
  showScreen(<SignedInRoutes />, '/');
  await waitFor(() => assert.is(fakeApi.requestsTo(REGISTER).length, 1));
  fakePush.dropSubscription();
  fakePush.tell({ type: 'renewed' });
  release();
  await waitFor(() => assert.is(fakeApi.requestsTo(REGISTER).length, 2));
  const [old, fresh] = fakeApi.requestsTo(REGISTER).map(({ body }) => (body as Device).deviceToken);
  assert.is.not(old, fresh);
  await waitFor(() => assert.is(localStorage.getItem('device_token'), fresh));
});

test('registers a subscription at the next start when it changed while the app was closed', async () => {
  localStorage.setItem('device_token', 'of the subscription before');
  fakePush.install('granted');
  await startInBackground();
  assert.equal(
    fakeApi.requestsTo(REGISTER).map(({ body }) => (body as Device).deviceToken),
    [fakePush.token()],
  );
  assert.equal(
    fakeApi.requestsTo(UNREGISTER).map(({ body }) => body),
    [{ deviceToken: 'of the subscription before' }],
  );
});

test('reports a permission revoked while the app was closed at the next start', async () => {
  localStorage.setItem('device_token', 'of before');
  fakePush.install('denied');
  await startInBackground();
  assert.equal(
    fakeApi.requestsTo(UNREGISTER).map(({ body }) => body),
    [{ deviceToken: 'of before', reason: 'blocked' }],
  );
  assert.is(localStorage.getItem('device_token'), null);
});

test('reports a failed revocation at the next start, and then no more', async () => {
  localStorage.setItem('device_token', 'of before');
  fakePush.install('denied');
  const listUnregistered = () =>
    fakeApi.requestsTo(UNREGISTER).map(({ body }) => (body as Device).deviceToken);
  fakeApi.loseRequests(UNREGISTER);
  await startInBackground();
  assert.equal(listUnregistered(), ['of before']);
  await startInBackground();
  assert.equal(listUnregistered(), ['of before', 'of before']);
  fakeApi.reject(UNREGISTER, 404);
  await startInBackground();
  await startInBackground();
  assert.is(listUnregistered().length, 3);
});

test('leaves one live token on the server when two tabs renew at once', async () => {
  await openSettings('granted');
  const first = localStorage.getItem('device_token');
  localStorage.setItem('device_token_since', '0');
  // The other tab holds the lock; by this one's turn the token is new.
  let finish: (() => void) | undefined;
  const other = navigator.locks.request(
    'device_token',
    {},
    () => new Promise<void>((resolve) => (finish = resolve)),
  );
  const registered = registerIfAllowed();
  await waitFor(() => assert.ok(finish));
  localStorage.setItem('device_token_since', String(Date.now()));
  finish?.();
  await Promise.all([other, registered]);
  assert.is(localStorage.getItem('device_token'), first);
});

test('unregisters a device whose registration was running at sign-out', async () => {
  await openSettings('default');
  const release = fakeApi.holdReplies(REGISTER);
  notificationPermission.value = 'granted';
  const registered = registerIfAllowed();
  await waitFor(() => assert.is(fakeApi.requestsTo(REGISTER).length, 1));
  const signedOut = signOut();
  release();
  await Promise.all([registered, signedOut]);
  assert.equal(
    fakeApi.requestsTo(UNREGISTER).map(({ body }) => body),
    [{ deviceToken: fakePush.token() }],
  );
  assert.is(localStorage.getItem('device_token'), null);
});

test('closes shown notifications on sign-out', async () => {
  await openSettings('granted');
  fakePush.shown = [{ title: 'Grid outages' }, { title: 'Safety' }];
  await signOut();
  assert.equal(fakePush.shown, []);
  assert.is(localStorage.getItem('device_token'), null);
});

test('shows no green chip for a device that cannot register', async () => {
  fakePush.install('granted');
  fakeApi.reject(KEY, 500);
  showScreen(settingsScreen, '/');
  for (const _ of [1, 2]) {
    const chip = screen.getByText('Permission: granted');
    await screen.findByText(/Failed to initialize PWA/);
    await screen.findByText('This device isn’t reachable.');
    await waitFor(() => assert.is(chip.dataset.tone, 'warn'));
    fakeApi.reply(KEY, { publicKey: 'BAAB' });
    pressElement(screen.getByRole('button', { name: 'Retry' }));
    await waitFor(() => assert.is(chip.dataset.tone, 'ok'));
    assert.is(screen.queryByText('This device isn’t reachable.'), null);
    fakePush.dropSubscription();
    fakeApi.reject(KEY, 500);
    dispatchEvent(new Event('online'));
  }
});

test('shows no push trouble offline, and registers once online', async () => {
  fakePush.install('granted');
  fakeApi.loseRequests(KEY);
  showScreen(settingsScreen, '/');
  await screen.findByText(/Failed to initialize PWA/);
  topicsShownAsOf.value = Date.now();
  await waitFor(() => assert.is(screen.queryByText(/Failed to initialize PWA/), null));
  fakeApi.reply(KEY, { publicKey: 'BAAB' });
  dispatchEvent(new Event('online'));
  await waitFor(() => assert.is(fakeApi.requestsTo(REGISTER).length, 1));
});

test('gives up on a silent push service after 15 s, and restores the button', async () => {
  fakePush.install('default');
  fakePush.trouble = 'silence';
  showScreen(settingsScreen, '/');
  pressElement(await findButton('Enable Notifications'));
  await waitFor(() => assert.is(fakeApi.requestsTo(KEY).length, 1));
  assert.is(screen.queryByText(/Failed to initialize/), null);
  await clock.advance(14_999);
  assert.is(screen.queryByText(/Failed to initialize/), null);
  await clock.advance(1);
  await screen.findByText('Failed to initialize PWA: The push service didn’t respond in time.');
  fakePush.trouble = null;
  pressElement(button('Retry'));
  await waitFor(() => assert.is(fakeApi.requestsTo(REGISTER).length, 1));
  await waitFor(() => assert.is(screen.queryByText(/Failed to initialize/), null));
});

for (const [endpoint, sentence] of [
  [KEY, 'Failed to load the server’s settings for notifications.'],
  [DEVICES, 'Failed to load your devices.'],
  [REGISTER, 'The server couldn’t register this device.'],
] as const) {
  test(`names the failed step when ${endpoint} returns garbage`, async () => {
    fakeApi.reply(endpoint, { message: 'Welcome to the hotel' } as never);
    fakePush.install('granted');
    showScreen(settingsScreen, '/');
    await screen.findByText(`Failed to initialize PWA: ${sentence}`);
    assert.is(currentDevice.value, null);
  });
}

for (const [refusals, outcome] of [
  [1, undefined],
  [2, 'Failed to initialize PWA: Not yet'],
] as const) {
  test(`tries a subscription twice at most: refused ${refusals} times`, async () => {
    fakePush.install('granted');
    fakePush.refusals = refusals;
    showScreen(settingsScreen, '/');
    await waitFor(() => assert.ok(currentDevice.value || registrationError.value));
    assert.is(Boolean(currentDevice.value), !outcome);
    assert.is(
      screen.queryByText(/Failed to initialize/)?.textContent?.replace(/Retry$/, ''),
      outcome,
    );
  });
}

test('explains a rejecting push service beside the topics, with Retry', async () => {
  fakePush.install('granted');
  fakePush.trouble = new Error('Registration failed');
  showScreen(settingsScreen, '/');
  await screen.findByText('Failed to initialize PWA: Registration failed');
  await screen.findByText('Your subscribed topics (3)');
  fakePush.trouble = null;
  pressElement(button('Retry'));
  await waitFor(() => assert.is(screen.queryByText(/Failed to initialize/), null));
  assert.is(fakeApi.requestsTo(REGISTER).length, 1);
});

test('moves a switch at once, saves it for this device, and verifies it after 100 ms', async () => {
  await openSettings('granted');
  fakeApi.reply(SET_OWN, { topicId: 2, enabled: true });
  const release = fakeApi.holdReplies(SET_OWN);
  const requestCount = fakeApi.requestsTo(OWN).length;
  pressElement(switchOf('Safety'));
  await waitFor(() => assert.is(switchOf('Safety').checked, true));
  assert.ok(screen.getByText('3 of 3 topics enabled'));
  fakeApi.reply(
    OWN,
    subscribedTopics.map(({ topic: { id } }) => ({ topicId: id, enabled: true })),
  );
  release();
  await waitFor(() => assert.ok(fakeApi.requestsTo(OWN).length > requestCount));
  assert.equal(
    fakeApi.requestsTo(SET_OWN).map(({ params, body }) => ({ params, body })),
    [{ params: { id: '5' }, body: { topicId: 2, enabled: true } }],
  );
  assert.is(switchOf('Safety').checked, true);
});

test('saves a switch for the account before this device is registered', async () => {
  fakePush.install('granted');
  fakePush.trouble = new Error('Registration failed');
  showScreen(settingsScreen, '/');
  await screen.findByText(/Failed to initialize PWA/);
  await screen.findByRole('switch', { name: 'Outages' });
  fakeApi.reply(SET_ACCOUNT, { topicId: 1, enabled: false });
  pressElement(switchOf('Outages'));
  await waitFor(() =>
    assert.equal(
      fakeApi.requestsTo(SET_ACCOUNT).map(({ params, body }) => ({ params, body })),
      [{ params: { topicId: '1' }, body: { enabled: false } }],
    ),
  );
});

test('reverts a rejected switch, and says why', async () => {
  await openSettings('granted');
  fakeApi.reject(SET_OWN, 500);
  pressElement(switchOf('Outages'));
  await notices().findByText('Failed to update notification preference');
  await waitFor(() => assert.is(switchOf('Outages').checked, true));
});

test('applies the last of twenty taps, one request at a time', async () => {
  await openSettings('granted');
  let runningCount = 0;
  let mostAtOnce = 0;
  let lastEnabled: unknown;
  fakeApi.reply(SET_OWN, async ({ body }) => {
    mostAtOnce = Math.max(mostAtOnce, ++runningCount);
    await Promise.resolve();
    runningCount--;
    lastEnabled = (body as { enabled: boolean }).enabled;
    return body as { topicId: number; enabled: boolean };
  });
  fakeApi.reply(OWN, () =>
    subscribedTopics.map(({ topic: { id } }) => ({
      topicId: id,
      enabled: id === 2 ? lastEnabled === true : true,
    })),
  );
  for (let tap = 0; tap < 20; tap++) pressElement(switchOf('Safety'));
  await waitFor(() => assert.is(lastEnabled, false));
  assert.is(mostAtOnce, 1);
  assert.ok(fakeApi.requestsTo(SET_OWN).length < 20);
  await waitFor(() => assert.is(switchOf('Safety').checked, false));
});

test('sets every topic of the account with Apply to all my devices', async () => {
  await openSettings('granted');
  fakeApi.reply(SET_ACCOUNT, ({ params, body }) => ({
    topicId: Number(params.topicId),
    ...(body as { enabled: boolean }),
  }));
  pressElement(await findButton('Apply to all my devices'));
  await notices().findByText('All your devices now have these settings.');
  assert.equal(
    fakeApi
      .requestsTo(SET_ACCOUNT)
      .map(({ params, body }) => [params.topicId, (body as { enabled: boolean }).enabled]),
    [
      ['1', true],
      ['2', false],
      ['3', true],
    ],
  );
});

test('reports Apply to all my devices when complete, with what failed', async () => {
  await openSettings('granted');
  let responses = 0;
  fakeApi.reply(SET_ACCOUNT, async ({ params, body }) => {
    if (params.topicId === '1') throw new TypeError('cut off');
    await shortPause(); // later than the failure
    responses++;
    return { topicId: Number(params.topicId), ...(body as { enabled: boolean }) };
  });
  pressElement(await findButton('Apply to all my devices'));
  await notices().findByText(
    'Failed to update notification preference for 1 topic (Outages). The settings of 2 other topics now apply to all your devices.',
  );
  assert.is(responses, 2);
  fakeApi.reject(SET_ACCOUNT, 429, 'Too many requests.');
  pressElement(button('Apply to all my devices'));
  await notices().findByText('Too many requests.');
});

test('shows unreadable preferences as disabled, and unregisters no device', async () => {
  fakeApi.reject(ACCOUNT, 500);
  fakeApi.reject(OWN, 500);
  fakePush.install('granted');
  showScreen(settingsScreen, '/');
  await screen.findByText('0 of 3 topics enabled');
  await waitFor(() => assert.ok(currentDevice.value));
  cleanup(); // another screen is opened
  await registerIfAllowed();
  assert.equal(fakeApi.requestsTo(UNREGISTER), []);
  assert.ok(localStorage.getItem('device_token'));
});

test('shows a device’s own settings when it is known before the topics', async () => {
  const release = fakeApi.holdReplies(MINE);
  fakeApi.reply(
    OWN,
    subscribedTopics.map(({ topic: { id } }) => ({ topicId: id, enabled: false })),
  );
  fakePush.install('granted');
  showScreen(settingsScreen, '/');
  await waitFor(() => assert.ok(currentDevice.value));
  release();
  await screen.findByText('0 of 3 topics enabled');
});

test('updates on return after a minute, and shows old data until then', async () => {
  await openSettings('granted');
  const requestCount = fakeApi.requestsTo(MINE).length;
  comeBack(59_000);
  fakeApi.reply(MINE, [...subscribedTopics, topic(4, 'Storms')]);
  const release = fakeApi.holdReplies(MINE);
  comeBack(2000);
  await waitFor(() => assert.is(fakeApi.requestsTo(MINE).length, requestCount + 1));
  comeBack();
  assert.ok(screen.getByText('Your subscribed topics (3)'));
  release();
  await screen.findByText('Your subscribed topics (4)');
  assert.is(fakeApi.requestsTo(MINE).length, requestCount + 1);
});

test('calls a waking phone offline only after a second failed attempt', async () => {
  fakeDatabase.install();
  await openSettings('granted');
  fakeApi.loseRequests(MINE);
  const requestCount = fakeApi.requestsTo(MINE).length;
  comeBack(61_000);
  await waitFor(() => assert.is(fakeApi.requestsTo(MINE).length, requestCount + 1));
  await clock.advance(9999);
  assert.is(topicsShownAsOf.value, null);
  await clock.advance(1);
  await waitFor(() => assert.ok(topicsShownAsOf.value));
  assert.is(fakeApi.requestsTo(MINE).length, requestCount + 2);
  fakeDatabase.remove();
});

test('keeps the switches when a waking phone reaches the server only partly', async () => {
  await openSettings('granted');
  fakeApi.loseRequests(OWN);
  const requestCount = fakeApi.requestsTo(OWN).length;
  comeBack(61_000);
  await waitFor(() => assert.is(fakeApi.requestsTo(OWN).length, requestCount + 1));
  await shortPause(); // waits for nothing to happen
  assert.ok(screen.getByText('2 of 3 topics enabled'));
  await eventually(async () => {
    await clock.advance(10_000); // from the moment that the loss was noticed
    return screen.queryByText('0 of 3 topics enabled');
  }, 'the retry');
});

test('does not refresh on return while a switch is changing', async () => {
  await openSettings('granted');
  const requestCount = fakeApi.requestsTo(MINE).length;
  fakeApi.reply(SET_OWN, { topicId: 2, enabled: true });
  const release = fakeApi.holdReplies(SET_OWN);
  pressElement(switchOf('Safety'));
  comeBack(61_000);
  assert.is(fakeApi.requestsTo(MINE).length, requestCount);
  const checkedCount = fakeApi.requestsTo(OWN).length;
  release();
  await waitFor(() => assert.ok(fakeApi.requestsTo(OWN).length > checkedCount));
});

test('keeps a switch set while topics load, however old the response', async () => {
  await openSettings('granted');
  const release = fakeApi.holdReplies(OWN); // which answers as before the switch
  const requestCount = fakeApi.requestsTo(OWN).length;
  dispatchEvent(new Event('online'));
  fakeApi.reply(SET_OWN, { topicId: 2, enabled: true });
  pressElement(switchOf('Safety'));
  await waitFor(() => assert.is(fakeApi.requestsTo(SET_OWN).length, 1));
  await screen.findByText('3 of 3 topics enabled');
  const switchStates: boolean[] = [];
  const watching = new MutationObserver(() => switchStates.push(switchOf('Safety').checked));
  watching.observe(document.body, {
    subtree: true,
    childList: true,
    attributes: true,
    characterData: true,
  });
  fakeApi.reply(
    OWN,
    subscribedTopics.map(({ topic: { id } }) => ({ topicId: id, enabled: true })),
  );
  release();
  await waitFor(() => assert.ok(fakeApi.requestsTo(OWN).length > requestCount + 1)); // the old answer, and the check after 100 ms
  await waitFor(() => assert.is(switchOf('Safety').checked, true));
  watching.disconnect();
  assert.not(switchStates.includes(false));
  assert.is(switchOf('Safety').checked, true);
});

test('uses the response to the later request when they come out of order', async () => {
  await openSettings('granted');
  const release = fakeApi.holdReplies(MINE);
  dispatchEvent(new Event('online'));
  await waitFor(() => assert.is(fakeApi.requestsTo(MINE).length, 2));
  fakeApi.reply(MINE, [topic(4, 'Storms')]);
  dispatchEvent(new Event('online'));
  await screen.findByText('Your subscribed topics (1)');
  await act(async () => {
    release();
    await shortPause(); // waits for nothing to happen
  });
  assert.ok(screen.getByText('Your subscribed topics (1)'));
});

test('uses the older path of an older backend', async () => {
  fakeApi.reject(MINE, 404);
  fakeApi.reply(OLDER, subscribedTopics);
  await openSettings('default');
});

test('shows failed topics with the reason and Retry', async () => {
  fakeApi.reject(MINE, 500, 'The database is being moved.');
  fakePush.install('default');
  showScreen(settingsScreen, '/');
  await screen.findByText('Failed to load subscriptions: The database is being moved.');
  fakeApi.reply(MINE, subscribedTopics);
  pressElement(button('Retry'));
  await screen.findByText('Your subscribed topics (3)');
  await waitFor(() =>
    assert.is(
      document.activeElement,
      screen.getByRole('heading', { level: 1 }),
      'Retry is gone, so the heading has the focus',
    ),
  );
});

test('tells a person without topics whom to ask', async () => {
  fakeApi.reply(MINE, []);
  fakeApi.reply(ACCOUNT, []);
  fakePush.install('default');
  showScreen(settingsScreen, '/');
  await screen.findByText(
    'You are not subscribed to any topics yet. Contact an administrator to subscribe you to topics.',
  );
  assert.ok(screen.getByText('Your subscribed topics (0)'));
});

test('names what a browser lacks for notifications; everything else works', async () => {
  fakePush.install('default');
  missingFeatures.value = ['service workers', 'push messages'];
  showScreen(settingsScreen, '/');
  await screen.findByText(
    /Push notifications are not supported in this browser. You can still use the app, but notifications will not work./,
  );
  assert.ok(screen.getByText(/service workers and push messages/));
  await screen.findByText('Your subscribed topics (3)');
  assert.is(screen.queryByRole('button', { name: 'Enable Notifications' }), null);
});

test('points to the installed app on iOS without push', async () => {
  fakePush.install('default');
  missingFeatures.value = ['push messages', 'notifications'];
  installation.value = 'instructions';
  showScreen(settingsScreen, '/');
  await screen.findByText(
    (_, element) =>
      element?.tagName === 'P' &&
      /On iPhone and iPad, notifications work after you add the app to your Home Screen. Press Install App\./.test(
        element.textContent ?? '',
      ),
  );
});

test('does not suggest installing where push is missing for another reason', async () => {
  fakePush.install('default');
  missingFeatures.value = ['IndexedDB'];
  installation.value = 'instructions';
  showScreen(settingsScreen, '/');
  await screen.findByText(/because it lacks IndexedDB/);
  assert.is(screen.queryByText(/Home Screen/), null);
});

test('shows N/A until the worker reports its version', async () => {
  fakePush.install('default');
  showScreen(settingsScreen, '/');
  pressElement(await screen.findByText('App Management'));
  await screen.findByText('Service worker version: N/A');
  await screen.findByText('Service worker version: 0.1.0-test');
});

/** Presses Reset App with these caches. Resolves with the number of restarts. */
async function resetApp(keys: () => Promise<string[]>): Promise<() => number> {
  let reloads = 0;
  Object.defineProperty(location, 'reload', { configurable: true, value: () => reloads++ });
  Object.assign(globalThis, { caches: { keys, delete: async () => true } });
  await openSettings('granted');
  pressElement(screen.getByText('App Management'));
  pressElement(await findButton('Reset App'));
  assert.is(
    screen.getByRole('dialog', { name: 'Reset App' }).querySelector('.danger')?.textContent,
    'Reset App',
  );
  pressInDialog('Reset App');
  return () => reloads;
}
test.after.each(() => {
  Reflect.deleteProperty(globalThis, 'caches');
  Reflect.deleteProperty(location, 'reload');
});

test('removes everything and starts again with Reset App', async () => {
  const reloads = await resetApp(async () => ['precache']);
  await waitFor(() => assert.is(reloads(), 1));
  assert.is(fakePush.unregistered, 1);
  assert.is(localStorage.getItem('jwt_token'), null);
});

test('asks before Reset App, and changes nothing on Cancel or Escape', async () => {
  let reloads = 0;
  Object.defineProperty(location, 'reload', { configurable: true, value: () => reloads++ });
  await openSettings('granted');
  pressElement(screen.getByText('App Management'));
  for (const close of [() => pressInDialog('Cancel'), pressEscape]) {
    pressElement(await findButton('Reset App'));
    const question = screen.getByRole('dialog', { name: 'Reset App' });
    assert.match(
      document.getElementById(question.getAttribute('aria-describedby') ?? '')?.textContent ?? '',
      /^This signs you out/,
    );
    close();
    await findNoDialog();
    assert.is(document.activeElement, button('Reset App'), 'the focus is where it was');
  }
  assert.equal([reloads, fakePush.unregistered], [0, 0]);
  assert.ok(localStorage.getItem('jwt_token'));
});

test('shows why a reset failed in its dialog, and lets the person retry', async () => {
  const reloads = await resetApp(() => Promise.reject(new Error('The caches are locked.')));
  await dialog().findByText('Failed to reset app: The caches are locked.');
  assert.is(reloads(), 0);
  Object.assign(globalThis, { caches: { keys: async () => [], delete: async () => true } });
  pressInDialog('Reset App');
  await waitFor(() => assert.is(reloads(), 1));
});

test('shows a revoked permission without reload, and tells the server', async () => {
  await openSettings('granted');
  await waitFor(() => assert.ok(localStorage.getItem('device_token')));
  const token = localStorage.getItem('device_token');
  fakePush.decision = 'denied';
  // Simulates a change in the browser's settings: only the event below informs the page.
  await Notification.requestPermission();
  comeBack();
  await screen.findByText('Permission: denied');
  await waitFor(() =>
    assert.equal(
      fakeApi.requestsTo(UNREGISTER).map(({ body }) => body),
      [{ deviceToken: token, reason: 'blocked' }],
    ),
  );
});

test('unregisters an unreachable device when the screen closes', async () => {
  await openSettings('granted');
  await waitFor(() => assert.ok(localStorage.getItem('device_token')));
  cleanup();
  await unregisterIfUnneeded(true);
  // A reminder of a check-in reaches people without topics, too.
  applyRights({ mayCheckIn: true });
  await unregisterIfUnneeded(false);
  assert.is(fakeApi.requestsTo(UNREGISTER).length, 0);
  applyRights({});
  await unregisterIfUnneeded(false);
  assert.is(fakeApi.requestsTo(UNREGISTER).length, 1);
  assert.is(localStorage.getItem('device_token'), null);
  assert.is(notificationPermission.value, 'granted');
});

test('hides a failed registration of an ended session from the next person', async () => {
  fakePush.install('granted');
  const release = fakeApi.holdReplies(DEVICES);
  const registering = registerIfAllowed();
  await waitFor(() => assert.is(fakeApi.requestsTo(DEVICES).length, 1));
  signInAs('TECHNICIAN', { id: 8 });
  release();
  await registering;
  assert.is(registrationError.value, '');
});

test('uses the account’s switches after a device was released', async () => {
  await openSettings('granted');
  fakeApi.reply(SET_ACCOUNT, { topicId: 2, enabled: true });
  await unregisterIfUnneeded(false);
  assert.is(currentDevice.value, null);
  cleanup();
  const ownCount = fakeApi.requestsTo(OWN).length;
  const account = fakeApi.requestsTo(ACCOUNT).length;
  const release = fakeApi.holdReplies(DEVICES);
  showScreen(settingsScreen, '/subscriptions');
  pressElement(await screen.findByRole('switch', { name: 'Safety' }));
  await waitFor(() => assert.is(fakeApi.requestsTo(SET_ACCOUNT).length, 1));
  await waitFor(() => assert.ok(fakeApi.requestsTo(ACCOUNT).length > account));
  assert.equal([fakeApi.requestsTo(OWN).length, fakeApi.requestsTo(SET_OWN).length], [ownCount, 0]);
  release();
  await waitFor(() => assert.is(currentDevice.value?.id, knownDevice.id));
});

test('retries a lost server by itself, even if the phone noticed nothing', async () => {
  fakeDatabase.install();
  await openSettings('granted');
  fakeApi.loseRequests(MINE);
  window.dispatchEvent(new Event('online'));
  await waitFor(() => assert.ok(topicsShownAsOf.value));
  assert.is(switchOf('Outages').disabled, true);
  assert.is(button('Apply to all my devices').disabled, true);
  fakeApi.reply(MINE, subscribedTopics);
  await clock.advance(10_000);
  await waitFor(() => assert.is(topicsShownAsOf.value, null));
  assert.is(switchOf('Outages').disabled, false);
  fakeDatabase.remove();
});

test('clears a missing answer once a later one arrives', async () => {
  fakeDatabase.install();
  await openSettings('granted');
  fakeApi.loseRequests(MINE);
  const release = fakeApi.holdReplies(MINE);
  window.dispatchEvent(new Event('online'));
  await waitFor(() => assert.is(fakeApi.requestsTo(MINE).length, 2));
  fakeApi.reply(MINE, [topic(4, 'Storms')]);
  fakeApi.reply(OWN, [{ topicId: 4, enabled: true }]);
  window.dispatchEvent(new Event('online'));
  await screen.findByRole('switch', { name: 'Storms' });
  await act(async () => {
    release();
    await new Promise((resolve) => setTimeout(resolve));
  });
  assert.is(topicsShownAsOf.value, null);
  fakeDatabase.remove();
});

test.run();
