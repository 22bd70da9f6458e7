import * as assert from 'uvu/assert';
import type { PasswordRules } from '../../../../src/shared/contract';
import { explainRules } from '../../../../src/screens/auth/password-rules';
import { Register } from '../../../../src/screens/auth/Register';
import { ResetPassword } from '../../../../src/screens/auth/ResetPassword';
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
import { endSession, createToken } from '../../../support/app/session';
import { shortPause } from '../../../support/eventually';

const test = screenSuite('password');
const LINK = 'GET /api/auth/registration/:token';
const LOGIN = 'POST /api/auth/login';
const RULES = 'GET /api/auth/password-rules';
const REGISTER = 'POST /api/auth/complete-registration';
const rules: PasswordRules = { minLength: 8, maxLength: 1024, notCommon: true };
const INVALID = /^This registration link is invalid or has already been used\./;

const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
const listedRules = () =>
  [...document.querySelectorAll('.rules li')].map((rule) => [
    rule.textContent,
    rule.getAttribute('data-tone') === 'ok',
  ]);

test('shows the username and the server’s rules before typing', async () => {
  fakeApi.reply(LINK, { username: 'h.ito', passwordRules: rules });
  showScreen(<Register token="a/b c" />, '/register/x');
  const name = await screen.findByLabelText<HTMLInputElement>('Username');
  assert.equal([name.value, name.readOnly, name.autocomplete], ['h.ito', true, 'username']);
  assert.equal(listedRules(), [
    ['At least 8 characters', false],
    ['Not a common password (checked when you submit)', false],
  ]);
  assert.is(field('New password').getAttribute('aria-describedby'), 'rules');
  assert.equal(
    fakeApi.requestsTo(LINK).map(({ params }) => decodeURIComponent(params.token)),
    ['a/b c'],
  );
});

test('marks rules as met while typing, and as open when the password shrinks', async () => {
  fakeApi.reply(RULES, rules);
  showScreen(<ResetPassword token="r-1" />, '/reset-password/r-1');
  await waitFor(() => assert.is(listedRules().length, 2));
  const states: boolean[] = [];
  for (const password of ['bell-to', 'bell-tow', 'bell-tower-9', 'bell']) {
    typeInto(field('New password'), password);
    await shortPause();
    states.push(Boolean(listedRules()[0]?.[1]));
  }
  assert.equal(states, [false, true, true, false]);
  typeInto(field('New password'), 'x'.repeat(1025));
  await waitFor(() => assert.equal(listedRules()[1], ['At most 1,024 characters', false]));
  typeInto(field('Confirm password'), 'x');
  assert.is(listedRules().length, 3, 'the second field changes nothing');
});

test('takes the rules’ sentences from the server alone', () => {
  assert.equal(explainRules({ minLength: 12, notCommon: false }, 'twelve chars'), [
    { text: 'At least 12 characters', met: true },
  ]);
  assert.equal(
    explainRules({ minLength: 4 }, '👷👷'),
    [{ text: 'At least 4 characters', met: true }],
    'counted in UTF-16, like the server',
  );
  for (const garbage of [
    undefined,
    null,
    {},
    [],
    'rules',
    7,
    { minLength: '8' },
    { minLength: -1 },
    { minLength: 1e99 },
    { minLength: Number.NaN },
    { notCommon: 'yes' },
    { sentence: '<b>x</b>' },
  ]) {
    assert.equal(explainRules(garbage as Partial<PasswordRules>, 'x'), []);
  }
});

for (const [what, prepare] of Object.entries({
  'does not know the call': () => fakeApi.reject(LINK, 404, 'Not found.'),
  'has other troubles': () => fakeApi.reject(LINK, 500),
  'has had too many questions': () =>
    fakeApi.reject(LINK, 429, 'Too many attempts.', { 'Retry-After': '60' }),
  'cannot be reached': () => fakeApi.loseRequests(LINK),
  'answers with a page': () => fakeApi.replyWithPage(LINK),
  'answers with null': () => fakeApi.reply(LINK, null as never),
  'answers with other things': () =>
    fakeApi.reply(LINK, { username: { first: 'h' }, passwordRules: ['8'] } as never),
})) {
  test(`works without name and rules when the server ${what}`, async () => {
    prepare();
    fakeApi.reply(REGISTER, { message: 'ok' });
    showScreen(<Register token="t-1" />, '/register/t-1');
    await waitFor(() =>
      assert.is(fakeApi.requestsTo(LINK).length + (what.startsWith('cannot') ? 1 : 0) > 0, true),
    );
    await shortPause(); // waits for nothing to appear
    assert.is(screen.queryByLabelText('Username'), null);
    assert.equal(listedRules(), []);
    assert.is(screen.queryByRole('alert')?.textContent, '', 'no message');
    assert.is(field('New password').getAttribute('aria-describedby'), null);
    typeInto(field('Email'), 'm@northgrid.example');
    for (const label of ['New password', 'Confirm password'])
      typeInto(field(label), 'bell-tower-9');
    pressElement(button('Set Password & Activate'));
    await screen.findByText('Registration complete! You can now log in.');
    assert.equal(
      fakeApi.requestsTo(REGISTER).map(({ body }) => body),
      [{ token: 't-1', email: 'm@northgrid.example', password: 'bell-tower-9' }],
    );
  });
}

test('signs in after the registration with one press, but replaces no other session', async () => {
  const register = async () => {
    fakeApi.reply(LINK, { username: 'h.ito', passwordRules: rules });
    fakeApi.reply(REGISTER, { message: 'ok' });
    showScreen(<Register token="t-1" />, '/register/t-1');
    await screen.findByLabelText('Username');
    typeInto(field('Email'), 'h.ito@northgrid.example');
    for (const label of ['New password', 'Confirm password'])
      typeInto(field(label), 'bell-tower-9');
    pressElement(button('Set Password & Activate'));
    await screen.findByText('Registration complete! You can now log in.');
    assert.ok(screen.getByRole('link', { name: 'Go to sign-in' }));
  };
  try {
    await register();
    fakeApi.reject(LOGIN, 500);
    pressElement(button('Sign in'));
    await screen.findByText('Login failed. Please try again.');
    fakeApi.reply(LOGIN, { token: createToken({ id: 9, username: 'h.ito' }), user: createUser(9) });
    pressElement(button('Sign in'));
    await waitFor(() => assert.is(sessionClaims.value?.id, 9));
    assert.equal(fakeApi.requestsTo(LOGIN)[1]?.body, {
      username: 'h.ito',
      password: 'bell-tower-9',
    });
    await waitFor(() => assert.is(location.pathname, '/login', 'from there the app leads home'));
    cleanup();
    await register();
    assert.is(screen.queryByRole('button', { name: 'Sign in' }), null);
  } finally {
    endSession();
  }
});

test('reports a used or invented registration link before typing, in any language', async () => {
  fakeApi.respond(LINK, () =>
    Response.json({ error: 'Link ungültig.', code: 'invalid_link' }, { status: 400 }),
  );
  showScreen(<Register token="t-1" />, '/register/t-1');
  await screen.findByText(INVALID);
  assert.is(document.querySelector('form'), null);
});

test('keeps the form’s outcome when its link turns out invalid later', async () => {
  fakeApi.reject(LINK, 400, 'Invalid or expired registration link.');
  const release = fakeApi.holdReplies(LINK);
  fakeApi.loseRequests(REGISTER);
  showScreen(<Register token="t-1" />, '/register/t-1');
  typeInto(field('Email'), 'm@northgrid.example');
  for (const label of ['New password', 'Confirm password']) typeInto(field(label), 'bell-tower-9');
  pressElement(button('Set Password & Activate'));
  await screen.findByText('Failed to complete registration.');
  release();
  await shortPause(); // waits for nothing to happen
  assert.is(screen.queryByText(INVALID), null);
  assert.is(field('Email').value, 'm@northgrid.example');
});

test('rejects a registration link without a token', () => {
  showScreen(<Register token="" />, '/register');
  assert.ok(screen.getByText(INVALID));
});

test('ignores a response after leaving, and asks again for the next link', async () => {
  fakeApi.reply(LINK, { username: 'first', passwordRules: rules });
  const release = fakeApi.holdReplies(LINK);
  showScreen(<Register token="t-1" />, '/register/t-1');
  await waitFor(() => assert.ok(button('Set Password & Activate')));
  cleanup();
  fakeApi.reply(LINK, { username: 'second', passwordRules: rules });
  showScreen(<Register token="t-2" />, '/register/t-2');
  release();
  assert.is((await screen.findByLabelText<HTMLInputElement>('Username')).value, 'second');
});

test('shows and hides both password fields with Show passwords, without sending it', async () => {
  fakeApi.reject(RULES, 404);
  fakeApi.reply('POST /api/auth/reset-password', { message: 'ok' });
  showScreen(<ResetPassword token="r-1" />, '/reset-password/r-1');
  const types = () => ['New password', 'Confirm password'].map((label) => field(label).type);
  for (const label of ['New password', 'Confirm password']) typeInto(field(label), 'bell-tower-9');
  assert.equal(types(), ['password', 'password']);
  for (const kind of ['text', 'password', 'text']) {
    pressElement(screen.getByRole('checkbox', { name: 'Show passwords' }));
    await waitFor(() => assert.equal(types(), [kind, kind]));
    assert.equal(
      [field('New password').value, field('Confirm password').value],
      ['bell-tower-9', 'bell-tower-9'],
    );
  }
  assert.is(
    field('New password').getAttribute('spellcheck'),
    'false',
    'no spelling service reads it',
  );
  pressElement(button('Reset Password'));
  await screen.findByText('Password reset! You can now log in.');
  assert.equal(
    fakeApi.requestsTo('POST /api/auth/reset-password').map(({ body }) => body),
    [{ token: 'r-1', password: 'bell-tower-9' }],
  );
});

test('ties a wrong field to its reason and the rules', async () => {
  fakeApi.reply(RULES, rules);
  fakeApi.reject('POST /api/auth/reset-password', 400, [
    {
      message: 'This password is one of the most common ones. Please choose another.',
      path: 'password',
    },
  ]);
  showScreen(<ResetPassword token="r-1" />, '/reset-password/r-1');
  await waitFor(() => assert.is(listedRules().length, 2));
  for (const label of ['New password', 'Confirm password']) typeInto(field(label), 'password1');
  pressElement(button('Reset Password'));
  await screen.findByText(/^This password is one of the most common/);
  assert.is(field('New password').getAttribute('aria-describedby'), 'error rules');
  assert.is(field('New password').getAttribute('aria-invalid'), 'true');
});

test.run();
