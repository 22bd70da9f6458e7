import * as assert from 'uvu/assert';
import { Login } from '../../../../src/screens/auth/Login';
import { Register } from '../../../../src/screens/auth/Register';
import { RequestReset } from '../../../../src/screens/auth/RequestReset';
import { ResetPassword } from '../../../../src/screens/auth/ResetPassword';
import { VerifyEmail } from '../../../../src/screens/auth/VerifyEmail';
import { discardSession, isSignedIn } from '../../../../src/state/session';
import {
  button,
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

const test = screenSuite('auth');
const LOGIN = 'POST /api/auth/login';
const REGISTER = 'POST /api/auth/complete-registration';
const REQUEST = 'POST /api/auth/request-password-reset';
const RESET = 'POST /api/auth/reset-password';
const VERIFY = 'GET /api/auth/verify-email/:token';
const RESEND = 'POST /api/auth/resend-verification';
const LONG = '<img src=x onerror=alert(1)>';

test.before.each(() => {
  // password.test.tsx covers what a backend tells before the form is sent.
  fakeApi.reject('GET /api/auth/registration/:token', 404);
  fakeApi.reject('GET /api/auth/password-rules', 404);
});
test.after.each(endSession);

function fill(fields: Record<string, string>): void {
  for (const [label, text] of Object.entries(fields)) typeInto(screen.getByLabelText(label), text);
}
/** The outcome is in the page, and focused. */
const isAnnounced = async (outcome: string) => {
  const note = await screen.findByText(outcome);
  await waitFor(() => assert.is(document.activeElement, note));
};
const alert = () => screen.findByRole('alert');
/** Browsers stop an incomplete form; this is what they would report. */
const isComplete = () => document.querySelector('form')?.checkValidity();

test('shows and hides the login password with Show password, without sending it', async () => {
  showScreen(<Login />, '/login');
  const field = screen.getByLabelText('Password') as HTMLInputElement;
  typeInto(field, 'bell tower 9');
  const box = screen.getByRole('checkbox', { name: 'Show password' });
  await waitFor(() => assert.is((box as HTMLInputElement).disabled, false));
  for (const shown of ['text', 'password', 'text']) {
    pressElement(box);
    await waitFor(() => assert.is(field.type, shown));
    assert.is(field.value, 'bell tower 9');
  }
  // A password shown as text must not be spell-checked online.
  assert.is(field.getAttribute('spellcheck'), 'false');
  assert.is(field.getAttribute('autocapitalize'), 'none');
  assert.is(field.autocomplete, 'current-password');
  fill({ Username: 'm.okafor' });
  fakeApi.reject(LOGIN, 401, 'Wrong.');
  pressElement(button('Sign in'));
  await screen.findByText('Wrong.');
  assert.equal(
    fakeApi.requestsTo(LOGIN).map(({ body }) => body),
    [{ username: 'm.okafor', password: 'bell tower 9' }],
  );
  assert.is(field.value, 'bell tower 9');
});

test('asks for username and password, shows the logo, and links to the reset', () => {
  showScreen(<Login />, '/login');
  assert.is(isComplete(), false);
  fill({ Username: 'm.okafor' });
  assert.is(isComplete(), false);
  fill({ Password: 'bell-tower-9' });
  assert.is(isComplete(), true);
  assert.is(
    screen.getByRole('link', { name: 'Forgot password?' }).getAttribute('href'),
    '/request-password-reset',
  );
  assert.ok(document.querySelector('img[src="/logo.svg"]'));
});

test('sends the typed login once, and shows that it is busy', async () => {
  fakeApi.reply(LOGIN, { token: createToken(), user: createUser(7) });
  const release = fakeApi.holdReplies(LOGIN);
  showScreen(<Login />, '/login');
  fill({ Username: 'm.okafor', Password: ' bell-tower-9 ' });
  pressElement(button('Sign in'));
  await waitFor(() => assert.is(button('Signing in…').getAttribute('aria-busy'), 'true'));
  assert.is(button('Signing in…').disabled, true);
  release();
  await waitFor(() => assert.is(isSignedIn.value, true));
  assert.equal(
    fakeApi.requestsTo(LOGIN).map(({ body }) => body),
    [{ username: 'm.okafor', password: ' bell-tower-9 ' }],
  );
});

test('shows a rejected login beside the fields, and keeps the input', async () => {
  fakeApi.reject(LOGIN, 401, 'Invalid username or password.');
  showScreen(<Login />, '/login');
  fill({ Username: 'm.okafor', Password: 'wrong' });
  pressElement(button('Sign in'));
  await screen.findByText('Invalid username or password.');
  const field = screen.getByLabelText<HTMLInputElement>('Username');
  assert.is(field.value, 'm.okafor');
  assert.is(field.getAttribute('aria-invalid'), 'true');
  assert.is(field.getAttribute('aria-describedby'), (await alert()).id);
  assert.is(button('Sign in').disabled, false);
});

for (const [what, onLine, reply, sentence] of [
  [
    'without a network',
    false,
    () => fakeApi.loseRequests(LOGIN),
    'You’re offline. Connect and try again.',
  ],
  [
    'that does not reach the server',
    true,
    () => fakeApi.loseRequests(LOGIN),
    'Login failed. Please try again. The server isn’t reachable.',
  ],
  [
    'that a captive portal answers',
    true,
    () => fakeApi.replyWithPage(LOGIN),
    'Login failed. Please try again.',
  ],
  [
    'at which the server fails',
    true,
    () => fakeApi.reject(LOGIN, 500),
    'Login failed. Please try again.',
  ],
] as const) {
  test(`reports a login ${what}, and marks no field`, async () => {
    Object.defineProperty(navigator, 'onLine', { configurable: true, value: onLine });
    try {
      reply();
      showScreen(<Login />, '/login');
      fill({ Username: 'a', Password: 'b' });
      for (const _ of [1, 2]) {
        pressElement(button('Sign in'));
        await waitFor(async () => assert.is((await alert()).textContent, sentence));
      }
      assert.is(document.querySelector('[aria-invalid]'), null);
    } finally {
      Reflect.deleteProperty(navigator, 'onLine');
    }
  });
}

test('says how long to wait after too many logins', async () => {
  fakeApi.reject(LOGIN, 429, 'Too many attempts to sign in.', {
    'Retry-After': '840',
  });
  showScreen(<Login />, '/login');
  fill({ Username: 'a', Password: 'b' });
  pressElement(button('Sign in'));
  await screen.findByText('Too many attempts to sign in. Wait 14 minutes.');
});

test('says that the session ended until someone signs in', async () => {
  fakeApi.reject(LOGIN, 401, 'Invalid username or password.');
  signInAs('TECHNICIAN');
  discardSession('it has expired');
  showScreen(<Login />, '/login');
  assert.is((await alert()).textContent, 'Your session has ended. Sign in to continue.');
  assert.is(screen.getByLabelText('Username').getAttribute('aria-invalid'), null);
  fill({ Username: 'a', Password: 'b' });
  pressElement(button('Sign in'));
  await screen.findByText('Invalid username or password.');
});

test('keeps the password out of the address when the form is sent before the script runs', () => {
  showScreen(<Login />, '/login');
  assert.is(document.querySelector('form')?.method, 'post');
});

test('registers with token, email and password, then leads to the login', async () => {
  fakeApi.reply(REGISTER, { message: 'ok' });
  showScreen(<Register token="t-1" />, '/register/t-1');
  assert.is(screen.getByLabelText<HTMLInputElement>('Email').type, 'email');
  assert.is(isComplete(), false);
  fill({
    Email: 'm@northgrid.example',
    'New password': 'bell-tower-9',
    'Confirm password': 'bell-tower-9',
  });
  assert.is(isComplete(), true);
  pressElement(button('Set Password & Activate'));
  await isAnnounced('Registration complete! You can now log in.');
  assert.equal(fakeApi.requestsTo(REGISTER)[0].body, {
    token: 't-1',
    email: 'm@northgrid.example',
    password: 'bell-tower-9',
  });
  assert.is(screen.getByRole('link', { name: 'Go to sign-in' }).getAttribute('href'), '/login');
});

test('sends no request if the passwords differ', async () => {
  showScreen(<Register token="t-1" />, '/register/t-1');
  fill({
    Email: 'm@northgrid.example',
    'New password': 'bell-tower-9',
    'Confirm password': 'bell-tower',
  });
  pressElement(button('Set Password & Activate'));
  await screen.findByText('Passwords do not match.');
  assert.is(fakeApi.requestsTo(REGISTER).length, 0);
  const confirm = screen.getByLabelText('Confirm password');
  assert.is(confirm.getAttribute('aria-invalid'), 'true');
  assert.is(screen.getByLabelText('New password').getAttribute('aria-invalid'), null);
  assert.is(document.activeElement, confirm);
  assert.is(screen.getByLabelText<HTMLInputElement>('Email').value, 'm@northgrid.example');
});

const USED =
  'This registration link is invalid or has already been used. If you believe this is a mistake, please contact support or request a new registration link.';

test('replaces the form with instructions for a used registration link', async () => {
  fakeApi.reject(REGISTER, 400, 'Invalid or expired registration link.');
  showScreen(<Register token="t-1" />, '/register/t-1');
  fill({
    Email: 'm@northgrid.example',
    'New password': 'bell-tower-9',
    'Confirm password': 'bell-tower-9',
  });
  pressElement(button('Set Password & Activate'));
  await isAnnounced(USED);
  assert.is(document.querySelector('form'), null);
});

test('shows instructions for a registration without a token', () => {
  showScreen(<Register token="" />, '/register');
  assert.ok(screen.getByText(USED));
});

test('shows any other registration failure above the form, or the fallback', async () => {
  fakeApi.reject(REGISTER, 400, [
    { message: 'Use at least 8 characters.', path: 'password' },
    { message: 'Second.' },
  ]);
  showScreen(<Register token="t-1" />, '/register/t-1');
  fill({ Email: 'm@northgrid.example', 'New password': 'short', 'Confirm password': 'short' });
  pressElement(button('Set Password & Activate'));
  await screen.findByText('Use at least 8 characters.');
  const invalid = () =>
    [...document.querySelectorAll('[aria-invalid]')].map((field) => field.getAttribute('name'));
  assert.equal(invalid(), ['password'], 'the field that it is about, and no other');
  assert.is(document.activeElement, screen.getByLabelText('New password'));
  assert.is(document.activeElement?.getAttribute('aria-describedby'), (await alert()).id);
  fakeApi.replyWithPage(REGISTER, 500);
  pressElement(button('Set Password & Activate'));
  await screen.findByText('Failed to complete registration.');
  assert.equal(invalid(), [], 'a failing server marks no field');
});

test('gives the same response to a reset for every address', async () => {
  fakeApi.reply(REQUEST, { message: 'ok' });
  showScreen(<RequestReset />, '/request-password-reset');
  assert.is(isComplete(), false);
  fill({ Email: 'm@northgrid.example' });
  pressElement(button('Send Reset Link'));
  await isAnnounced('If an account with that email exists, a password reset link has been sent.');
  assert.equal(fakeApi.requestsTo(REQUEST)[0].body, { email: 'm@northgrid.example' });
});

test('reports a reset link that could not be requested', async () => {
  fakeApi.loseRequests(REQUEST);
  showScreen(<RequestReset />, '/request-password-reset');
  fill({ Email: 'm@northgrid.example' });
  pressElement(button('Send Reset Link'));
  await screen.findByText('Failed to send password reset email.');
});

test('sends a new password with the link’s token', async () => {
  fakeApi.reply(RESET, { message: 'ok' });
  showScreen(<ResetPassword token="r-1" />, '/reset-password/r-1');
  fill({ 'New password': 'bell-tower-9', 'Confirm password': 'bell-tower-8' });
  pressElement(button('Reset Password'));
  await screen.findByText('Passwords do not match.');
  fill({ 'Confirm password': 'bell-tower-9' });
  pressElement(button('Reset Password'));
  await isAnnounced('Password reset! You can now log in.');
  assert.equal(
    fakeApi.requestsTo(RESET).map(({ body }) => body),
    [{ token: 'r-1', password: 'bell-tower-9' }],
  );
});

test('keeps the browser mark after a successful registration or reset', async () => {
  fakeApi.reply(REGISTER, { message: 'ok', clientToken: 'after-the-registration' });
  showScreen(<Register token="t-1" />, '/register/t-1');
  fill({
    Email: 'm@northgrid.example',
    'New password': 'bell-tower-9',
    'Confirm password': 'bell-tower-9',
  });
  pressElement(button('Set Password & Activate'));
  await isAnnounced('Registration complete! You can now log in.');
  assert.is(localStorage.getItem('client_token'), 'after-the-registration');

  fakeApi.reply(RESET, { message: 'ok', clientToken: 'after-the-reset-of-it!' });
  showScreen(<ResetPassword token="r-1" />, '/reset-password/r-1');
  fill({ 'New password': 'bell-tower-9', 'Confirm password': 'bell-tower-9' });
  pressElement(button('Reset Password'));
  await isAnnounced('Password reset! You can now log in.');
  assert.is(
    (fakeApi.requestsTo(RESET)[0].body as { clientToken?: string }).clientToken,
    'after-the-registration',
  );
  assert.is(localStorage.getItem('client_token'), 'after-the-reset-of-it!');
  localStorage.removeItem('client_token');
});

test('shows an error if the password cannot be reset', async () => {
  fakeApi.reject(RESET, 400);
  showScreen(<ResetPassword token="r-1" />, '/reset-password/r-1');
  fill({ 'New password': 'bell-tower-9', 'Confirm password': 'bell-tower-9' });
  pressElement(button('Reset Password'));
  await screen.findByText('Failed to reset password.');
});

test('verifies an email address when its link is opened', async () => {
  fakeApi.reply(VERIFY, { message: 'ok' });
  showScreen(<VerifyEmail token="v-1" />, '/verify-email/v-1');
  await isAnnounced('Email verified! You can now log in.');
  assert.equal(
    fakeApi.requestsTo(VERIFY).map(({ params }) => params),
    [{ token: 'v-1' }],
  );
  assert.is(document.querySelector('form'), null);
});

test('explains a failed verification, and sends another email on request', async () => {
  fakeApi.reject(VERIFY, 400);
  fakeApi.reply(RESEND, { message: 'ok' });
  showScreen(<VerifyEmail token="v-1" />, '/verify-email/v-1');
  await screen.findByText('Failed to verify email.');
  fill({ Email: 'm@northgrid.example' });
  pressElement(button('Resend'));
  await isAnnounced('Verification email sent! Please check your inbox.');
  assert.equal(fakeApi.requestsTo(RESEND)[0].body, { email: 'm@northgrid.example' });
});

test('reports a verification email that could not be sent again', async () => {
  fakeApi.reject(VERIFY, 400, LONG);
  fakeApi.loseRequests(RESEND);
  showScreen(<VerifyEmail token="v-1" />, '/verify-email/v-1');
  assert.ok(await screen.findByText(LONG), 'markup from a server stays text');
  fill({ Email: 'm@northgrid.example' });
  pressElement(button('Resend'));
  await screen.findByText('Failed to resend verification email.');
});

test.run();
