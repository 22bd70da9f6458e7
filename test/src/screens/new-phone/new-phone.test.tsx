import * as assert from 'uvu/assert';
import { DevicesAndData } from '../../../../src/screens/account/DevicesAndData';
import { NewPhone } from '../../../../src/screens/new-phone/NewPhone';
import { notificationPermission } from '../../../../src/state/device/permission';
import { sessionClaims } from '../../../../src/state/session';
import {
  button,
  cleanup,
  fakeApi,
  pressElement,
  screen,
  screenSuite,
  showScreen,
  typeInto,
  waitFor,
} from '../../../support/app/app';
import { createUser } from '../../../support/app/factories/people';
import { endSession, createToken, signInAs } from '../../../support/app/session';

const test = screenSuite('a new phone');
const OWNER = 'POST /api/auth/phone-link/owner';
const USE = 'POST /api/auth/phone-link';

test.before.each(() => {
  endSession();
  notificationPermission.value = 'granted';
});
test.after.each(endSession);

test('says whom the link signs in, takes it out of the address, and signs in', async () => {
  fakeApi.reply(OWNER, { username: 'm.okafor' });
  fakeApi.reply(USE, { token: createToken({ role: 'TECHNICIAN' }), user: createUser(2) });
  showScreen(<NewPhone />, '/new-phone#t0k3n');
  await screen.findByText('m.okafor');
  assert.is(location.hash, '');
  assert.equal(
    fakeApi.requestsTo(OWNER).map(({ body }) => body),
    [{ token: 't0k3n' }],
  );
  pressElement(button('Sign in'));
  await waitFor(() => assert.is(sessionClaims.value?.role, 'TECHNICIAN'));
  assert.equal(
    fakeApi.requestsTo(USE).map(({ body }) => (body as { token: string }).token),
    ['t0k3n'],
  );
});

test('takes a pasted link in the installed app', async () => {
  fakeApi.reply(OWNER, { username: 'm.okafor' });
  showScreen(<NewPhone />, '/new-phone');
  typeInto(screen.getByLabelText('Sign-in link'), 'https://bell.example/login');
  pressElement(button('Continue'));
  await screen.findByText('This isn’t a sign-in link.');
  typeInto(screen.getByLabelText('Sign-in link'), 'https://bell.example/new-phone#t0k3n');
  pressElement(button('Continue'));
  await screen.findByText('m.okafor');
});

test('sends people with a used link to the login form', async () => {
  fakeApi.reject(OWNER, 400, 'This sign-in link has expired or has already been used.');
  showScreen(<NewPhone />, '/new-phone#t0k3n');
  await screen.findByText(/already been used\. Ask for a new link/);
  assert.ok(screen.getByRole('link', { name: 'Go to sign-in' }));
});

test('shows the code on the old phone, but not to administrators', async () => {
  signInAs('ADMIN');
  showScreen(<DevicesAndData />, '/account');
  await screen.findByText('Devices and data');
  assert.is(screen.queryByText('Use another phone'), null);
  cleanup();
  signInAs('TECHNICIAN');
  fakeApi.reply('POST /api/account/phone-link', {
    link: 'https://bell.example/new-phone#t0k3n',
    expiresAt: '2026-11-20T14:12:00.000Z',
  });
  showScreen(<DevicesAndData />, '/account');
  pressElement(button('Use another phone'));
  assert.ok(await screen.findByRole('img', { name: 'QR code that signs the new phone in' }));
  assert.ok(screen.getByText('https://bell.example/new-phone#t0k3n'));
});

test.run();
