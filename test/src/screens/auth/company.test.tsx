import { createHash } from 'node:crypto';
import * as assert from 'uvu/assert';
import { Login } from '../../../../src/screens/auth/Login';
import { pendingChallenge } from '../../../../src/state/account/challenge';
import { signInError, isSignedIn, sessionToken } from '../../../../src/state/session';
import type { ResponseOf } from '../../../../src/shared/contract';
import {
  button,
  fakeApi,
  pressElement,
  screen,
  screenSuite,
  showScreen,
  waitFor,
} from '../../../support/app/app';
import { endSession, createToken, signInAs } from '../../../support/app/session';

const test = screenSuite('signing in by the company');
const builtWith = (built: { COMPANY: string; TWO_FACTOR: boolean }) =>
  Object.assign(globalThis, built);
const { assign } = location;
const { confirm } = globalThis;
const visited: string[] = [];

test.before.each(() => {
  builtWith({ COMPANY: 'Northgrid', TWO_FACTOR: true });
  visited.length = 0;
  location.assign = (address) => void visited.push(String(address));
});
test.after.each(() => {
  pendingChallenge.value = null;
  endSession();
  location.assign = assign;
  globalThis.confirm = confirm;
  localStorage.removeItem(BEGUN);
  builtWith({ COMPANY: '', TWO_FACTOR: false });
});

/** Loaded late, as the build's company name is part of its sentences. */
const companySignIn = () => import('../../../../src/state/account/company-sign-in');
const completeCompanySignIn = async (name: string, value: string): Promise<void> =>
  (await companySignIn()).completeCompanySignIn([name, value]);
const goToCompany = async (): Promise<void> => (await companySignIn()).goToCompanySignIn();
const BEGUN = 'company_sign_in';

test('offers the company’s sign-in above the form, and keeps the requested page', async () => {
  showScreen(<Login />, '/login?next=%2Fmessages%2F5');
  await waitFor(() => assert.is(button('Sign in with Northgrid').disabled, false));
  screen.getByText('or with your Fieldbell password');
  pressElement(button('Sign in with Northgrid'));
  await waitFor(() => assert.is(visited.length, 1));
  const startAddress = new URL(visited[0] ?? '', location.href);
  assert.equal(
    [startAddress.pathname, startAddress.searchParams.get('next')],
    ['/api/auth/oidc/start', '/messages/5'],
  );
  assert.match(startAddress.searchParams.get('bind') ?? '', /^[\w-]{43}$/);
});

test('offers no company sign-in in a build without one', () => {
  builtWith({ COMPANY: '', TWO_FACTOR: false });
  showScreen(<Login />, '/login');
  assert.is(screen.queryByText(/or with your Fieldbell password/), null);
});

const HANDOVER = 'POST /api/auth/oidc/handover';
type Handed = ResponseOf<typeof HANDOVER>;
/** Begins here, and returns with a code that says this. */
async function comeBack(name: Handed['name'], value: string): Promise<void> {
  await goToCompany();
  const bind = new URL(visited.at(-1) ?? '', location.href).searchParams.get('bind');
  fakeApi.reply(HANDOVER, ({ body }) => {
    const { code, secret } = body as { code: string; secret: string };
    const hash = createHash('sha256').update(secret).digest('base64url');
    assert.equal([code, hash], ['a code', bind]);
    return { name, value };
  });
  await completeCompanySignIn('code', 'a code');
}

test('signs in on return to the page that started it', async () => {
  const newToken = createToken({ role: 'ADMIN' });
  await comeBack('token', newToken);
  assert.equal([isSignedIn.value, sessionToken.value, signInError.value], [true, newToken, '']);
});

test('ignores a link with a session or second step, signed in or not', async () => {
  const forged = createToken({ id: 66 });
  for (const name of ['token', 'second_factor', 'second_factor_set_up', 'code', 'x']) {
    await completeCompanySignIn(name, forged);
    assert.equal([isSignedIn.value, pendingChallenge.value], [false, null], name);
    assert.match(signInError.value, /^This sign-in started in another browser/);
  }
  signInAs('TECHNICIAN', { id: 7 });
  const mine = sessionToken.value;
  await goToCompany();
  for (const name of ['token', 'second_factor', 'refused', 'x'])
    await completeCompanySignIn(name, forged);
  assert.equal([sessionToken.value, pendingChallenge.value, signInError.value], [mine, null, '']);
});

test('ends a sign-in with its own code or after 15 minutes, not with an invented code', async () => {
  await goToCompany();
  fakeApi.reject(HANDOVER, 400, 'Made up.');
  await completeCompanySignIn('code', 'made up');
  await completeCompanySignIn('refused', 'busy');
  assert.is(signInError.value, 'Too many sign-in attempts. Try again in a few minutes.');
  const begun = localStorage.getItem(BEGUN);
  fakeApi.reply(HANDOVER, () => ({ name: 'token', value: createToken({ role: 'ADMIN' }) }));
  await completeCompanySignIn('code', 'a code');
  assert.equal(
    [isSignedIn.value, localStorage.getItem(BEGUN), begun === null],
    [true, null, false],
  );
  endSession();
  const requestCount = fakeApi.requestsTo(HANDOVER).length;
  await goToCompany();
  const [at, secret] = localStorage.getItem(BEGUN)!.split(' ');
  localStorage.setItem(BEGUN, `${Number(at) - 15 * 60_000} ${secret}`);
  await completeCompanySignIn('code', 'a code');
  assert.match(signInError.value, /^This sign-in started in another browser/);
  assert.is(fakeApi.requestsTo(HANDOVER).length, requestCount);
});

test('asks before replacing another person’s live session', async () => {
  const bert = createToken({ id: 8, username: 'bert' });
  for (const says of [false, true]) {
    signInAs('TECHNICIAN', { id: 7, username: 'anna' });
    const mine = sessionToken.value;
    const questions: (string | undefined)[] = [];
    globalThis.confirm = (text) => questions.push(text) > 0 && says;
    await comeBack('token', bert);
    assert.equal(questions, ['You’re signed in as anna. Sign in as bert instead?']);
    assert.is(sessionToken.value, says ? bert : mine);
    await comeBack('second_factor', 'sealed');
    assert.is(questions.length, 2);
    assert.is(pendingChallenge.value !== null, says);
  }
});

test('rejects an invalid token at the login form', async () => {
  for (const invalidToken of ['', 'x', createToken({ exp: 1 })]) {
    await comeBack('token', invalidToken);
    assert.is(isSignedIn.value, false);
    assert.match(signInError.value, /failed\. (Try|Please try) again\.$/);
  }
});

test('shows an administrator the second step, or what is missing in a build without it', async () => {
  await comeBack('second_factor', 'sealed');
  assert.equal(pendingChallenge.value, { step: 'second_factor', challenge: 'sealed' });
  pendingChallenge.value = null;
  builtWith({ COMPANY: 'Northgrid', TWO_FACTOR: false });
  await comeBack('second_factor_set_up', 'sealed');
  assert.is(pendingChallenge.value, null);
  assert.match(signInError.value, /built without support for it/);
});

for (const [why, sentence] of [
  [
    'unknown',
    'No account here has your Northgrid email address. Ask your administrator to add you.',
  ],
  ['unverified', /^Northgrid hasn’t verified your email address/],
  ['unverified_here', /^Your email address isn’t verified here yet/],
  ['linked', /^Your account here is linked to another Northgrid account/],
  ['cancelled', 'You weren’t signed in. Northgrid reports that the sign-in was canceled.'],
  ['expired', /^This sign-in started in another browser/],
  ['down', /^Northgrid’s sign-in isn’t reachable/],
  ['busy', /^Too many sign-in attempts/],
  ['off', 'Signing in with Northgrid isn’t set up on the server.'],
  ['refused', 'Signing in with Northgrid failed. Try again.'],
  // Codes of a later server, and invented ones.
  ['of a later server', 'Signing in with Northgrid failed. Try again.'],
  ['constructor', 'Signing in with Northgrid failed. Try again.'],
  ['<b>x</b>', 'Signing in with Northgrid failed. Try again.'],
] as const)
  test(`explains the rejection ${why} at the login form`, async () => {
    await completeCompanySignIn('refused', why);
    if (typeof sentence === 'string') assert.is(signInError.value, sentence);
    else assert.match(signInError.value, sentence);
    showScreen(<Login />, '/login');
    assert.is(screen.getByRole('alert').textContent, signInError.value);
  });

test.run();
