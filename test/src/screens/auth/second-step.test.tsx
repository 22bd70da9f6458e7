import * as assert from 'uvu/assert';
import { Login } from '../../../../src/screens/auth/Login';
import { SecondStep } from '../../../../src/screens/auth/SecondStep';
import { challenge } from '../../../../src/state/account/challenge';
import { waiting } from '../../../../src/state/account/second-factor';
import { signedIn, token } from '../../../../src/state/session';
import {
  fakeApi,
  findButton,
  press,
  screen,
  screenSuite,
  show,
  type,
  waitFor,
} from '../../../support/app/app';
import { endSession, makeToken } from '../../../support/app/session';
import { makeUser } from '../../../support/app/rows/people';

const test = screenSuite('the second step of a sign-in');
const LOGIN = 'POST /api/auth/login';
const GIVE = 'POST /api/auth/second-factor';
const OVER = 'This took too long. Please log in again.';
const WRONG = [{ message: 'This code is not right.', path: 'code' }];

const builtWith = (SECOND_FACTOR: boolean) => Object.assign(globalThis, { SECOND_FACTOR });

test.before.each(() => void builtWith(true));
test.after.each(() => {
  endSession();
  challenge.value = waiting.value = null;
  builtWith(false);
});

/** As the app is in such a build. */
function Door() {
  if (signedIn.value) return <p>You are in.</p>;
  return challenge.value ? <SecondStep /> : <Login />;
}

/** Gives a password that is right, and not enough. */
async function logIn(sealed = 'sealed'): Promise<void> {
  fakeApi.respond(LOGIN, () =>
    Response.json(
      { error: 'Reload the page.', code: 'second_factor', challenge: sealed },
      { status: 401 },
    ),
  );
  type(await screen.findByLabelText('Username'), 'ada');
  type(screen.getByLabelText('Password'), 'correct horse battery');
  // A form that was just drawn waits for the script.
  await waitFor(async () => assert.is((await findButton('Log in')).disabled, false));
  press(await findButton('Log in'));
}
async function open(): Promise<void> {
  show(<Door />, '/login');
  await logIn();
}
const askCode = () => screen.findByRole('heading', { name: 'Enter your code' });
const field = () => screen.getByLabelText<HTMLInputElement>(/^Code/);
const give = async (code: string) => {
  type(field(), code);
  press(await findButton('Log in'));
};
const inside = () => ({
  token: makeToken({ role: 'ADMIN', username: 'ada' }),
  clientToken: 'k'.repeat(22),
  user: makeUser(1),
});

test('a password that is right leads to the code, and the code signs in', async () => {
  await open();
  await askCode();
  await waitFor(() => assert.is(document.title, 'Second step · Fieldbell'));
  assert.equal([field().required, field().autocomplete], [true, 'one-time-code']);
  const answer = inside();
  fakeApi.answer(GIVE, answer);
  const release = fakeApi.hold(GIVE);
  await give('123456');
  assert.is((await findButton('Logging in…')).disabled, true);
  release();
  await screen.findByText('You are in.');
  assert.equal(fakeApi.asked(GIVE)[0]?.body, { challenge: 'sealed', code: '123456' });
  assert.is(token.value, answer.token);
  assert.is(challenge.value, null, 'nothing of it meets who signs in next');
});

test('the code’s field has the focus, where the keyboard of a phone offers what it knows', async () => {
  await open();
  await askCode();
  await waitFor(() => assert.is(document.activeElement, field()));
});

test('what a browser is known by goes with the code', async () => {
  localStorage.setItem('client_token', 'b'.repeat(22));
  await open();
  await askCode();
  fakeApi.answer(GIVE, inside());
  await give('123456');
  await screen.findByText('You are in.');
  assert.is((fakeApi.asked(GIVE)[0].body as { clientToken?: string }).clientToken, 'b'.repeat(22));
  assert.is(localStorage.getItem('client_token'), 'k'.repeat(22));
});

test('a wrong code is said at its field, and may be typed again', async () => {
  await open();
  await askCode();
  fakeApi.refuse(GIVE, 400, WRONG);
  await give('000000');
  const said = await screen.findByText('This code is not right.');
  assert.is(field().getAttribute('aria-invalid'), 'true');
  assert.match(field().getAttribute('aria-describedby') ?? '', said.id);
  assert.is(document.activeElement, field());
  for (const [fail, sentence] of [
    [
      () => fakeApi.refuse(GIVE, 429, 'Too many codes.', { 'Retry-After': '30' }),
      'Too many codes. Wait 30 seconds.',
    ],
    [() => fakeApi.lose(GIVE), 'Login failed. Please try again.'],
  ] as const) {
    fail();
    await give('000000');
    await screen.findByText(sentence);
    assert.ok(challenge.value, 'it is still asked');
  }
  fakeApi.answer(GIVE, inside());
  await give('123456');
  await screen.findByText('You are in.');
});

test('a challenge that is over leads back to the login form, which says so; the next one counts', async () => {
  await open();
  await askCode();
  fakeApi.refuse(GIVE, 400, OVER);
  await give('123456');
  await screen.findByText(OVER);
  assert.ok(screen.getByRole('heading', { name: 'Log in to Fieldbell' }));
  await logIn('sealed anew');
  await askCode();
  fakeApi.answer(GIVE, inside());
  await give('123456');
  await screen.findByText('You are in.');
  assert.is((fakeApi.asked(GIVE)[1].body as { challenge: string }).challenge, 'sealed anew');
});

test('a wrong password is a wrong password', async () => {
  show(<Door />, '/login');
  fakeApi.refuse(LOGIN, 401, 'Invalid username or password.');
  type(await screen.findByLabelText('Username'), 'ada');
  type(screen.getByLabelText('Password'), 'x');
  press(await findButton('Log in'));
  await screen.findByText('Invalid username or password.');
  assert.is(challenge.value, null);
});

test('a build without second steps shows what the server says instead', async () => {
  builtWith(false);
  await open();
  await screen.findByText('Reload the page.');
  assert.is(challenge.value, null);
});

test.run();
