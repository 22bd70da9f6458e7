import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { beginAfterFirstScreen } from '../../../src/state/after-first-screen';
import { renewToken } from '../../../src/state/session-lifetime';
import { serverNow } from '../../../src/state/clock';
import { sessionClaims, isSignedIn, sessionToken } from '../../../src/state/session';
import { fakeApi, waitFor } from '../../support/app/app';
import { fakeDatabase } from '../../support/app/fake-database';
import { endSession, createToken, signInAs } from '../../support/app/session';

const test = suite('renewal of a session');
const REFRESH = 'POST /api/auth/refresh';
const DAY_S = 24 * 3600;
const HOUR_MS = 3600_000;
const real = Date.now;
const inDays = (days: number) => ({ exp: Math.floor(Date.now() / 1000) + days * DAY_S });
const refreshCount = () => fakeApi.requestsTo(REFRESH).length;
const storedToken = () => atob(localStorage.getItem('jwt_token') ?? '');
let freshToken: string;
function letHourPass(): void {
  const then = Date.now() + HOUR_MS;
  Date.now = () => then;
}

test.before.each(() => {
  fakeApi.install();
  fakeDatabase.install();
  freshToken = createToken(inDays(30));
  fakeApi.reply(REFRESH, { token: freshToken });
});
test.after.each(() => {
  endSession();
  Date.now = real;
  fakeDatabase.remove();
  fakeApi.remove();
});

test('renews a day-old session, and keeps the token', async () => {
  signInAs('TECHNICIAN', inDays(28));
  await renewToken();
  assert.is(sessionToken.value, freshToken);
  assert.is(storedToken(), freshToken);
  await renewToken();
  assert.is(refreshCount(), 1);
});

test('renews no session of today, no administrator’s and none of a visitor', async () => {
  await renewToken();
  signInAs('TECHNICIAN', inDays(29.5));
  await renewToken();
  endSession();
  signInAs('ADMIN', inDays(0.2));
  await renewToken();
  assert.is(refreshCount(), 0);
});

test('keeps the session when a renewal fails, and retries in an hour', async () => {
  const before = signInAs('TECHNICIAN', inDays(3));
  for (const status of [404, 500]) {
    fakeApi.reject(REFRESH, status);
    await renewToken();
    await renewToken();
    assert.is(sessionToken.value, before);
    letHourPass();
  }
  assert.is(refreshCount(), 2);
  fakeApi.reply(REFRESH, { token: freshToken });
  await renewToken();
  assert.is(storedToken(), freshToken);
});

test('renews at a start and on return to the page', async () => {
  signInAs('TECHNICIAN', inDays(3));
  await beginAfterFirstScreen(
    async () => {},
    () => {},
  );
  assert.is(sessionToken.value, freshToken);
  signInAs('TECHNICIAN', { ...inDays(3), id: 8 });
  dispatchEvent(new Event('focus'));
  await waitFor(() => assert.is(sessionToken.value, freshToken));
  assert.is(refreshCount(), 2);
});

test('ignores an invalid token on renewal', async () => {
  const before = signInAs('TECHNICIAN', inDays(3));
  fakeApi.reply(REFRESH, { token: 7 } as never);
  await renewToken();
  assert.is(sessionToken.value, before);
});

test('updates the clock difference with a renewed token', async () => {
  let id = 100; // each token has a separate session
  for (const [off, correction] of [
    [3 * DAY_S, 3 * DAY_S],
    [0, 0],
    [-2 * DAY_S, -2 * DAY_S],
    [undefined, 0],
  ] as const) {
    signInAs('TECHNICIAN', { ...inDays(3), id: id++ });
    const iat = off === undefined ? {} : { iat: Math.floor(Date.now() / 1000) + off };
    fakeApi.reply(REFRESH, { token: createToken({ ...inDays(30), ...iat }) });
    await renewToken();
    assert.is(Math.round((serverNow() - Date.now()) / (DAY_S * 1000)), correction / DAY_S);
    endSession();
  }
});

test('ignores a renewal after sign-out or for the next person', async () => {
  for (const next of [undefined, 9]) {
    signInAs('TECHNICIAN', inDays(3));
    const release = fakeApi.holdReplies(REFRESH);
    const renewed = renewToken();
    endSession();
    if (next !== undefined) signInAs('TECHNICIAN', { id: next });
    release();
    await renewed;
    assert.is(sessionClaims.value?.id, next);
    endSession();
  }
});

test('moves a renewed session to another tab without a gap', () => {
  signInAs('TECHNICIAN', inDays(3));
  const signedInStates: boolean[] = [];
  const stop = isSignedIn.subscribe((now) => signedInStates.push(now));
  localStorage.setItem('jwt_token', btoa(freshToken));
  dispatchEvent(new StorageEvent('storage', { key: 'jwt_token' }));
  stop();
  assert.is(sessionToken.value, freshToken);
  assert.equal(signedInStates, [true]);
});

test.run();
