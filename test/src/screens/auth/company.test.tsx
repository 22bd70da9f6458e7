/** Signing in by the company: the button above the login form, and coming back. */
import * as assert from 'uvu/assert';
import { Login } from '../../../../src/screens/auth/Login';
import { challenge } from '../../../../src/state/account/challenge';
import { ended, signedIn, token } from '../../../../src/state/session';
import { button, press, screen, screenSuite, show, waitFor } from '../../../support/app/app';
import { endSession, makeToken } from '../../../support/app/session';

const test = screenSuite('signing in by the company');
const builtWith = (built: { COMPANY: string; SECOND_FACTOR: boolean }) =>
  Object.assign(globalThis, built);
const { assign } = location;
const went: string[] = [];

test.before.each(() => {
  builtWith({ COMPANY: 'Northgrid', SECOND_FACTOR: true });
  went.length = 0;
  location.assign = (to) => void went.push(String(to));
});
test.after.each(() => {
  challenge.value = null;
  endSession();
  location.assign = assign;
  builtWith({ COMPANY: '', SECOND_FACTOR: false });
});

/** Its sentences name the company, as they are built: so it is loaded when that is set. */
const arrive = async (name: string, value: string): Promise<void> =>
  (await import('../../../../src/state/account/arrival')).arrive([name, value]);

test('the login form has the company’s sign-in above it, which keeps where the person was going', async () => {
  show(<Login />, '/login?next=%2Fmessages%2F5');
  await waitFor(() => assert.is(button('Sign in with Northgrid').disabled, false));
  screen.getByText('or with your Fieldbell password');
  press(button('Sign in with Northgrid'));
  const to = new URL(went[0] ?? '', location.href);
  assert.equal([to.pathname, to.searchParams.get('next')], ['/api/auth/oidc/start', '/messages/5']);
});

test('a build without a company has no such way', () => {
  builtWith({ COMPANY: '', SECOND_FACTOR: false });
  show(<Login />, '/login');
  assert.is(screen.queryByText(/or with your Fieldbell password/), null);
});

test('coming back with a token signs in', async () => {
  const given = makeToken({ role: 'ADMIN' });
  await arrive('token', given);
  assert.equal([signedIn.value, token.value, ended.value], [true, given, '']);
});

test('a token that is none is refused at the login form', async () => {
  for (const given of ['', 'x', makeToken({ exp: 1 })]) {
    await arrive('token', given);
    assert.equal(
      [signedIn.value, ended.value],
      [false, 'Signing in with Northgrid failed. Please try again.'],
    );
  }
});

test('an administrator comes back to the second step; a build without one says what is missing', async () => {
  await arrive('second_factor', 'sealed');
  assert.equal(challenge.value, { step: 'second_factor', challenge: 'sealed' });
  challenge.value = null;
  builtWith({ COMPANY: 'Northgrid', SECOND_FACTOR: false });
  await arrive('second_factor_set_up', 'sealed');
  assert.is(challenge.value, null);
  assert.match(ended.value, /for which this app was not built/);
});

for (const [why, sentence] of [
  [
    'unknown',
    'Nobody here has your e-mail address at Northgrid. Ask your administrator to add you.',
  ],
  ['unverified', /^Northgrid has not verified your e-mail address/],
  ['unverified_here', /^Your e-mail address is not verified here yet/],
  ['linked', /^Your account here belongs to another sign-in at Northgrid/],
  ['cancelled', 'You were not signed in: Northgrid says that it was cancelled.'],
  ['expired', /^This sign-in was begun in another browser/],
  ['down', /^The sign-in of Northgrid cannot be reached/],
  ['busy', /^Too many attempts/],
  ['off', 'Signing in with Northgrid is not set up on the server.'],
  ['refused', 'Signing in with Northgrid failed. Please try again.'],
  // A later server's, and what somebody else put into the address.
  ['of a later server', 'Signing in with Northgrid failed. Please try again.'],
  ['constructor', 'Signing in with Northgrid failed. Please try again.'],
  ['<b>x</b>', 'Signing in with Northgrid failed. Please try again.'],
] as const)
  test(`who was refused (${why}) reads why at the login form`, async () => {
    await arrive('refused', why);
    if (typeof sentence === 'string') assert.is(ended.value, sentence);
    else assert.match(ended.value, sentence);
    show(<Login />, '/login');
    assert.is(screen.getByRole('alert').textContent, ended.value);
  });

test.run();
