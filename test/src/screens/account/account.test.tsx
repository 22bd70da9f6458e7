import * as assert from 'uvu/assert';
import { Account } from '../../../../src/screens/account/Account';
import { call } from '../../../../src/api/call';
import { ownAccount } from '../../../../src/state/account/own-account';
import {
  sessionClaims,
  signInError,
  signedOutOnPurpose,
  isSignedIn,
  sessionToken,
} from '../../../../src/state/session';
import {
  button,
  cleanup,
  clock,
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
  within,
} from '../../../support/app/app';
import { catchDownloads } from '../../../support/app/browser';
import { fakeDatabase } from '../../../support/app/fake-database';
import { createAccount } from '../../../support/app/factories/own-account';
import { endSession, createToken, signInAs } from '../../../support/app/session';

const test = screenSuite('account');
const READ = 'GET /api/account';
const PASSWORD = 'PUT /api/account/password';
const EMAIL = 'PUT /api/account/email';
const LANGUAGE = 'PUT /api/account/language';
const EVERYWHERE = 'POST /api/account/sign-out-everywhere';
const EXPORT = 'GET /api/account/export';
let person = 900;

test.before.each(() => {
  fakeDatabase.install();
  signInAs('TECHNICIAN', { id: ++person, sid: 'here' });
  fakeApi.reply(READ, createAccount());
  fakeApi.reply('GET /api/auth/password-rules', {
    minLength: 8,
    maxLength: 1024,
    notCommon: true,
  });
});
test.after.each(() => {
  signedOutOnPurpose.value = false;
  endSession();
});

async function openAccount(): Promise<void> {
  showScreen(<Account />, '/account');
  await screen.findByText('At least 8 characters');
  await waitFor(() => assert.ok(fakeApi.requestsTo(READ).length > 0));
}
const section = (name: string) => within(screen.getByRole('region', { name }));
const passwords = () => section('Change password');
const email = () => section('Change email');
const field = (of: ReturnType<typeof passwords>, label: string) =>
  of.getByLabelText<HTMLInputElement>(label);
const createNextToken = () =>
  createToken({ id: person, sid: 'here', iat: Math.floor(Date.now() / 1000) });
const changePasswordTo = (wanted: string) => {
  typeInto(field(passwords(), 'Current password'), 'correct horse');
  typeInto(field(passwords(), 'New password'), wanted);
  pressElement(passwords().getByRole('button', { name: 'Change password' }));
};

test('changes the language at once, starts the page again in it, and stays if that fails', async () => {
  let reloads = 0;
  Object.defineProperty(location, 'reload', { configurable: true, value: () => reloads++ });
  document.documentElement.lang = 'en';
  document.documentElement.dataset.languages = 'en|de|ar';
  try {
    await openAccount();
    const option = (name: RegExp) =>
      section('Language').getByRole<HTMLInputElement>('radio', { name });
    await waitFor(() => assert.is(option(/^Same as my browser Currently English/).checked, true));
    fakeApi.reject(LANGUAGE, 503);
    pressElement(option(/^Deutsch German/));
    await notices().findByText('Failed to change your language.');
    assert.equal([reloads, localStorage.getItem('language')], [0, null]);
    for (const [name, language, count] of [
      [/^Deutsch/, 'de', 1],
      [/^Same as/, null, 1],
    ] as const) {
      fakeApi.reply(LANGUAGE, { language });
      await waitFor(() => assert.is(option(name).disabled, false));
      pressElement(option(name));
      await waitFor(() => assert.is(option(name).checked, true));
      assert.equal(fakeApi.requestsTo(LANGUAGE).at(-1)?.body, { language });
      await waitFor(() => assert.is(localStorage.getItem('language'), language));
      assert.is(reloads, count, 'the page is English, as the browser is');
    }
    cleanup();
    ownAccount.value = null;
    fakeApi.reply(READ, createAccount({ language: 'ar' }));
    await openAccount();
    await waitFor(() => assert.is(localStorage.getItem('language'), 'ar', 'chosen elsewhere'));
    assert.is(reloads, 2);
  } finally {
    delete document.documentElement.dataset.languages;
    Reflect.deleteProperty(location, 'reload');
  }
});

test('lists the server’s password rules, and marks them while typing', async () => {
  await openAccount();
  const rule = () => screen.getByText('At least 8 characters');
  assert.is(rule().dataset.tone, undefined);
  const typedElement = field(passwords(), 'New password');
  typeInto(typedElement, 'lantern 7');
  await waitFor(() => assert.is(rule().dataset.tone, 'ok'));
  typeInto(typedElement, 'lantern');
  await waitFor(() => assert.is(rule().dataset.tone, undefined));
  assert.is(typedElement.getAttribute('aria-describedby'), 'rules');
});

test('shows and hides both passwords with Show passwords', async () => {
  await openAccount();
  const passwordTypes = () =>
    ['Current password', 'New password'].map((label) => field(passwords(), label).type);
  for (const shown of ['text', 'password']) {
    pressElement(screen.getByRole('checkbox', { name: 'Show passwords' }));
    await waitFor(() => assert.equal(passwordTypes(), [shown, shown]));
  }
});

test('keeps the session with the new token after a password change, and clears the fields', async () => {
  await openAccount();
  const before = sessionToken.value;
  const answer = createNextToken();
  fakeApi.reply(PASSWORD, { token: answer });
  changePasswordTo('brown meadow lantern');
  await notices().findByText('Password changed.');
  assert.equal(fakeApi.requestsTo(PASSWORD)[0]?.body, {
    current: 'correct horse',
    password: 'brown meadow lantern',
  });
  assert.is.not(before, answer);
  assert.equal(
    [sessionToken.value, atob(localStorage.getItem('jwt_token') ?? '')],
    [answer, answer],
  );
  assert.equal(
    [...document.querySelectorAll<HTMLInputElement>('[type=password]')].map(({ value }) => value),
    ['', '', ''],
  );
  await waitFor(() => assert.is(document.activeElement, screen.getByRole('heading', { level: 1 })));
});

test('keeps the session when a request with the former token is rejected meanwhile', async () => {
  await openAccount();
  const answer = createNextToken();
  fakeApi.reply(PASSWORD, { token: answer });
  const release = fakeApi.holdReplies(PASSWORD);
  changePasswordTo('brown meadow lantern');
  await waitFor(() => assert.is(fakeApi.requestsTo(PASSWORD).length, 1));
  fakeApi.reject(READ, 401);
  await call(READ, { fallback: '' }).catch(() => undefined);
  assert.is(isSignedIn.value, true);
  release();
  await notices().findByText('Password changed.');
  assert.is(sessionToken.value, answer);
});

test('ends a session that expired before the password change', async () => {
  await openAccount();
  fakeApi.reject(PASSWORD, 401);
  changePasswordTo('brown meadow lantern');
  await waitFor(() => assert.is(isSignedIn.value, false));
  assert.is(signInError.value, 'Your session has ended. Sign in to continue.');
});

test('reports a wrong current password above the form, and marks and focuses the field', async () => {
  await openAccount();
  const message = 'This is not your current password.';
  fakeApi.reject(PASSWORD, 403, [{ message, path: 'current' }]);
  changePasswordTo('brown meadow lantern');
  await passwords().findByText(message);
  const current = field(passwords(), 'Current password');
  assert.equal(
    [current.getAttribute('aria-invalid'), current.value],
    ['true', 'correct horse'],
    'what was typed stays',
  );
  assert.is(document.activeElement, current);
  assert.is(
    document.getElementById(current.getAttribute('aria-describedby') ?? '')?.textContent,
    message,
  );
});

test('shows a rejected new password, too many attempts, and a lost response', async () => {
  await openAccount();
  const tries: [() => void, string][] = [
    [
      () => fakeApi.reject(PASSWORD, 400, [{ message: 'Too common.', path: 'password' }]),
      'Too common.',
    ],
    [
      () => fakeApi.reject(PASSWORD, 429, 'Too many wrong passwords.', { 'Retry-After': '90' }),
      'Too many wrong passwords. Wait 90 seconds.',
    ],
    [() => fakeApi.loseRequests(PASSWORD), 'Failed to change your password.'],
    [() => fakeApi.replyWithPage(PASSWORD), 'Failed to change your password.'],
  ];
  for (const [refuse, sentence] of tries) {
    refuse();
    changePasswordTo('brown meadow lantern');
    await passwords().findByText(sentence);
  }
});

test('shows the current email, and a requested one until its link is opened', async () => {
  await openAccount();
  assert.match(
    (await email().findByText(/^Your email is/)).textContent ?? '',
    'Your email is m.okafor@northgrid.example.',
  );
  fakeApi.reply(EMAIL, createAccount({ pendingEmail: 'maya@northgrid.example' }));
  typeInto(field(email(), 'New email'), 'maya@northgrid.example');
  typeInto(field(email(), 'Password'), 'correct horse');
  pressElement(await findButton('Send link to new email'));
  const note = await email().findByText(/^We sent a link to/);
  assert.is(
    note.textContent,
    'We sent a link to maya@northgrid.example. Until you open the link, your email stays m.okafor@northgrid.example.',
  );
  assert.equal(fakeApi.requestsTo(EMAIL)[0]?.body, {
    email: 'maya@northgrid.example',
    password: 'correct horse',
  });
  assert.equal([field(email(), 'New email').value, field(email(), 'Password').value], ['', '']);
});

test('explains why to add an email address', async () => {
  fakeApi.reply(READ, createAccount({ email: null }));
  await openAccount();
  await email().findByText(/^Your account has no email yet/);
  cleanup();
  fakeApi.reply(READ, createAccount({ email: null, pendingEmail: 'maya@northgrid.example' }));
  await openAccount();
  await waitFor(() =>
    assert.match(
      email().getByRole('status').textContent ?? '',
      'The change takes effect when you open the link.',
    ),
  );
});

test('offers no password change without a password, and asks for none to change the email', async () => {
  fakeApi.reply(READ, createAccount({ hasPassword: false }));
  showScreen(<Account />, '/account');
  await passwords().findByText(/^You sign in with your company account/);
  await waitFor(() => assert.is(document.querySelector('[type=password]'), null));
  email().getByText(
    'You can change your email only within 10 minutes of signing in. After that, sign out and sign in again.',
  );
  const old = 'You logged in more than ten minutes ago. Please log out, log in again.';
  fakeApi.reject(EMAIL, 403, old);
  typeInto(field(email(), 'New email'), 'maya@northgrid.example');
  pressElement(button('Send link to new email'));
  await email().findByText(old);
  assert.equal(fakeApi.requestsTo(EMAIL)[0]?.body, { email: 'maya@northgrid.example' });
});

test('shows a failed account with Retry; everything else works', async () => {
  fakeApi.reject(READ, 500, 'The server is tired.');
  await openAccount();
  await email().findByText('The server is tired.');
  fakeApi.reply(READ, createAccount());
  pressElement(button('Retry'));
  await email().findByText(/^Your email is/);
  assert.is(email().queryByText('The server is tired.'), null);
});

test('asks before Sign out everywhere, and signs out here, too', async () => {
  await openAccount();
  pressElement(button('Sign out everywhere'));
  await dialog().findByText(/including this one/);
  pressInDialog('Cancel');
  assert.equal(fakeApi.requestsTo(EVERYWHERE), []);
  pressElement(button('Sign out everywhere'));
  fakeApi.reply(EVERYWHERE, { token: createNextToken() });
  pressInDialog('Sign out everywhere');
  await waitFor(() => assert.is(isSignedIn.value, false));
  assert.equal([signedOutOnPurpose.value, localStorage.getItem('jwt_token')], [true, null]);
});

test('stays signed in and says so when Sign out everywhere fails', async () => {
  await openAccount();
  fakeApi.loseRequests(EVERYWHERE);
  pressElement(button('Sign out everywhere'));
  pressInDialog('Sign out everywhere');
  await dialog().findByText('Failed to sign you out everywhere.');
  assert.is(sessionClaims.value?.id, person);
});

test('saves Download my data as one file, and releases it afterwards', async () => {
  const { files, saved, released } = catchDownloads();
  await openAccount();
  const accountExport = { account: { id: person }, messages: [{ title: 'Störung' }] };
  fakeApi.respond(EXPORT, () => Response.json(accountExport));
  pressElement(button('Download my data'));
  await waitFor(() => assert.is(files.length, 1));
  assert.equal(JSON.parse((await files[0]?.text()) ?? ''), accountExport);
  await findButton('Download my data');
  cleanup();
  assert.equal([saved, released], [['fieldbell-account.json blob:1'], ['blob:1']]);
});

test('shows a rejected download, and lets the person retry', async () => {
  await openAccount();
  fakeApi.reject(EXPORT, 429, 'It was downloaded too often.');
  pressElement(button('Download my data'));
  await notices().findByText('It was downloaded too often.');
  assert.is((await findButton('Download my data')).disabled, false);
  fakeApi.loseRequests(EXPORT);
  pressElement(button('Download my data'));
  await notices().findByText('Failed to download your data.');
});

test('signs out when the server ends the session after a password change', async () => {
  await openAccount();
  for (let time = 0; time < 2; time += 1) {
    fakeApi.reply(PASSWORD, { token: createNextToken() });
    changePasswordTo(`brown meadow lantern ${time}`);
    await waitFor(() => assert.is(fakeApi.requestsTo(PASSWORD).length, time + 1));
    await waitFor(() => assert.is(field(passwords(), 'New password').value, ''));
  }
  fakeApi.reject(READ, 401);
  await call(READ, { fallback: '' }).catch(() => undefined);
  assert.is(isSignedIn.value, false);
});

test('gives password managers the username', async () => {
  await openAccount();
  const name = document.querySelector<HTMLInputElement>('[autocomplete="username"]');
  assert.equal([name?.value, name?.hidden], ['m.okafor', true]);
});

test('shows a rejected link at its field, and keeps the typed address', async () => {
  await openAccount();
  const wrong = 'This is not your current password.';
  const tries: [() => void, string, string | undefined][] = [
    [() => fakeApi.reject(EMAIL, 403, [{ message: wrong, path: 'password' }]), wrong, 'Password'],
    [
      () => fakeApi.reject(EMAIL, 400, [{ message: 'No address.', path: 'email' }]),
      'No address.',
      'New email',
    ],
    [() => fakeApi.loseRequests(EMAIL), 'Failed to send the link.', undefined],
  ];
  for (const [refuse, sentence, at] of tries) {
    refuse();
    typeInto(field(email(), 'New email'), 'maya@northgrid.example');
    typeInto(field(email(), 'Password'), 'correct horse');
    pressElement(await findButton('Send link to new email'));
    const note = await email().findByText(sentence);
    for (const label of ['New email', 'Password']) {
      const input = field(email(), label);
      assert.is(input.getAttribute('aria-invalid'), label === at ? 'true' : null, label);
      assert.is(input.getAttribute('aria-describedby'), label === at ? note.id : null);
    }
    assert.is(field(email(), 'New email').value, 'maya@northgrid.example');
  }
});

test('shows and hides only the email’s password with Show password', async () => {
  await openAccount();
  const box = () => email().getByRole('checkbox', { name: 'Show password' });
  for (const shown of ['text', 'password']) {
    pressElement(box());
    await waitFor(() => assert.is(field(email(), 'Password').type, shown));
    assert.is(field(passwords(), 'Current password').type, 'password');
  }
});

test('requests a link once for several presses, and says that it was sent', async () => {
  await openAccount();
  fakeApi.reply(EMAIL, createAccount({ pendingEmail: 'maya@northgrid.example' }));
  const release = fakeApi.holdReplies(EMAIL);
  typeInto(field(email(), 'New email'), 'maya@northgrid.example');
  typeInto(field(email(), 'Password'), 'correct horse');
  pressElement(await findButton('Send link to new email'));
  assert.is((await findButton('Sending…')).disabled, true);
  release();
  await notices().findByText('You’ll get an email with a link.');
  assert.is(fakeApi.requestsTo(EMAIL).length, 1);
});

test('ignores an older response after a newer request, and in the next person’s session', async () => {
  const late = fakeApi.holdReplies(READ);
  showScreen(<Account />, '/account');
  await screen.findByText('At least 8 characters');
  await waitFor(() => assert.is(fakeApi.requestsTo(READ).length, 1));
  fakeApi.reply(EMAIL, createAccount({ pendingEmail: 'maya@northgrid.example' }));
  typeInto(field(email(), 'New email'), 'maya@northgrid.example');
  typeInto(field(email(), 'Password'), 'correct horse');
  pressElement(await findButton('Send link to new email'));
  await email().findByText(/^We sent a link to/);
  late();
  await clock.advance(0);
  assert.ok(email().getByText(/^We sent a link to/));
  cleanup();
  const other = fakeApi.holdReplies(READ);
  showScreen(<Account />, '/account');
  await waitFor(() => assert.is(fakeApi.requestsTo(READ).length, 2));
  signInAs('TECHNICIAN', { id: ++person, sid: 'here' });
  assert.is(ownAccount.value, null);
  other();
  await clock.advance(0);
  assert.is(ownAccount.value, null);
});

test('saves no file after the person leaves the page, and frees the previous one', async () => {
  const { files, released } = catchDownloads();
  fakeApi.respond(EXPORT, () => Response.json({ account: { id: person } }));
  await openAccount();
  for (const times of [1, 2]) {
    pressElement(await findButton('Download my data'));
    await waitFor(() => assert.is(files.length, times));
  }
  await waitFor(() => assert.equal(released, ['blob:1']));
  const release = fakeApi.holdReplies(EXPORT);
  pressElement(await findButton('Download my data'));
  assert.is((await findButton('Downloading…')).disabled, true);
  cleanup();
  release();
  await clock.advance(0);
  assert.equal([files.length, released], [2, ['blob:1', 'blob:2']]);
});

test.run();
