/** What can fail in Account's second step, and what is shown once. */
import * as assert from 'uvu/assert';
import { SecondFactorSection } from '../../../../src/screens/second-factor/Section';
import type { SecondFactor } from '../../../../src/shared/contract';
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
import { endSession, signInAs } from '../../../support/app/session';

const test = screenSuite('one’s own second step');
const STATE = 'GET /api/account/second-factor';
const BEGIN = 'POST /api/account/second-factor/begin';
const CONFIRM = 'POST /api/account/second-factor/confirm';
const RENEW = 'POST /api/account/second-factor/recovery-codes';
const OFF = 'DELETE /api/account/second-factor';
const CODES = ['aaaa-bbbb', 'cccc-dddd'];
const BEGUN = { secret: 'ABCDEFGHIJ', link: 'otpauth://totp/Fieldbell:ada', begun: 'sealed' };

test.before.each(() => void signInAs('ADMIN'));
test.after.each(endSession);

function tell(change: Partial<SecondFactor> = {}): void {
  const state = { mode: 'optional', isOn: true, recoveryCodesLeft: 9, hasPassword: true } as const;
  fakeApi.answer(STATE, { ...state, ...change });
}
async function open(change: Partial<SecondFactor> = {}): Promise<void> {
  tell(change);
  show(<SecondFactorSection />, '/account');
  await screen.findByText('Authenticator app');
}
const code = () => screen.getByLabelText<HTMLInputElement>(/^Code/);
const pressInDialog = (name: string) => press(dialog().getByRole('button', { name }));
const shown = () => document.querySelector('code')?.textContent;
const copied: string[] = [];
function withClipboard(): void {
  copied.length = 0;
  const value = { writeText: async (text: string) => void copied.push(text) };
  Object.defineProperty(navigator, 'clipboard', { configurable: true, value });
}

test('who has an app is asked for it all the same where it was switched off here', async () => {
  await open({ mode: 'off' });
  assert.equal(
    screen.getAllByRole('listitem').map(({ textContent }) => textContent),
    [
      'Authenticator app Your sign-in asks for a code of it.Switch off',
      'Recovery codes 9 of them are not used yet.Make new ones',
    ],
  );
});

test('a state that cannot be read says so, and is asked for again by Retry', async () => {
  fakeApi.refuse(STATE, 500);
  show(<SecondFactorSection />, '/account');
  await screen.findByText('Failed to ask for your authenticator app.');
  tell();
  press(button('Retry'));
  await screen.findByText('Authenticator app');
  assert.is(screen.queryByText('Failed to ask for your authenticator app.'), null);
});

test('switching off that is not answered says so, stays, and can be pressed again', async () => {
  await open();
  press(button('Switch off: Authenticator app'));
  assert.ok(dialog().getByText('Your sign-in then asks for the password alone.'));
  await waitFor(() => assert.is(document.activeElement, code()));
  fakeApi.lose(OFF);
  type(code(), '123456');
  pressInDialog('Switch off');
  await dialog().findByText('Failed to switch the authenticator app off.');
  assert.is(code().value, '123456');
  pressInDialog('Cancel');
  assert.is(screen.queryByRole('dialog'), null);
  assert.ok(button('Switch off: Authenticator app'));
});

test('new recovery codes take the place of the dialog, are shown once, copied, and counted then', async () => {
  withClipboard();
  await open();
  press(button('Make new ones: Recovery codes'));
  assert.ok(dialog().getByText('Those that you have will not work any more.'));
  const wrong = [{ message: 'This code is not right.', path: 'code' }];
  fakeApi.refuse(RENEW, 400, wrong);
  type(code(), '000000');
  pressInDialog('Make new ones');
  const said = await dialog().findByText('This code is not right.');
  assert.ok(code().getAttribute('aria-describedby')?.split(' ').includes(said.id));
  assert.match(
    code()
      .getAttribute('aria-describedby')
      ?.split(' ')
      .map((id) => document.getElementById(id)?.textContent)
      .join(' ') ?? '',
    'A code of your authenticator app, or a recovery code.',
  );
  fakeApi.lose(RENEW);
  pressInDialog('Make new ones');
  await dialog().findByText('Failed to make new recovery codes.');
  fakeApi.answer(RENEW, { recoveryCodes: CODES });
  type(code(), '123456');
  pressInDialog('Make new ones');
  await waitFor(() => assert.is(shown(), 'aaaa-bbbb\ncccc-dddd'));
  assert.is(screen.queryByRole('dialog'), null);
  press(button('Copy recovery codes'));
  await notices().findByText('Recovery codes copied.');
  tell({ recoveryCodesLeft: 10 });
  press(button('I have put them away'));
  await screen.findByText('10 of them are not used yet.');
  assert.is(screen.queryByRole('dialog'), null, 'nothing is asked a second time');
  assert.equal(copied, ['aaaa-bbbb\ncccc-dddd']);
});

test('the key can be copied, and a code that cannot be checked leaves it as it was', async () => {
  withClipboard();
  await open({ isOn: false });
  fakeApi.answer(BEGIN, BEGUN);
  press(button('Set up: Authenticator app'));
  type(dialog().getByLabelText('Password'), 'correct horse');
  pressInDialog('Set up');
  press(await findButton('Copy key'));
  await notices().findByText('Key copied.');
  assert.equal(copied, ['ABCD EFGH IJ']);
  fakeApi.lose(CONFIRM);
  type(code(), '123456');
  press(button('Confirm'));
  await screen.findByText('The code could not be checked. Please try again.');
  assert.equal([code().value, shown()], ['123456', 'ABCD EFGH IJ']);
  fakeApi.answer(CONFIRM, { recoveryCodes: CODES });
  const release = fakeApi.hold(CONFIRM);
  press(await findButton('Confirm'));
  assert.is((await findButton('Checking…')).disabled, true);
  release();
  tell();
  press(await findButton('I have put them away'));
  await findButton('Switch off: Authenticator app');
  assert.is(fakeApi.asked(STATE).length, 2, 'it is asked anew');
});

test.run();
