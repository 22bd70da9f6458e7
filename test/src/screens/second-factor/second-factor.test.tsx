/** The second step of a sign-in, and what an administrator does about it in Account. */
import * as assert from 'uvu/assert';
import { SecondStep } from '../../../../src/screens/auth/SecondStep';
import { SecondFactorSection } from '../../../../src/screens/second-factor/Section';
import type { BegunSecondFactor, SecondFactor } from '../../../../src/shared/contract';
import { challenge } from '../../../../src/state/account/challenge';
import { waiting } from '../../../../src/state/account/second-factor';
import { ended, signedIn } from '../../../../src/state/session';
import {
  button,
  dialog,
  fakeApi,
  findButton,
  notices,
  press,
  screen,
  screenSuite,
  show,
  type,
  waitFor,
} from '../../../support/app/app';
import { endSession, makeToken, signInAs } from '../../../support/app/session';
import { makeUser } from '../../../support/app/rows/people';

const test = screenSuite('second step');
const GIVE = 'POST /api/auth/second-factor';
const [BEGIN, CONFIRM] = [
  'POST /api/auth/second-factor/begin',
  'POST /api/auth/second-factor/confirm',
] as const;
const READ = 'GET /api/account/second-factor';
const BEGIN_OWN = 'POST /api/account/second-factor/begin';
const CONFIRM_OWN = 'POST /api/account/second-factor/confirm';
const RENEW = 'POST /api/account/second-factor/recovery-codes';
const OFF = 'DELETE /api/account/second-factor';

const WRONG = 'This code is not right, or was used before.';
const wrongCode = [{ message: WRONG, path: 'code' }];
const OVER = 'This took too long, or your account has changed. Please log in again.';
const CODES = ['aaaa-bbbb-cccc-dddd', 'eeee-ffff-gggg-hhhh'];
const begun: BegunSecondFactor = {
  secret: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  link: 'otpauth://totp/Fieldbell:admin?secret=ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  begun: 'sealed',
};
const user = makeUser(7, { role: 'ADMIN' });

test.before.each(() => {
  Object.assign(globalThis, { SECOND_FACTOR: true });
});
test.after.each(() => {
  challenge.value = waiting.value = null;
  endSession();
  Object.assign(globalThis, { SECOND_FACTOR: false });
});

const code = () => screen.getByLabelText<HTMLInputElement>('Code');
async function give(text: string, action: string): Promise<void> {
  type(await screen.findByLabelText('Code'), text);
  press(await findButton(action));
}
const signIn = () => ({ token: makeToken({ role: 'ADMIN' }), user, clientToken: 'a'.repeat(22) });

function ask(): void {
  challenge.value = { step: 'second_factor', challenge: 'the challenge' };
  show(<SecondStep />, '/login');
}

test('a code is asked for in the place of the login form, with the focus, and signs in', async () => {
  ask();
  assert.is(screen.getByRole('heading', { level: 1 }).textContent, 'Enter your code');
  await waitFor(() => assert.is(document.activeElement, code()));
  assert.equal([code().autocomplete, code().required], ['one-time-code', true]);
  fakeApi.answer(GIVE, signIn());
  await give('492039', 'Log in');
  await waitFor(() => assert.is(signedIn.value, true));
  assert.equal(fakeApi.asked(GIVE)[0]?.body, { challenge: 'the challenge', code: '492039' });
  assert.is(challenge.value, null);
});

test('a wrong code is said at its field, and can be typed again', async () => {
  ask();
  fakeApi.refuse(GIVE, 400, wrongCode);
  await give('000000', 'Log in');
  await screen.findByText(WRONG);
  assert.equal([code().getAttribute('aria-invalid'), code().value], ['true', '000000']);
  fakeApi.refuse(GIVE, 429, 'Too many wrong codes.', { 'Retry-After': '30' });
  await give('111111', 'Log in');
  await screen.findByText('Too many wrong codes. Wait 30 seconds.');
  fakeApi.lose(GIVE);
  await give('222222', 'Log in');
  await screen.findByText('Login failed. Please try again.');
  assert.not.equal(challenge.value, null);
});

for (const [step, endpoint] of [
  ['second_factor', GIVE],
  ['second_factor_set_up', BEGIN],
] as const)
  test(`a challenge that is over leads back to the login form, which says so (${step})`, async () => {
    fakeApi.refuse(endpoint, 400, OVER);
    challenge.value = { step, challenge: 'an old one' };
    show(<SecondStep />, '/login');
    if (step === 'second_factor') await give('492039', 'Log in');
    await waitFor(() => assert.is(challenge.value, null));
    assert.is(ended.value, OVER);
  });

test('Back to login gives the second step up', async () => {
  ask();
  press(button('Back to login'));
  await waitFor(() => assert.is(challenge.value, null));
  assert.is(ended.value, '');
});

test('who must set an app up gets its key as code, link and text, and is in once the recovery codes are put away', async () => {
  fakeApi.answer(BEGIN, begun);
  challenge.value = { step: 'second_factor_set_up', challenge: 'the challenge' };
  show(<SecondStep />, '/login');
  await screen.findByText('ABCD EFGH IJKL MNOP QRST UVWX YZ23 4567');
  await screen.findByRole('img', { name: 'The key as a QR code' });
  const link = screen.getByRole('link', { name: 'open this link' });
  assert.is(link.getAttribute('href'), begun.link);
  fakeApi.refuse(CONFIRM, 400, wrongCode);
  await give('000000', 'Confirm');
  await screen.findByText(WRONG);
  fakeApi.answer(CONFIRM, { ...signIn(), recoveryCodes: CODES });
  await give('492039', 'Confirm');
  await screen.findByText(/They are not shown again/);
  assert.match(document.body.textContent ?? '', CODES[1] ?? '');
  assert.is(signedIn.value, false, 'the codes would be gone with the page');
  assert.is(screen.queryByRole('button', { name: 'Back to login' }), null);
  press(button('Go on to Fieldbell'));
  await waitFor(() => assert.ok(button('Go on to Fieldbell').disabled, 'once is enough'));
  await waitFor(() => assert.is(signedIn.value, true));
  assert.equal([challenge.value, waiting.value], [null, null]);
});

test('a key that cannot be had is said, with Retry', async () => {
  fakeApi.refuse(BEGIN, 503, 'Not now.');
  challenge.value = { step: 'second_factor_set_up', challenge: 'the challenge' };
  show(<SecondStep />, '/login');
  await screen.findByText('Not now.');
  fakeApi.answer(BEGIN, begun);
  press(button('Retry'));
  await screen.findByText(/^ABCD EFGH/);
});

function openSection(change: Partial<SecondFactor> = {}): void {
  signInAs('ADMIN');
  const state = { mode: 'optional', isOn: false, recoveryCodesLeft: 0, hasPassword: true } as const;
  fakeApi.answer(READ, { ...state, ...change });
  show(<SecondFactorSection />, '/account');
}
const inDialog = (label: string) => dialog().getByLabelText<HTMLInputElement>(label);
const pressInDialog = (name: string) => press(dialog().getByRole('button', { name }));

test('nothing is said of a second step where the server has none', async () => {
  openSection({ mode: 'off' });
  await waitFor(() => assert.is(screen.queryByRole('region'), null));
  assert.is(fakeApi.asked(READ).length, 1);
});

test('setting an app up asks for the password first; a wrong one is said at its field', async () => {
  openSection();
  press(await findButton('Set up: Authenticator app'));
  const message = 'This is not your current password.';
  fakeApi.refuse(BEGIN_OWN, 403, [{ message, path: 'password' }]);
  type(inDialog('Password'), 'wrong');
  pressInDialog('Set up');
  await dialog().findByText(message);
  assert.is(inDialog('Password').getAttribute('aria-invalid'), 'true');
  fakeApi.answer(BEGIN_OWN, begun);
  type(inDialog('Password'), 'correct horse');
  pressInDialog('Set up');
  await screen.findByText(/^ABCD EFGH/);
  assert.is(screen.queryByRole('dialog'), null);
  assert.equal(fakeApi.asked(BEGIN_OWN).at(-1)?.body, { password: 'correct horse' });
  fakeApi.answer(CONFIRM_OWN, { recoveryCodes: CODES });
  await give('492039', 'Confirm');
  await screen.findByText(/They are not shown again/);
  assert.equal(fakeApi.asked(CONFIRM_OWN)[0]?.body, { begun: 'sealed', code: '492039' });
  fakeApi.answer(READ, { mode: 'optional', isOn: true, recoveryCodesLeft: 10, hasPassword: true });
  press(button('I have put them away'));
  await screen.findByText('10 of them are not used yet.');
});

test('who has no password is asked for none, and told to log in again where that was long ago', async () => {
  openSection({ hasPassword: false });
  press(await findButton('Set up: Authenticator app'));
  assert.is(dialog().queryByLabelText('Password'), null);
  fakeApi.refuse(BEGIN_OWN, 403, 'You logged in more than ten minutes ago.');
  pressInDialog('Set up');
  await dialog().findByText('You logged in more than ten minutes ago.');
  assert.equal(fakeApi.asked(BEGIN_OWN)[0]?.body, {});
  assert.is(signedIn.value, true);
});

test('a key that was left for too long is asked for anew, with the password', async () => {
  openSection();
  press(await findButton('Set up: Authenticator app'));
  fakeApi.answer(BEGIN_OWN, begun);
  type(inDialog('Password'), 'correct horse');
  pressInDialog('Set up');
  await screen.findByText(/^ABCD EFGH/);
  fakeApi.refuse(CONFIRM_OWN, 400, 'This took too long. Please begin again.');
  await give('492039', 'Confirm');
  await notices().findByText('This took too long. Please begin again.');
  await screen.findByRole('dialog');
  assert.is(inDialog('Password').value, '');
});

test('new recovery codes and switching off each ask for a code', async () => {
  openSection({ isOn: true, recoveryCodesLeft: 3 });
  press(await findButton('Make new ones: Recovery codes'));
  fakeApi.refuse(RENEW, 400, wrongCode);
  type(inDialog('Code'), '000000');
  pressInDialog('Make new ones');
  await dialog().findByText(WRONG);
  fakeApi.answer(RENEW, { recoveryCodes: CODES });
  type(inDialog('Code'), '492039');
  pressInDialog('Make new ones');
  await screen.findByText(/They are not shown again/);
  press(button('I have put them away'));
  press(await findButton('Switch off: Authenticator app'));
  fakeApi.answer(OFF, { message: 'Done.' });
  fakeApi.answer(READ, { mode: 'optional', isOn: false, recoveryCodesLeft: 0, hasPassword: true });
  type(inDialog('Code'), 'aaaa-bbbb-cccc-dddd');
  pressInDialog('Switch off');
  await notices().findByText('Authenticator app switched off.');
  await findButton('Set up: Authenticator app');
  assert.equal(fakeApi.asked(OFF)[0]?.body, { code: 'aaaa-bbbb-cccc-dddd' });
});

test('where a second step is demanded, switching off says what the next sign-in asks', async () => {
  openSection({ mode: 'required', isOn: true });
  press(await findButton('Switch off: Authenticator app'));
  await dialog().findByText('Your next sign-in asks you to set up another one.');
});

test.run();
