import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { call, sessionAccess } from '../../../src/api/call';
import { ApiError } from '../../../src/api/error';
import {
  sessionClaims,
  discardSession,
  signInError,
  isAdmin,
  isStorageWorking,
  signedOutOnPurpose,
  loadSession,
  registeredUsername,
  restoreSession,
  isSignedIn,
  signIn,
  signOut,
  sessionToken as present,
} from '../../../src/state/session';
import { sessionEndsSoon } from '../../../src/state/session-ends-soon';
import '../../../src/state/session-lifetime';
import { clock, fakeApi } from '../../support/app/app';
import { breakStorage } from '../../support/app/broken-storage';
import { shortPause, eventually } from '../../support/eventually';
import { endSession, createToken, signInAs } from '../../support/app/session';
import { fakePush } from '../../support/push-services/fake-push';
import { createUser } from '../../support/app/factories/people';

const test = suite('session');
const LOGIN = 'POST /api/auth/login';
const UNREGISTER = 'DELETE /api/notifications/unregister-device';
const user = createUser(7);
let logLines: string[] = [];
const real = { warn: console.warn, info: console.info };

test.before.each(() => {
  logLines = [];
  console.warn = console.info = (...words: unknown[]) => logLines.push(words.join(' '));
  fakeApi.install();
  clock.install();
  endSession();
  restoreSession();
});
test.after.each(() => {
  Object.assign(console, real);
  endSession();
  clock.remove();
  fakeApi.remove();
});

test('stores the token in jwt_token as base64, and signs the person in', async () => {
  const token = createToken({ role: 'ADMIN', username: 'ada.lindqvist' });
  fakeApi.reply(LOGIN, { token, user });
  await signIn('ada.lindqvist', 'bell-tower-9');
  assert.equal(fakeApi.requestsTo(LOGIN)[0].body, {
    username: 'ada.lindqvist',
    password: 'bell-tower-9',
  });
  assert.is(localStorage.getItem('jwt_token'), btoa(token));
  assert.is(sessionClaims.value?.username, 'ada.lindqvist');
  assert.is(isAdmin.value, true);
});

test('keeps the browser mark after sign-out, and sends it with any next sign-in', async () => {
  const sent = () =>
    fakeApi.requestsTo(LOGIN).map(({ body }) => (body as { clientToken?: string }).clientToken);
  fakeApi.reply(LOGIN, {
    token: createToken({ username: 'ada' }),
    user,
    clientToken: 'known-by-this-22-chars',
  });
  await signIn('ada', 'bell-tower-9');
  await signOut();
  await signIn('ben', 'bell-tower-9');
  fakeApi.reply(LOGIN, { token: createToken({ username: 'ben' }), user }); // an older server
  await signIn('ben', 'bell-tower-9');
  localStorage.setItem('client_token', 'x'.repeat(1_000_000));
  await signIn('ben', 'bell-tower-9');
  assert.equal(sent(), [
    undefined,
    'known-by-this-22-chars',
    'known-by-this-22-chars',
    'x'.repeat(22),
  ]);
  localStorage.removeItem('client_token');
});

test('restores a stored token, and sends it with every call', async () => {
  const token = signInAs('TECHNICIAN');
  assert.is(isSignedIn.value, true);
  assert.is(isAdmin.value, false);
  fakeApi.reply('GET /api/notifications/devices', []);
  await call('GET /api/notifications/devices', { fallback: '' });
  assert.is(
    fakeApi.requestsTo('GET /api/notifications/devices')[0].headers.get('Authorization'),
    `Bearer ${token}`,
  );
});

for (const [what, token] of Object.entries({
  'of another type': createToken({ type: 'refresh' }),
  'that has expired': createToken({ exp: Math.floor(Date.now() / 1000) - 1 }),
  'without an end': createToken({ exp: undefined }),
  'that cannot be decoded': 'not.a.token',
  'that is "null"': 'null',
  'whose claims are null': `a.${btoa('null')}.c`,
  'whose claims are no JSON': `a.${btoa('{"exp":')}.c`,
  'of a megabyte': 'x'.repeat(1_000_000),
})) {
  test(`signs out and erases a stored token ${what}`, () => {
    localStorage.setItem('jwt_token', btoa(token));
    loadSession();
    assert.is(isSignedIn.value, false);
    assert.is(localStorage.getItem('jwt_token'), null);
    assert.is(logLines.filter((line) => line.startsWith('Signed out: ')).length, 1);
    assert.not.match(logLines.join(), token.slice(0, 40));
  });
}

test('reads names in any script from a token of any length', () => {
  // Three lengths, and bytes that base64url writes as - and _.
  for (const username of ['Zoë', '電力さん', '???>>>~~~ÿ', 'Łukasz ű']) {
    const person = {
      id: 9,
      username,
      role: 'TECHNICIAN',
      exp: Math.floor(Date.now() / 1000) + 3600,
    };
    const text = Buffer.from(JSON.stringify(person)).toString('base64url');
    localStorage.setItem('jwt_token', btoa(`a.${text}.c`));
    loadSession();
    assert.is(isSignedIn.value, true);
    assert.is(sessionClaims.value?.username, username);
  }
});

test('signs out and erases a stored token that is not base64', () => {
  localStorage.setItem('jwt_token', '%%%');
  loadSession();
  assert.is(isSignedIn.value, false);
  assert.is(localStorage.getItem('jwt_token'), null);
});

test('starts with any stored data', () => {
  fc.assert(
    fc.property(fc.string(), fc.boolean(), (text, encoded) => {
      localStorage.setItem('jwt_token', encoded ? btoa(unescape(encodeURIComponent(text))) : text);
      loadSession();
      return isSignedIn.value === false;
    }),
  );
});

test('treats a token without a type as an access token', () => {
  localStorage.setItem('jwt_token', btoa(createToken({ type: undefined })));
  loadSession();
  assert.is(isSignedIn.value, true);
});

test('logs unreadable storage, and starts signed out', () => {
  const restoreStorage = breakStorage();
  loadSession();
  restoreStorage();
  assert.is(isSignedIn.value, false);
  assert.match(logLines.join(), 'Storage cannot be read');
});

test('keeps the session in memory without storage, and warns the person', async () => {
  const restoreStorage = breakStorage();
  fakeApi.reply(LOGIN, { token: createToken(), user });
  await signIn('m.okafor', 'bell-tower-9').finally(restoreStorage);
  assert.is(isSignedIn.value, true);
  assert.is(isStorageWorking.value, false);
});

test('unregisters the previous device, then stores the token', async () => {
  localStorage.setItem('device_token', 'old-device');
  const before = signInAs('TECHNICIAN');
  const order: string[] = [];
  fakeApi.reply(LOGIN, { token: createToken({ id: 8 }), user });
  fakeApi.reply(UNREGISTER, ({ body, headers }) => {
    order.push(
      `unregister ${(body as { deviceToken: string }).deviceToken}, stored: ${localStorage.getItem('jwt_token') === btoa(before)}`,
    );
    assert.is(headers.get('Authorization'), `Bearer ${before}`);
    return { message: '' };
  });
  await signIn('ada', 'bell-tower-9');
  assert.equal(order, ['unregister old-device, stored: true']);
  assert.is(sessionClaims.value?.id, 8);
});

test('looks for a leftover subscription while the server checks the password', async () => {
  const looks: string[] = [];
  let moment = 'meanwhile';
  const serviceWorker = { getRegistration: async () => void looks.push(moment) };
  Object.defineProperty(navigator, 'serviceWorker', { configurable: true, value: serviceWorker });
  fakeApi.reply(LOGIN, async () => {
    await eventually(() => looks.length, 'the look');
    moment = 'after it';
    return { token: createToken(), user };
  });
  await signIn('ada', 'bell-tower-9').finally(() =>
    Reflect.deleteProperty(navigator, 'serviceWorker'),
  );
  assert.equal(looks, ['meanwhile']);
});

test('unregisters the device before it forgets token and user', async () => {
  const token = signInAs('TECHNICIAN');
  localStorage.setItem('device_token', 'this-device');
  localStorage.setItem('device_token_since', '1');
  localStorage.setItem('correction_draft', 'half-typed');
  fakeApi.reply(UNREGISTER, { message: '' });
  await signOut();
  const [sentRequest] = fakeApi.requestsTo(UNREGISTER);
  assert.equal(sentRequest.body, { deviceToken: 'this-device' });
  assert.is(sentRequest.headers.get('Authorization'), `Bearer ${token}`);
  assert.is(localStorage.getItem('jwt_token'), null);
  assert.is(localStorage.getItem('correction_draft'), null);
  assert.equal(
    [localStorage.getItem('device_token'), localStorage.getItem('device_token_since')],
    [null, null],
  );
  assert.is(sessionClaims.value, null);
});

test('logs a device that cannot be unregistered, and signs out anyway', async () => {
  signInAs('TECHNICIAN');
  localStorage.setItem('device_token', 'this-device');
  fakeApi.loseRequests(UNREGISTER);
  await signOut();
  assert.is(isSignedIn.value, false);
  assert.match(logLines.join(), 'could not be unregistered');
  assert.not.match(logLines.join(), 'this-device');
});

test('removes the token on any 401, and passes the error on', async () => {
  signInAs('TECHNICIAN');
  fakeApi.reject('GET /api/notifications/devices', 401, 'Log in again.');
  const error = await call('GET /api/notifications/devices', { fallback: '' }).catch(
    (thrown: unknown) => thrown,
  );
  assert.instance(error, ApiError);
  assert.is((error as ApiError).status, 401);
  assert.is(isSignedIn.value, false);
  assert.is(localStorage.getItem('jwt_token'), null);
});

async function callSignedOut(): Promise<void> {
  const body = { error: 'This device was signed out.', code: 'signed_out' };
  fakeApi.respond(
    'GET /api/notifications/devices',
    () => new Response(JSON.stringify(body), { status: 401 }),
  );
  await call('GET /api/notifications/devices', { fallback: '' }).catch(() => {});
}

test('erases all data of a device that was signed out elsewhere, and says so', async () => {
  for (const time of ['first', 'second']) {
    fakePush.install('granted');
    let badge = 3;
    Object.assign(navigator, { clearAppBadge: async () => void (badge = 0) });
    signInAs('ADMIN');
    localStorage.setItem('device_token', 'this-device');
    localStorage.setItem('device_token_since', '1');
    localStorage.setItem('message_draft', 'a secret');
    localStorage.setItem('correction_draft', 'a secret');
    localStorage.setItem('sleep_test', JSON.stringify({ person: 1, id: 'a-test', at: 1 }));
    fakePush.shown = [{ title: 'Storm' }];
    const registration = (await navigator.serviceWorker.getRegistration('/'))!;
    await registration.pushManager.subscribe({ applicationServerKey: 'BAAB' });
    await callSignedOut();
    assert.is(signInError.value, 'This device was signed out.', time);
    assert.is(sessionClaims.value, null);
    assert.is(signedOutOnPurpose.value, false);
    await eventually(() => badge === 0, 'the rest to be forgotten');
    assert.is(await registration.pushManager.getSubscription(), null);
    assert.equal([fakePush.shown, Object.keys(localStorage)], [[], []]);
    Reflect.deleteProperty(navigator, 'clearAppBadge');
    fakePush.remove();
  }
  assert.is(fakeApi.requestsTo(UNREGISTER).length, 0, 'the server has done it');
});

test('signs out a device in all tabs, and keeps none of it', async () => {
  signInAs('TECHNICIAN');
  localStorage.setItem('device_token', 'this-device');
  await callSignedOut();
  // Another tab's session, and the events it gets from the first.
  present.value = createToken();
  dispatchEvent(new StorageEvent('storage', { key: 'jwt_token' }));
  assert.is(isSignedIn.value, false);
  assert.is(localStorage.getItem('device_token'), null);
});

test('keeps this session when the previous one’s device is rejected', async () => {
  const before = signInAs('TECHNICIAN');
  signInAs('TECHNICIAN', { username: 'again' });
  localStorage.setItem('device_token', 'this-device');
  sessionAccess.rejected(before, 'signed_out');
  assert.is(isSignedIn.value, true);
  assert.is(localStorage.getItem('device_token'), 'this-device');
});

test('keeps the device when the server ends the session for another reason', async () => {
  signInAs('TECHNICIAN');
  localStorage.setItem('device_token', 'this-device');
  localStorage.setItem('message_draft', 'not a secret');
  fakeApi.reject('GET /api/notifications/devices', 401, 'This device was signed out.');
  await call('GET /api/notifications/devices', { fallback: '' }).catch(() => {});
  assert.is(signInError.value, 'Your session has ended. Sign in to continue.');
  assert.equal(
    [localStorage.getItem('device_token'), localStorage.getItem('message_draft')],
    ['this-device', 'not a secret'],
  );
});

test('reports a wrong password, and stores nothing', async () => {
  fakeApi.reject(LOGIN, 401, 'Invalid username or password.');
  const error = await signIn('m.okafor', 'wrong').catch((thrown: unknown) => thrown);
  assert.is((error as ApiError).message, 'Invalid username or password.');
  assert.is(localStorage.getItem('jwt_token'), null);
});

test('rejects a login response without a usable token', async () => {
  fakeApi.reply(LOGIN, { token: 'nonsense', user });
  const error = await signIn('m.okafor', 'bell-tower-9').catch((thrown: unknown) => thrown);
  assert.is((error as ApiError).message, 'Login failed. Please try again.');
  assert.is(isSignedIn.value, false);
});

test('signs in with a clock two days ahead, and stays at the next start', async () => {
  const twoDays = 2 * 24 * 3600;
  const serverNow = Math.floor(Date.now() / 1000) - twoDays;
  fakeApi.reply(LOGIN, { token: createToken({ iat: serverNow, exp: serverNow + 3600 }), user });
  await signIn('m.okafor', 'bell-tower-9');
  assert.is(isSignedIn.value, true);
  loadSession();
  assert.is(isSignedIn.value, true);
});

test('warns once five minutes before the session ends, then ends it', async () => {
  signInAs('TECHNICIAN', { exp: Math.floor(Date.now() / 1000) + 3600 });
  await clock.advance(55 * 60_000 - 2000);
  assert.is(sessionEndsSoon.value, false);
  await clock.advance(4000);
  assert.is(sessionEndsSoon.value, true);
  assert.is(logLines.filter((line) => line.includes('ends in 5 minutes')).length, 1);
  await clock.advance(5 * 60_000);
  assert.is(isSignedIn.value, false);
});

test('stops the warning for a renewed session, every time', async () => {
  const renewTo = (seconds: number) =>
    signInAs('TECHNICIAN', { exp: Math.floor(Date.now() / 1000) + seconds });
  for (const round of [1, 2]) {
    renewTo(200);
    await clock.advance(1000);
    assert.is(sessionEndsSoon.value, true, `round ${round}`);
    renewTo(3600);
    assert.is(sessionEndsSoon.value, false, `round ${round}`);
  }
});

test('keeps a sixty-day session, longer than timers last', async () => {
  signInAs('TECHNICIAN', { exp: Math.floor(Date.now() / 1000) + 60 * 24 * 3600 });
  await clock.advance(59 * 24 * 3600_000);
  assert.is(isSignedIn.value, true);
  assert.is(sessionEndsSoon.value, false);
});

test('clears the session’s end after a new sign-in and sign-out', async () => {
  signInAs('TECHNICIAN');
  fakeApi.reject('GET /api/notifications/devices', 401);
  await call('GET /api/notifications/devices', { fallback: '' }).catch(() => {});
  assert.is(signInError.value, 'Your session has ended. Sign in to continue.');
  fakeApi.reply(LOGIN, { token: createToken(), user });
  await signIn('m.okafor', 'bell-tower-9');
  await signOut();
  assert.is(signInError.value, '');
});

test('signs out when another tab does', () => {
  signInAs('TECHNICIAN');
  localStorage.removeItem('jwt_token');
  dispatchEvent(new StorageEvent('storage', { key: 'jwt_token' }));
  assert.is(isSignedIn.value, false);
});

test('forgets how a session ended with the next, also from another tab', async () => {
  signInAs('ADMIN');
  await signOut();
  assert.ok(signedOutOnPurpose.value);
  discardSession('a test');
  assert.ok(signInError.value);
  signInAs('ADMIN');
  assert.not(signedOutOnPurpose.value);
  assert.not(signInError.value);
});

test('gives each session of a page its own end and warning', async () => {
  const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
  for (const id of [7, 8, 9]) {
    signInAs('TECHNICIAN', { id, exp: inSeconds(3600) });
    await clock.advance(56 * 60_000);
    assert.is(sessionEndsSoon.value, true, `session of ${id}`);
    endSession();
    assert.is(sessionEndsSoon.value, false, 'no one is signed in');
    signInAs('TECHNICIAN', { id, exp: inSeconds(3 * 3600) });
    assert.is(sessionEndsSoon.value, false);
    await clock.advance(10 * 60_000);
    assert.is(sessionClaims.value?.id, id, 'the previous session’s end does not count');
    assert.is(sessionEndsSoon.value, false);
    endSession();
  }
  assert.is(logLines.filter((line) => line.includes('ends in 5 minutes')).length, 3);
});

test('ignores what the server says about an earlier token, every time', async () => {
  const rejected = signInAs('TECHNICIAN', { exp: Math.floor(Date.now() / 1000) + 900 });
  signInAs('TECHNICIAN');
  for (const _ of [1, 2]) {
    sessionAccess.rejected(rejected);
    assert.is(isSignedIn.value, true);
  }
});

for (const [what, seconds, noted] of [
  ['two days behind', -2 * 24 * 3600, true],
  ['a minute and a bit ahead', 62, true],
  ['half a minute ahead', 30, false],
  ['half a minute behind', -30, false],
] as const) {
  test(`${noted ? 'corrects' : 'does not correct'} a clock that is ${what} until it is right`, async () => {
    const iat = () => Math.floor(Date.now() / 1000);
    fakeApi.reply(LOGIN, {
      token: createToken({ iat: iat() - seconds, exp: iat() - seconds + 3600 }),
      user,
    });
    await signIn('m.okafor', 'bell-tower-9');
    assert.is(isSignedIn.value, true);
    const skew = localStorage.getItem('clock_skew');
    if (noted) assert.ok(Math.abs(Number(skew) + seconds * 1000) < 5000, String(skew));
    else assert.is(skew, null);
    await signOut();
    fakeApi.reply(LOGIN, { token: createToken({ iat: iat() }), user });
    await signIn('m.okafor', 'bell-tower-9');
    assert.is(localStorage.getItem('clock_skew'), null);
  });
}

test('erases everything of the device on sign-out, waiting 3 s for the server at most', async () => {
  signInAs('TECHNICIAN');
  localStorage.setItem('device_token', 'a');
  localStorage.setItem('device_token_since', '1');
  fakeApi.reply(UNREGISTER, { message: '' });
  const limits: number[] = [];
  const { timeout } = AbortSignal;
  AbortSignal.timeout = (milliseconds) => (
    limits.push(milliseconds), timeout.call(AbortSignal, milliseconds)
  );
  await signOut().finally(() => (AbortSignal.timeout = timeout));
  assert.ok(limits.includes(3000), String(limits));
  assert.not.ok(limits.some((limit) => limit > 3000));
  assert.equal(Object.keys(localStorage), []);
  assert.is(fakeApi.requestsTo(UNREGISTER).length, 1);
  signInAs('TECHNICIAN');
  await signOut();
  assert.is(fakeApi.requestsTo(UNREGISTER).length, 1, 'there is no device to unregister');
});

test('waits 3 s at most for another tab’s work on the device', async () => {
  const limits: number[] = [];
  const { timeout } = AbortSignal;
  AbortSignal.timeout = (milliseconds) => (
    limits.push(milliseconds), timeout.call(AbortSignal, milliseconds)
  );
  Object.defineProperty(navigator, 'locks', {
    configurable: true,
    value: { request: async (_: string, __: object, work: () => unknown) => work() },
  });
  fakeApi.reply(LOGIN, { token: createToken(), user });
  try {
    await signIn('m.okafor', 'bell-tower-9');
    assert.equal(limits.sort(), [10_000, 3000]);
    limits.length = 0;
    await signOut();
    assert.equal(limits, [3000]);
  } finally {
    AbortSignal.timeout = timeout;
    Reflect.deleteProperty(navigator, 'locks');
  }
});

test('drops a stored clock difference on a response without a token', async () => {
  localStorage.setItem('clock_skew', '-172800000');
  fakeApi.reply(LOGIN, { token: 'nonsense', user });
  await signIn('m.okafor', 'bell-tower-9').catch(() => {});
  assert.is(localStorage.getItem('clock_skew'), null);
});

test('ends a token in the very second it names', () => {
  const original = Date.now;
  Date.now = () => 1_700_000_000_000;
  try {
    for (const [exp, valid] of [
      [1_700_000_001, true],
      [1_700_000_000, false],
    ] as const) {
      localStorage.setItem('jwt_token', btoa(createToken({ exp })));
      loadSession();
      assert.is(isSignedIn.value, valid, String(exp));
    }
  } finally {
    Date.now = original;
  }
});

test('gives the registered name to the next sign-in only', async () => {
  registeredUsername.value = 'm.okafor';
  fakeApi.reject(LOGIN, 401, 'Invalid username or password.');
  await signIn('m.okafor', 'wrong').catch(() => {});
  assert.is(registeredUsername.value, 'm.okafor');
  fakeApi.reply(LOGIN, { token: createToken(), user });
  await signIn('m.okafor', 'bell-tower-9');
  await signOut();
  assert.is(registeredUsername.value, '');
});

test('clears the session’s end on any sign-in attempt', async () => {
  for (const _ of [1, 2]) {
    discardSession('a test');
    fakeApi.reject(LOGIN, 401, 'Invalid username or password.');
    const trying = signIn('m.okafor', 'wrong').catch(() => {});
    assert.is(signInError.value, '');
    await trying;
    assert.is(signInError.value, '');
  }
});

test('waits with sign-in until the previous device is unregistered', async () => {
  const before = signInAs('TECHNICIAN');
  localStorage.setItem('device_token', 'old-device');
  fakeApi.reply(LOGIN, { token: createToken({ id: 8 }), user });
  fakeApi.reply(UNREGISTER, { message: '' });
  const release = fakeApi.holdReplies(UNREGISTER);
  const signing = signIn('ada', 'bell-tower-9');
  await eventually(() => fakeApi.requestsTo(UNREGISTER).length, 'the server to get it');
  await shortPause();
  assert.is(sessionClaims.value?.id, 7);
  assert.is(localStorage.getItem('jwt_token'), btoa(before));
  release();
  await signing;
  assert.is(sessionClaims.value?.id, 8);
});

test('assumes a subscription that cannot be looked up, and signs in', async () => {
  let looks = 0;
  Object.defineProperty(navigator, 'serviceWorker', {
    configurable: true,
    value: { getRegistration: () => Promise.reject(new Error(`broken ${++looks}`)) },
  });
  fakeApi.reply(LOGIN, { token: createToken(), user });
  await signIn('m.okafor', 'bell-tower-9').finally(() =>
    Reflect.deleteProperty(navigator, 'serviceWorker'),
  );
  assert.is(isSignedIn.value, true);
  assert.is(looks, 2, 'looked up, then ended');
});

test('forgets an expired session’s device without asking the server', async () => {
  localStorage.setItem('device_token', 'old-device');
  await signOut();
  localStorage.setItem('device_token', 'old-device');
  fakeApi.reply(UNREGISTER, { message: '' });
  fakeApi.reply(LOGIN, { token: createToken(), user });
  await signIn('m.okafor', 'bell-tower-9');
  assert.is(localStorage.getItem('device_token'), null);
  assert.is(fakeApi.requestsTo(UNREGISTER).length, 0);
});

test.run();
