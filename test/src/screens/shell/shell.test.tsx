import * as assert from 'uvu/assert';
import { SignedIn } from '../../../support/app/signed-in';
import { updated } from '../../../../src/state/app-version';
import { installation } from '../../../../src/state/device/installation';
import { dismissed } from '../../../../src/state/device/put-off';
import { endsSoon } from '../../../../src/state/ends-soon';
import '../../../../src/state/session-end';
import { topicsShownAsOf } from '../../../../src/state/subscriptions/load';
import { learn } from '../../../../src/ui/values/learn';
import {
  button,
  cleanup,
  clock,
  dialog,
  fakeApi,
  findButton,
  notices,
  press,
  screen,
  screenSuite,
  show,
  waitFor,
} from '../../../support/app/app';
import {
  makeTopic,
  makeUser,
  sentPages,
  topicPages,
  userPages,
} from '../../../support/app/rows/people';
import { makeOverview } from '../../../support/app/rows/reach';
import { pushWorld } from '../../../support/push-services/push-world';
import { endSession, signInAs } from '../../../support/app/session';
import { storageWorks, signedIn } from '../../../../src/state/session';

const test = screenSuite('shell');

test.before.each(() => {
  pushWorld.install('default');
  fakeApi.answer('GET /api/notifications/my-subscriptions', []);
  fakeApi.answer('GET /api/notifications/preferences', []);
  fakeApi.answer('GET /api/admin/users', userPages([]));
  fakeApi.answer('GET /api/admin/topics', topicPages([]));
  fakeApi.answer('GET /api/admin/messages', sentPages([]));
  fakeApi.answer('GET /api/admin/overview', makeOverview());
});
test.after.each(() => {
  installation.value = 'none';
  dismissed.value = false;
  topicsShownAsOf.value = null;
  endsSoon.value = false;
  updated.value = false;
  storageWorks.value = true;
  endSession();
});

const places = () => screen.getAllByRole('listitem').map((item) => item.textContent);
const nav = () => screen.getByRole('navigation', { name: 'Main' });

test('an administrator sees the admin title, seven places, and their own name', async () => {
  signInAs('ADMIN', { username: 'ada.lindqvist' });
  show(<SignedIn />, '/admin');
  await screen.findByRole('heading', { name: 'Dashboard' });
  assert.ok(screen.getByText('Fieldbell Admin'));
  assert.is(screen.getByText('Fieldbell Admin').getAttribute('href'), '/admin');
  assert.equal(places().slice(0, 7), [
    'Dashboard',
    'Topics',
    'Users',
    'Messages',
    'Reach',
    'Setup',
    'Notifications',
  ]);
  assert.is(
    screen.getByText('ada.lindqvist').closest('p')?.textContent,
    'Logged in as: ada.lindqvist',
  );
});

test('anyone else sees the plain title, and of places only those that are their own', async () => {
  signInAs('CUSTOMER', { username: 'harbour-office' });
  show(<SignedIn />, '/');
  await screen.findByRole('heading', { name: 'Topics & Notifications Settings' });
  assert.is(screen.getByText('Fieldbell').getAttribute('href'), '/');
  assert.equal(places(), ['Messages', 'Notifications', 'Check', 'Quiet hours', 'Account']);
});

test('the present place is marked', async () => {
  signInAs('ADMIN');
  show(<SignedIn />, '/subscriptions');
  await screen.findByRole('heading', { name: 'Topics & Notifications Settings' });
  assert.is(nav().querySelector('[aria-current="page"]')?.textContent, 'Notifications');
});

test('the menu of narrow screens opens and closes, and closes after going somewhere', async () => {
  signInAs('ADMIN');
  show(<SignedIn />, '/admin');
  const menu = await findButton('Menu');
  assert.is(menu.getAttribute('aria-expanded'), 'false');
  press(menu);
  await waitFor(() => assert.is(menu.getAttribute('aria-expanded'), 'true'));
  press(screen.getByRole('link', { name: 'Notifications' }));
  await waitFor(() => assert.is(menu.getAttribute('aria-expanded'), 'false'));
});

test('Logout signs out', async () => {
  signInAs('TECHNICIAN');
  show(<SignedIn />, '/');
  press(await findButton('Logout'));
  await waitFor(() => assert.is(signedIn.value, false));
});

test('a push that arrives while the app is open is said in the notice place, unless it is a test', async () => {
  signInAs('TECHNICIAN');
  show(<SignedIn />, '/');
  // It is heard as soon as the screen is painted.
  await waitFor(() => assert.is(pushWorld.tell({ type: 'open', path: '/' }).answered, true));
  pushWorld.tell({
    type: 'shown',
    shown: { id: 't1', isTest: true, title: 'Test', body: 'Did it ring?' },
  });
  pushWorld.tell({
    type: 'shown',
    shown: { title: 'Grid outages', body: '<b>Feeder</b> 12 tripped.', priority: 'urgent' },
  });
  const said = await notices().findByText('Urgent · Grid outages: <b>Feeder</b> 12 tripped.');
  assert.is(said.closest<HTMLElement>('.note')?.dataset.tone, 'bad', 'it looks urgent');
  assert.is(notices().queryByText(/Did it ring/), null);
});

test('a push that arrives a minute after the topics were read has them read again: it may come of a new one', async () => {
  const MINE = 'GET /api/notifications/my-subscriptions';
  const { now } = Date;
  signInAs('TECHNICIAN');
  show(<SignedIn />, '/');
  await screen.findByText('Your subscribed topics (0)');
  const push = () => pushWorld.tell({ type: 'shown', shown: { title: 'Storms', body: 'Gale.' } });
  push();
  assert.is(fakeApi.asked(MINE).length, 1);
  fakeApi.answer(MINE, [{ id: 1, createdAt: '', topic: makeTopic(1) }]);
  Date.now = () => now() + 61_000;
  push();
  await screen.findByText('Your subscribed topics (1)').finally(() => Object.assign(Date, { now }));
});

test('a click on a notification goes where it leads, and the worker hears that the page sees to it', async () => {
  signInAs('ADMIN');
  show(<SignedIn />, '/admin');
  await screen.findByRole('heading', { name: 'Dashboard' });
  assert.is(pushWorld.tell({ type: 'open', path: '/subscriptions' }).answered, true);
  await screen.findByRole('heading', { name: 'Topics & Notifications Settings' });
});

test('the worker can tell that a page sees to clicks, as long as one does, also in a second session', async () => {
  signInAs('TECHNICIAN');
  for (const _ of [1, 2]) {
    assert.equal(pushWorld.shared(), []);
    show(<SignedIn />, '/');
    await waitFor(() => assert.equal(pushWorld.shared(), ['listening']));
    cleanup();
    await waitFor(() => assert.equal(pushWorld.shared(), []));
  }
});

/** A person who has begun to choose topics for a user. */
async function beginToSubscribe(): Promise<void> {
  signInAs('ADMIN');
  fakeApi.answer('GET /api/admin/users/:id', makeUser(1));
  fakeApi.answer('GET /api/admin/users/:id/subscriptions', []);
  fakeApi.answer('GET /api/admin/users/:id/available-topics', [makeTopic(1)]);
  show(<SignedIn />, '/admin/users/1/subscriptions');
  press(await screen.findByRole('checkbox', { name: 'Topic 1' }));
  await screen.findByText('1 selected');
}

for (const answer of [false, true]) {
  test(`a click on a notification asks before anything chosen is lost, and ${answer ? 'goes there after Yes' : 'stays after No'}`, async () => {
    await beginToSubscribe();
    const asked: unknown[] = [];
    globalThis.confirm = (question) => (asked.push(question), answer);
    pushWorld.tell({ type: 'open', path: '/admin' });
    assert.equal(asked, [
      'Open the notification? What you typed here and did not save will be lost.',
    ]);
    assert.is(location.pathname, answer ? '/admin' : '/admin/users/1/subscriptions');
    await screen.findByRole('heading', { name: answer ? 'Dashboard' : 'Manage Subscriptions' });
  });
}

test('a new version starts the page again, but not one on which something would be lost: then the person says when', async () => {
  let reloads = 0;
  Object.defineProperty(location, 'reload', { configurable: true, value: () => reloads++ });
  await beginToSubscribe();
  await clock.advance(200); // it comes when the first screen is there
  updated.value = true;
  await screen.findByText(/^There is a new version of the app\./);
  await clock.advance(0); // effects come after what is drawn
  assert.is(reloads, 0);
  press(button('Reload'));
  assert.is(reloads, 1);
  updated.value = false;
  press(screen.getByRole('checkbox', { name: 'Topic 1' }));
  await screen.findByText('0 selected');
  updated.value = true;
  await waitFor(() => assert.is(reloads, 2));
  Reflect.deleteProperty(location, 'reload');
});

test('five minutes before the end of the session the app says so, and logging in again starts with a sign-out', async () => {
  signInAs('TECHNICIAN');
  show(<SignedIn />, '/');
  await screen.findByRole('heading', { name: 'Topics & Notifications Settings' });
  assert.is(screen.queryByText('Your session ends in 5 minutes.'), null);
  endsSoon.value = true;
  await screen.findByText('Your session ends in 5 minutes.');
  press(button('Log in again'));
  await waitFor(() => assert.is(signedIn.value, false));
});

test('a screen that fails leaves the navigation alive, and offers to reload', async () => {
  signInAs('ADMIN');
  const { error } = console;
  console.error = () => {};
  fakeApi.answer('GET /api/admin/users', userPages([makeUser(1)]));
  // Not even a broken backend can do this: the list is not what its check let through.
  const { map } = Array.prototype;
  Array.prototype.map = function (this: unknown[], ...given: Parameters<typeof map>) {
    if ((this[0] as { username?: string } | undefined)?.username)
      throw new TypeError('a fault of ours');
    return map.apply(this, given);
  } as typeof map;
  try {
    show(<SignedIn />, '/admin/users');
    assert.is(
      (await screen.findByText(/^This page could not be shown\./)).parentElement?.getAttribute(
        'role',
      ),
      'alert',
    );
  } finally {
    Object.assign(console, { error });
    Array.prototype.map = map;
  }
  assert.ok(button('Reload'));
  press(screen.getByRole('link', { name: 'Dashboard' }));
  await screen.findByRole('heading', { name: 'Dashboard' });
  press(screen.getByRole('link', { name: 'Users' }));
  await screen.findByText('user1');
});

test('a browser that keeps nothing is told of, once signed in', async () => {
  signInAs('TECHNICIAN');
  storageWorks.value = false;
  show(<SignedIn />, '/');
  await waitFor(async () => {
    await clock.advance(200); // until the browser has nothing better to do
    notices().getByText(
      'This browser keeps nothing. You will have to log in again after closing this page.',
    );
  });
});

test('without a network it says as of when things are shown', async () => {
  signInAs('TECHNICIAN');
  show(<SignedIn />, '/');
  await screen.findByRole('heading', { name: 'Topics & Notifications Settings' });
  await clock.advance(200); // it comes when the first screen is there
  topicsShownAsOf.value = new Date().setHours(9, 42);
  await screen.findByText(
    (_, element) =>
      element?.className === 'strip chip' &&
      /^Offline\. Shown as of 09:42\./.test(element.textContent ?? ''),
  );
});

test('an administrator’s list says as of when it is shown without a network, and is read again after', async () => {
  signInAs('ADMIN');
  show(<SignedIn />, '/admin/topics');
  await screen.findByText('There are no topics yet. Press Add Topic to create the first one.');
  await clock.advance(200); // it comes when the first screen is there
  const network = (online: boolean) => {
    Object.defineProperty(navigator, 'onLine', { value: online, configurable: true });
    dispatchEvent(new Event(online ? 'online' : 'offline'));
  };
  try {
    network(false);
    await screen.findByText(/^Offline\. Shown as of/, { selector: '.strip' });
    press(screen.getByRole('link', { name: 'Users' }));
    await screen.findByText('Offline.', { selector: '.strip' });
    press(screen.getByRole('link', { name: 'Topics' }));
    fakeApi.answer('GET /api/admin/topics', topicPages([makeTopic(1, { title: 'Storms' })]));
    network(true);
    await screen.findByText('Storms');
    assert.is(screen.queryByText(/^Offline/), null);
  } finally {
    network(true);
  }
});

test('data of another day is shown with its day', async () => {
  learn();
  signInAs('TECHNICIAN');
  show(<SignedIn />, '/');
  await screen.findByRole('heading', { name: 'Topics & Notifications Settings' });
  await clock.advance(200); // it comes when the first screen is there
  const time = new Date(2026, 0, 5, 9, 42);
  topicsShownAsOf.value = time.getTime();
  const day = new Intl.DateTimeFormat(navigator.language, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  }).format(time);
  await screen.findByText(`${day} 09:42`);
});

test('Install App is offered with the browser’s prompt, and hidden once it was used', async () => {
  signInAs('TECHNICIAN');
  show(<SignedIn />, '/');
  await findButton('Logout');
  assert.is(screen.queryByRole('button', { name: 'Install App' }), null);
  installation.value = 'prompt';
  press(await findButton('Install App'));
  await waitFor(() => assert.is(screen.queryByRole('button', { name: 'Install App' }), null));
});

test('Not now hides Install App, on this device for 30 days, and App Management has it then', async () => {
  signInAs('TECHNICIAN');
  show(<SignedIn />, '/');
  installation.value = 'prompt';
  const notNow = await findButton('Not now: hide Install App');
  assert.is(notNow.textContent, 'Not now');
  assert.ok(notNow.closest('.fab.panel')?.contains(button('Install App')));
  press(notNow);
  await waitFor(() => assert.is(screen.queryByRole('button', { name: 'Install App' }), null));
  assert.ok(Math.abs(Date.now() - Number(localStorage.getItem('install_dismissed'))) < 60_000);
  await waitFor(() =>
    assert.is(
      document.activeElement,
      screen.getByRole('heading', { level: 1 }),
      'the focus is not lost with the button',
    ),
  );
  press(screen.getByText('App Management'));
  press(await findButton('Install App'));
  await waitFor(() =>
    assert.is(screen.queryByRole('button', { name: 'Install App' }), null, 'there is one prompt'),
  );
});

test('App Management has no Install App while it floats over the page, nor where nothing can be installed', async () => {
  signInAs('TECHNICIAN');
  show(<SignedIn />, '/');
  press(await screen.findByText('App Management'));
  await findButton('Reset App');
  assert.is(screen.queryByRole('button', { name: 'Install App' }), null);
  installation.value = 'prompt';
  await findButton('Install App');
  assert.is(screen.getAllByRole('button', { name: 'Install App' }).length, 1);
});

test('on iOS it shows how to install by hand', async () => {
  signInAs('TECHNICIAN');
  show(<SignedIn />, '/');
  installation.value = 'instructions';
  press(await findButton('Install App'));
  await screen.findByRole('dialog', { name: 'Install App' });
  assert.equal(
    dialog()
      .getAllByRole('listitem')
      .map((item) => item.textContent),
    ['Tap the Share icon  in the browser’s bar.', 'Choose Add to Home Screen.', 'Tap Add.'],
  );
  press(dialog().getByRole('button', { name: 'Close' }));
  await waitFor(() => assert.is(screen.queryByRole('dialog'), null));
});

test.run();
