import * as assert from 'uvu/assert';
import { TwoFactorSection } from '../../../../src/screens/two-factor/TwoFactorSection';
import type { TwoFactor } from '../../../../src/shared/contract';
import {
  button,
  dialog,
  fakeApi,
  findButton,
  notices,
  pressElement,
  pressInDialog,
  screen,
  screenSuite,
  showScreen,
  typeInto,
  waitFor,
} from '../../../support/app/app';
import { allowCopying } from '../../../support/app/browser';
import { endSession, signInAs } from '../../../support/app/session';
import { isSignedIn } from '../../../../src/state/session';

const test = screenSuite('your second step');
const STATE = 'GET /api/account/second-factor';
const BEGIN = 'POST /api/account/second-factor/begin';
const CONFIRM = 'POST /api/account/second-factor/confirm';
const RENEW = 'POST /api/account/second-factor/recovery-codes';
const OFF = 'DELETE /api/account/second-factor';
const CODES = ['aaaa-bbbb', 'cccc-dddd'];
const BEGUN = { secret: 'ABCDEFGHIJ', link: 'otpauth://totp/Fieldbell:ada', begun: 'sealed' };

test.before.each(() => void signInAs('ADMIN'));
test.after.each(endSession);

function replyState(change: Partial<TwoFactor> = {}): void {
  const state = { mode: 'optional', isOn: true, recoveryCodesLeft: 9, hasPassword: true } as const;
  fakeApi.reply(STATE, { ...state, ...change });
}
async function open(change: Partial<TwoFactor> = {}): Promise<void> {
  replyState(change);
  showScreen(<TwoFactorSection />, '/account');
  await screen.findByText('Authenticator app');
}
const code = () => screen.getByLabelText<HTMLInputElement>(/^Code/);
const shownCode = () => document.querySelector('code')?.textContent;
test('shows nothing about a second step when the server has none', async () => {
  replyState({ mode: 'off', isOn: false });
  showScreen(<TwoFactorSection />, '/account');
  await waitFor(() => assert.is(screen.queryByRole('region'), null));
  assert.is(fakeApi.requestsTo(STATE).length, 1);
});

test('says that a person with an app is still asked though it is off here', async () => {
  await open({ mode: 'off' });
  assert.equal(
    screen.getAllByRole('listitem').map(({ textContent }) => textContent),
    [
      'Authenticator app You need a code from your authenticator app to sign in.Turn off',
      'Recovery codes 9 left.Create new codes',
    ],
  );
});

test('shows a failed state with Retry', async () => {
  fakeApi.reject(STATE, 500);
  showScreen(<TwoFactorSection />, '/account');
  await screen.findByText('Failed to load your two-factor settings.');
  replyState();
  pressElement(button('Retry'));
  await screen.findByText('Authenticator app');
  assert.is(screen.queryByText('Failed to load your two-factor settings.'), null);
});

test('reports an unanswered switch-off, and lets the person retry', async () => {
  await open();
  pressElement(button('Turn off: Authenticator app'));
  assert.ok(dialog().getByText('You’ll sign in with your password only.'));
  await waitFor(() => assert.is(document.activeElement, code()));
  fakeApi.loseRequests(OFF);
  typeInto(code(), '123456');
  pressInDialog('Turn off');
  await dialog().findByText('Failed to turn off two-factor authentication.');
  assert.is(code().value, '123456');
  fakeApi.reply(OFF, { message: 'Done.' });
  replyState({ isOn: false });
  typeInto(code(), 'aaaa-bbbb-cccc-dddd');
  pressInDialog('Turn off');
  await notices().findByText('Authenticator app turned off.');
  await findButton('Set up: Authenticator app');
  assert.equal(fakeApi.requestsTo(OFF).at(-1)?.body, { code: 'aaaa-bbbb-cccc-dddd' });
});

test('explains the next sign-in before a required step is turned off', async () => {
  await open({ mode: 'required' });
  pressElement(button('Turn off: Authenticator app'));
  await dialog().findByText(
    'You’ll need to set up an authenticator app again the next time you sign in.',
  );
  pressInDialog('Cancel');
  assert.is(screen.queryByRole('dialog'), null);
  assert.ok(button('Turn off: Authenticator app'));
  assert.is(fakeApi.requestsTo(OFF).length, 0);
});

test('shows new recovery codes once in place of the dialog, copies and counts them', async () => {
  const copiedTexts = allowCopying();
  await open();
  pressElement(button('Create new codes: Recovery codes'));
  assert.ok(dialog().getByText('Your current codes will stop working.'));
  const wrong = [{ message: 'This code is not right.', path: 'code' }];
  fakeApi.reject(RENEW, 400, wrong);
  typeInto(code(), '000000');
  pressInDialog('Create new codes');
  const saidElement = await dialog().findByText('This code is not right.');
  assert.ok(code().getAttribute('aria-describedby')?.split(' ').includes(saidElement.id));
  assert.match(
    code()
      .getAttribute('aria-describedby')
      ?.split(' ')
      .map((id) => document.getElementById(id)?.textContent)
      .join(' ') ?? '',
    'Enter a code from your authenticator app, or a recovery code.',
  );
  fakeApi.loseRequests(RENEW);
  pressInDialog('Create new codes');
  await dialog().findByText('Failed to create new recovery codes.');
  fakeApi.reply(RENEW, { recoveryCodes: CODES });
  typeInto(code(), '123456');
  pressInDialog('Create new codes');
  await waitFor(() => assert.is(shownCode(), 'aaaa-bbbb\ncccc-dddd'));
  assert.is(screen.queryByRole('dialog'), null);
  pressElement(button('Copy recovery codes'));
  await notices().findByText('Recovery codes copied.');
  replyState({ recoveryCodesLeft: 10 });
  pressElement(button('I’ve saved the codes'));
  await screen.findByText('10 left.');
  assert.is(screen.queryByRole('dialog'), null, 'nothing is asked twice');
  assert.equal(copiedTexts, ['aaaa-bbbb\ncccc-dddd']);
});

const password = () => dialog().getByLabelText<HTMLInputElement>('Password');

test('asks for the password before setup, can show it, and marks a wrong one', async () => {
  await open({ isOn: false });
  pressElement(button('Set up: Authenticator app'));
  const message = 'This is not your current password.';
  fakeApi.reject(BEGIN, 403, [{ message, path: 'password' }]);
  typeInto(password(), 'wrong');
  pressElement(dialog().getByLabelText('Show password'));
  assert.equal([password().type, password().value], ['text', 'wrong']);
  pressInDialog('Set up');
  await dialog().findByText(message);
  assert.is(password().getAttribute('aria-invalid'), 'true');
  fakeApi.reply(BEGIN, BEGUN);
  typeInto(password(), 'correct horse');
  pressInDialog('Set up');
  await screen.findByText('ABCD EFGH IJ');
  assert.is(screen.queryByRole('dialog'), null);
  assert.equal(fakeApi.requestsTo(BEGIN).at(-1)?.body, { password: 'correct horse' });
  fakeApi.reply(CONFIRM, { recoveryCodes: CODES });
  typeInto(code(), '123456');
  pressElement(button('Confirm'));
  await screen.findByText(/They won’t be shown again/);
  assert.equal(fakeApi.requestsTo(CONFIRM)[0]?.body, { begun: 'sealed', code: '123456' });
});

test('asks a person without a password to sign in again instead', async () => {
  await open({ isOn: false, hasPassword: false });
  pressElement(button('Set up: Authenticator app'));
  assert.is(dialog().queryByLabelText('Password'), null);
  fakeApi.reject(BEGIN, 403, 'You logged in more than ten minutes ago.');
  pressInDialog('Set up');
  await dialog().findByText('You logged in more than ten minutes ago.');
  assert.equal(fakeApi.requestsTo(BEGIN)[0]?.body, {});
  assert.is(isSignedIn.value, true);
});

test('asks for an expired key again with the password', async () => {
  await open({ isOn: false });
  pressElement(button('Set up: Authenticator app'));
  fakeApi.reply(BEGIN, BEGUN);
  typeInto(password(), 'correct horse');
  pressInDialog('Set up');
  await screen.findByText('ABCD EFGH IJ');
  fakeApi.reject(CONFIRM, 400, 'This took too long. Please start again.');
  typeInto(code(), '123456');
  pressElement(button('Confirm'));
  await notices().findByText('This took too long. Please start again.');
  await screen.findByRole('dialog');
  assert.is(password().value, '');
});

test('copies the key, and keeps it when a code cannot be checked', async () => {
  const copiedTexts = allowCopying();
  await open({ isOn: false });
  fakeApi.reply(BEGIN, BEGUN);
  pressElement(button('Set up: Authenticator app'));
  typeInto(dialog().getByLabelText('Password'), 'correct horse');
  pressInDialog('Set up');
  pressElement(await findButton('Copy key'));
  await notices().findByText('Key copied.');
  assert.equal(copiedTexts, ['ABCD EFGH IJ']);
  fakeApi.loseRequests(CONFIRM);
  typeInto(code(), '123456');
  pressElement(button('Confirm'));
  await screen.findByText('Failed to check the code. Try again.');
  assert.equal([code().value, shownCode()], ['123456', 'ABCD EFGH IJ']);
  fakeApi.reply(CONFIRM, { recoveryCodes: CODES });
  const release = fakeApi.holdReplies(CONFIRM);
  pressElement(await findButton('Confirm'));
  assert.is((await findButton('Checking…')).disabled, true);
  release();
  replyState();
  pressElement(await findButton('I’ve saved the codes'));
  await findButton('Turn off: Authenticator app');
  assert.is(fakeApi.requestsTo(STATE).length, 2, 'asked again');
});

test.run();
