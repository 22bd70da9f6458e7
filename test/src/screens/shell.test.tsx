import * as assert from 'uvu/assert';
import { Shell } from '../../../src/screens/Shell';
import { installation } from '../../../src/platform/install';
import { updated } from '../../../src/platform/worker';
import { endsSoon } from '../../../src/state/session-end';
import { shownAsOf } from '../../../src/state/subscriptions';
import { button, dialog, fakeApi, findButton, notices, press, screen, screenSuite, show, waitFor } from '../../support/app';
import { pushWorld } from '../../support/push-world';
import { endSession, signInAs } from '../../support/session';
import { signedIn } from '../../../src/state/session';

const test = screenSuite('shell');

test.before.each(() => {
  pushWorld.install('default');
  fakeApi.answer('GET /api/notifications/my-subscriptions', []);
  fakeApi.answer('GET /api/notifications/preferences', []);
});
test.after.each(() => {
  installation.value = 'none';
  shownAsOf.value = null;
  endsSoon.value = false;
  updated.value = false;
  endSession();
});

const places = () => screen.getAllByRole('listitem').map((item) => item.textContent);
const nav = () => screen.getByRole('navigation', { name: 'Main' });

test('an administrator sees the admin title, four places, and their own name', async () => {
  signInAs('ADMIN', { username: 'ada.lindqvist' });
  show(<Shell />, '/admin');
  await screen.findByRole('heading', { name: 'Dashboard' });
  assert.ok(screen.getByText('Fieldbell Admin'));
  assert.is(screen.getByText('Fieldbell Admin').getAttribute('href'), '/admin');
  assert.equal(places().slice(0, 4), ['Dashboard', 'Topics', 'Users', 'Notifications']);
  assert.is(screen.getByText('ada.lindqvist').closest('p')?.textContent, 'Logged in as: ada.lindqvist');
});

test('anyone else sees the plain title and Notifications only', async () => {
  signInAs('CUSTOMER', { username: 'harbour-office' });
  show(<Shell />, '/');
  await screen.findByRole('heading', { name: 'Topics & Notifications Settings' });
  assert.is(screen.getByText('Fieldbell').getAttribute('href'), '/');
  assert.equal(places(), ['Notifications']);
});

test('the present place is marked', async () => {
  signInAs('ADMIN');
  show(<Shell />, '/subscriptions');
  await screen.findByRole('heading', { name: 'Topics & Notifications Settings' });
  assert.is(nav().querySelector('[aria-current="page"]')?.textContent, 'Notifications');
});

test('the menu of narrow screens opens and closes, and closes after going somewhere', async () => {
  signInAs('ADMIN');
  show(<Shell />, '/admin');
  const menu = await findButton('Menu');
  assert.is(menu.getAttribute('aria-expanded'), 'false');
  press(menu);
  await waitFor(() => assert.is(menu.getAttribute('aria-expanded'), 'true'));
  press(screen.getByRole('link', { name: 'Notifications' }));
  await waitFor(() => assert.is(menu.getAttribute('aria-expanded'), 'false'));
});

test('Logout signs out', async () => {
  signInAs('TECHNICIAN');
  show(<Shell />, '/');
  press(await findButton('Logout'));
  await waitFor(() => assert.is(signedIn.value, false));
});

test('a push that arrives while the app is open is said in the notice place', async () => {
  signInAs('TECHNICIAN');
  show(<Shell />, '/');
  await screen.findByRole('heading', { name: 'Topics & Notifications Settings' });
  pushWorld.tell({ type: 'shown', shown: { title: 'Grid outages', body: '<b>Feeder</b> 12 tripped.' } });
  await notices().findByText('Grid outages: <b>Feeder</b> 12 tripped.');
});

test('a click on a notification goes where it leads, and the worker hears that the page sees to it', async () => {
  signInAs('ADMIN');
  show(<Shell />, '/admin');
  await screen.findByRole('heading', { name: 'Dashboard' });
  assert.is(pushWorld.tell({ type: 'open', path: '/subscriptions' }).answered, true);
  await screen.findByRole('heading', { name: 'Topics & Notifications Settings' });
});

test('five minutes before the end of the session the app says so, and logging in again starts with a sign-out', async () => {
  signInAs('TECHNICIAN');
  show(<Shell />, '/');
  await screen.findByRole('heading', { name: 'Topics & Notifications Settings' });
  assert.is(screen.queryByText('Your session ends in 5 minutes.'), null);
  endsSoon.value = true;
  await screen.findByText('Your session ends in 5 minutes.');
  press(button('Log in again'));
  await waitFor(() => assert.is(signedIn.value, false));
});

test('without a network it says as of when things are shown', async () => {
  signInAs('TECHNICIAN');
  show(<Shell />, '/');
  await screen.findByRole('heading', { name: 'Topics & Notifications Settings' });
  shownAsOf.value = new Date().setHours(9, 42);
  await screen.findByText((_, element) => element?.className === 'strip chip' && /^Offline\. Shown as of 09:42\./.test(element.textContent ?? ''));
});

test('Install App is offered with the browser’s prompt, and hidden once it was used', async () => {
  signInAs('TECHNICIAN');
  show(<Shell />, '/');
  await findButton('Logout');
  assert.is(screen.queryByRole('button', { name: 'Install App' }), null);
  installation.value = 'prompt';
  press(await findButton('Install App'));
  await waitFor(() => assert.is(screen.queryByRole('button', { name: 'Install App' }), null));
});

test('on iOS it shows how to install by hand', async () => {
  signInAs('TECHNICIAN');
  show(<Shell />, '/');
  installation.value = 'instructions';
  press(await findButton('Install App'));
  await screen.findByRole('dialog', { name: 'Install App' });
  assert.equal(dialog().getAllByRole('listitem').map((item) => item.textContent), ['Tap the Share icon  in the browser’s bar.', 'Choose Add to Home Screen.', 'Tap Add.']);
  press(dialog().getByRole('button', { name: 'Close' }));
  await waitFor(() => assert.is(screen.queryByRole('dialog'), null));
});

test.run();
