import * as assert from 'uvu/assert';
import { Login } from '../../../../src/screens/auth/Login';
import { TwoFactorStep } from '../../../../src/screens/auth/TwoFactorStep';
import { pendingChallenge } from '../../../../src/state/account/challenge';
import { waitingSession } from '../../../../src/state/account/two-factor';
import { signInError, isSignedIn, sessionToken } from '../../../../src/state/session';
import {
  button,
  fakeApi,
  findButton,
  pressElement,
  screen,
  screenSuite,
  showScreen,
  typeInto,
  waitFor,
} from '../../../support/app/app';
import { endSession, createToken } from '../../../support/app/session';
import { createUser } from '../../../support/app/factories/people';

const test = screenSuite('the second step of a sign-in');
const LOGIN = 'POST /api/auth/login';
const GIVE = 'POST /api/auth/second-factor';
const BEGIN = 'POST /api/auth/second-factor/begin';
const CONFIRM = 'POST /api/auth/second-factor/confirm';
const CHALLENGE_EXPIRED = 'This took too long. Please log in again.';
const WRONG_CODE = [{ message: 'This code is not right.', path: 'code' }];

const builtWith = (TWO_FACTOR: boolean) => Object.assign(globalThis, { TWO_FACTOR });

test.before.each(() => void builtWith(true));
test.after.each(() => {
  endSession();
  pendingChallenge.value = waitingSession.value = null;
  builtWith(false);
});

function LoginScreen() {
  if (isSignedIn.value) return <p>You are in.</p>;
  return pendingChallenge.value ? <TwoFactorStep /> : <Login />;
}

async function logIn(sealed = 'sealed', step = 'second_factor'): Promise<void> {
  fakeApi.respond(LOGIN, () =>
    Response.json({ error: 'Reload the page.', code: step, challenge: sealed }, { status: 401 }),
  );
  typeInto(await screen.findByLabelText('Username'), 'ada');
  typeInto(screen.getByLabelText('Password'), 'correct horse battery');
  // A fresh form waits for its script.
  await waitFor(async () => assert.is((await findButton('Sign in')).disabled, false));
  pressElement(await findButton('Sign in'));
}
async function openCodeStep(step?: 'second_factor_set_up'): Promise<void> {
  showScreen(<LoginScreen />, '/login');
  await logIn('sealed', step);
}
const askCode = () => screen.findByRole('heading', { name: 'Enter your code' });
const field = () => screen.getByLabelText<HTMLInputElement>(/^Code/);
const enterCode = async (code: string, action = 'Sign in') => {
  typeInto(field(), code);
  pressElement(await findButton(action));
};
const signedInResponse = () => ({
  token: createToken({ role: 'ADMIN', username: 'ada' }),
  clientToken: 'k'.repeat(22),
  user: createUser(1),
});

test('asks for the code after the right password, and signs in with it', async () => {
  await openCodeStep();
  await askCode();
  await waitFor(() => assert.is(document.title, 'Two-factor authentication · Fieldbell'));
  assert.equal([field().required, field().autocomplete], [true, 'one-time-code']);
  const body = signedInResponse();
  fakeApi.reply(GIVE, body);
  const release = fakeApi.holdReplies(GIVE);
  await enterCode('123456');
  assert.is((await findButton('Signing in…')).disabled, true);
  release();
  await screen.findByText('You are in.');
  assert.equal(fakeApi.requestsTo(GIVE)[0]?.body, { challenge: 'sealed', code: '123456' });
  assert.is(sessionToken.value, body.token);
  assert.is(pendingChallenge.value, null, 'the next person sees nothing');
});

test('focuses the code field, with autofill from the phone’s keyboard', async () => {
  await openCodeStep();
  await askCode();
  await waitFor(() => assert.is(document.activeElement, field()));
});

test('sends the browser mark with the code', async () => {
  localStorage.setItem('client_token', 'b'.repeat(22));
  await openCodeStep();
  await askCode();
  fakeApi.reply(GIVE, signedInResponse());
  await enterCode('123456');
  await screen.findByText('You are in.');
  assert.is(
    (fakeApi.requestsTo(GIVE)[0].body as { clientToken?: string }).clientToken,
    'b'.repeat(22),
  );
  assert.is(localStorage.getItem('client_token'), 'k'.repeat(22));
});

test('shows a wrong code at its field, and lets the person retry', async () => {
  await openCodeStep();
  await askCode();
  fakeApi.reject(GIVE, 400, WRONG_CODE);
  await enterCode('000000');
  const alert = await screen.findByText('This code is not right.');
  assert.is(field().getAttribute('aria-invalid'), 'true');
  assert.match(field().getAttribute('aria-describedby') ?? '', alert.id);
  assert.is(document.activeElement, field());
  for (const [fail, sentence] of [
    [
      () => fakeApi.reject(GIVE, 429, 'Too many codes.', { 'Retry-After': '30' }),
      'Too many codes. Wait 30 seconds.',
    ],
    [() => fakeApi.loseRequests(GIVE), 'Login failed. Please try again.'],
  ] as const) {
    fail();
    await enterCode('000000');
    await screen.findByText(sentence);
    assert.ok(pendingChallenge.value, 'it is still pending');
  }
  fakeApi.reply(GIVE, signedInResponse());
  await enterCode('123456');
  await screen.findByText('You are in.');
});

test('returns to the login form, with a notice, when the challenge expired', async () => {
  await openCodeStep();
  await askCode();
  fakeApi.reject(GIVE, 400, CHALLENGE_EXPIRED);
  await enterCode('123456');
  await screen.findByText(CHALLENGE_EXPIRED);
  assert.ok(screen.getByRole('heading', { name: 'Sign in to Fieldbell' }));
  await logIn('sealed again');
  await askCode();
  fakeApi.reply(GIVE, signedInResponse());
  await enterCode('123456');
  await screen.findByText('You are in.');
  assert.is((fakeApi.requestsTo(GIVE)[1].body as { challenge: string }).challenge, 'sealed again');
});

test('returns to the login form silently with Back to login', async () => {
  await openCodeStep();
  await askCode();
  pressElement(button('Back to sign-in'));
  await screen.findByRole('heading', { name: 'Sign in to Fieldbell' });
  assert.equal([pendingChallenge.value, signInError.value], [null, '']);
});

const setUp = {
  secret: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  link: 'otpauth://totp/Fieldbell:ada?secret=ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  begun: 'sealed too',
};

test('gives a new app its key as QR code, link and text, and waits for the recovery codes', async () => {
  fakeApi.reply(BEGIN, setUp);
  await openCodeStep('second_factor_set_up');
  await screen.findByText('ABCD EFGH IJKL MNOP QRST UVWX YZ23 4567');
  await screen.findByRole('img', { name: 'QR code with the setup key' });
  const link = screen.getByRole('link', { name: 'open this link' });
  assert.is(link.getAttribute('href'), setUp.link);
  fakeApi.reject(CONFIRM, 400, WRONG_CODE);
  await enterCode('000000', 'Confirm');
  await screen.findByText('This code is not right.');
  fakeApi.reply(CONFIRM, { ...signedInResponse(), recoveryCodes: ['aaaa-bbbb', 'cccc-dddd'] });
  await enterCode('123456', 'Confirm');
  await screen.findByText(/They won’t be shown again/);
  assert.match(document.body.textContent ?? '', 'cccc-dddd');
  assert.is(isSignedIn.value, false, 'leaving the page would lose the codes');
  assert.is(screen.queryByRole('button', { name: 'Back to sign-in' }), null);
  pressElement(button('Continue to Fieldbell'));
  await screen.findByText('You are in.');
  assert.equal([pendingChallenge.value, waitingSession.value], [null, null]);
});

test('shows a failed key with Retry, and returns to the login when the challenge expired', async () => {
  fakeApi.reject(BEGIN, 503, 'Not now.');
  await openCodeStep('second_factor_set_up');
  await screen.findByText('Not now.');
  fakeApi.reply(BEGIN, setUp);
  pressElement(button('Retry'));
  await screen.findByText(/^ABCD EFGH/);
  pressElement(button('Back to sign-in'));
  await screen.findByRole('heading', { name: 'Sign in to Fieldbell' });
  fakeApi.reject(BEGIN, 400, CHALLENGE_EXPIRED);
  await logIn('sealed again', 'second_factor_set_up');
  await screen.findByText(CHALLENGE_EXPIRED);
  assert.ok(screen.getByRole('heading', { name: 'Sign in to Fieldbell' }));
});

test('shows a wrong password as wrong', async () => {
  showScreen(<LoginScreen />, '/login');
  fakeApi.reject(LOGIN, 401, 'Invalid username or password.');
  typeInto(await screen.findByLabelText('Username'), 'ada');
  typeInto(screen.getByLabelText('Password'), 'x');
  pressElement(await findButton('Sign in'));
  await screen.findByText('Invalid username or password.');
  assert.is(pendingChallenge.value, null);
});

test('shows the server’s sentence in a build without second steps', async () => {
  builtWith(false);
  await openCodeStep();
  await screen.findByText('Reload the page.');
  assert.is(pendingChallenge.value, null);
});

test.run();
