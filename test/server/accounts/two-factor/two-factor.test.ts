import * as assert from 'uvu/assert';
import { suite } from 'uvu';
import { requireUser } from '../../../../server/accounts/users';
import { createSession } from '../../../../server/http/access/session';
import { readAuditLines } from '../../../support/server/audit';
import { authenticatorCode, addAuthenticatorApp } from '../../../support/server/two-factor';
import { createServer, serverSuite } from '../../../support/server/server';
import type { Person, TestServer } from '../../../support/server/server';

const { test, server } = serverSuite('second factor', { environment: { ADMIN_TOTP: 'optional' } });
const PASSWORD = 'correct horse battery';
const STEP = 30_000;
const WRONG_CODE = [{ message: 'This code is wrong or was already used.', path: 'code' }];
const TOO_LATE = 'This took too long, or your account has changed. Please sign in again.';

const createAdmin = (at: TestServer = server): Promise<Person> =>
  at.createPerson('ADMIN', { username: 'ada', password: PASSWORD });

/** The body of a rejected sign-in: its code and the challenge. */
async function rejectedSignIn(at: TestServer = server): Promise<Record<string, string>> {
  const response = await at.request('/api/auth/login', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'ada', password: PASSWORD }),
  });
  assert.is(response.status, 401);
  return response.json();
}
const startChallenge = async (at: TestServer = server): Promise<string> =>
  (await rejectedSignIn(at)).challenge ?? '';

const beginSetup = (as: { token: string }, password = PASSWORD, at: TestServer = server) =>
  at.call('POST /api/account/second-factor/begin', { as, body: { password } });

const confirmSignIn = (code: string, challengeToken: string, at: TestServer = server) =>
  at.call('POST /api/auth/second-factor', { body: { challenge: challengeToken, code } });

test('responds to a right password with a challenge that opens nothing without a code', async () => {
  const { secret } = await addAuthenticatorApp(await createAdmin(), server.services);
  const { code, challenge: challengeToken = '', error } = await rejectedSignIn();
  assert.is(code, 'second_factor');
  assert.match(error, /needs a code from an authenticator app/);
  const triedResponse = await server.call('GET /api/admin/users', {
    as: { token: challengeToken },
  });
  assert.is(triedResponse.status, 401);
  const { status, body } = await confirmSignIn(
    authenticatorCode(secret, server.clock.now),
    challengeToken,
  );
  assert.is(status, 200);
  assert.is(body.user.username, 'ada');
  assert.is((await server.call('GET /api/admin/users', { as: body })).status, 200);
  assert.type(body.clientToken, 'string');
});

test('uses up no sign-in attempt for a right password with a challenge', async () => {
  await addAuthenticatorApp(await createAdmin(), server.services);
  for (let time = 1; time <= 12; time += 1)
    assert.is((await rejectedSignIn()).code, 'second_factor', `time ${time}`);
});

test('gives a wrong password no challenge', async () => {
  await addAuthenticatorApp(await createAdmin(), server.services);
  const { status, error } = await server.signIn('ada', 'wrong');
  assert.equal([status, error], [401, 'Invalid username or password.']);
});

test('accepts a code once, even for two at once, and no earlier code after it', async () => {
  const { secret } = await addAuthenticatorApp(await createAdmin(), server.services);
  const challengeToken = await startChallenge();
  const code = authenticatorCode(secret, server.clock.now);
  const responses = await Promise.all([
    confirmSignIn(code, challengeToken),
    confirmSignIn(code, challengeToken),
  ]);
  assert.equal(responses.map(({ status }) => status).sort(), [200, 400]);
  const repeatedResponse = await confirmSignIn(code, await startChallenge());
  assert.equal([repeatedResponse.status, repeatedResponse.error], [400, WRONG_CODE]);
  const earlierResponse = await confirmSignIn(
    authenticatorCode(secret, server.clock.now - STEP),
    challengeToken,
  );
  assert.is(earlierResponse.status, 400);
  assert.is(
    (await confirmSignIn(authenticatorCode(secret, server.clock.now + STEP), challengeToken))
      .status,
    200,
  );
});

for (const apart of [-60, -30, 30, 60])
  test(`accepts codes of a phone whose clock is ${Math.abs(apart)} seconds ${apart < 0 ? 'behind' : 'ahead'}`, async () => {
    const { secret } = await addAuthenticatorApp(await createAdmin(), server.services);
    const code = authenticatorCode(secret, server.clock.now + apart * 1000);
    assert.is((await confirmSignIn(code, await startChallenge())).status, 200);
  });

test('rejects codes of a phone whose clock is further off', async () => {
  const { secret } = await addAuthenticatorApp(await createAdmin(), server.services);
  const challengeToken = await startChallenge();
  for (const steps of [-3, 3])
    assert.is(
      (
        await confirmSignIn(
          authenticatorCode(secret, server.clock.now + steps * STEP),
          challengeToken,
        )
      ).status,
      400,
    );
});

test('allows five wrong codes from anywhere, then none until the time is over', async () => {
  const { secret } = await addAuthenticatorApp(await createAdmin(), server.services);
  const tries = await Promise.all(
    Array.from({ length: 8 }, async (_, index) =>
      server.call('POST /api/auth/second-factor', {
        body: { challenge: await startChallenge(), code: '000000' },
        from: `198.51.100.${index}`,
      }),
    ),
  );
  assert.equal(tries.map(({ status }) => status).sort(), [...Array(5).fill(400), 429, 429, 429]);
  const rightResponse = await confirmSignIn(
    authenticatorCode(secret, server.clock.now),
    await startChallenge(),
  );
  assert.is(rightResponse.status, 429, 'not even the right one');
  server.clock.now += Number(rightResponse.headers.get('Retry-After')) * 1000;
  assert.is(
    (await confirmSignIn(authenticatorCode(secret, server.clock.now), await startChallenge()))
      .status,
    200,
  );
});

test('uses up no attempt for right codes', async () => {
  const { secret } = await addAuthenticatorApp(await createAdmin(), server.services);
  for (let time = 0; time < 7; time++) {
    server.clock.now += STEP;
    const code = authenticatorCode(secret, server.clock.now);
    assert.is(
      (await confirmSignIn(code, await startChallenge())).status,
      200,
      `sign-in ${time + 1}`,
    );
  }
});

test('accepts a recovery code once, however it is typed', async () => {
  const ada = await createAdmin();
  const { codes } = await addAuthenticatorApp(ada, server.services);
  const [code = '', other = ''] = codes;
  assert.is(new Set(codes).size, 10);
  const typed = ` ${code.toUpperCase().replaceAll('-', ' ')} `;
  assert.is((await confirmSignIn(typed, await startChallenge())).status, 200);
  assert.is((await readAuditLines(server, ada))[0], 'ada login ada: With a recovery code');
  assert.equal((await confirmSignIn(code, await startChallenge())).error, WRONG_CODE);
  const responses = await Promise.all([
    confirmSignIn(other, await startChallenge()),
    confirmSignIn(other, await startChallenge()),
  ]);
  assert.equal(responses.map(({ status }) => status).sort(), [200, 400]);
});

test('rejects codes of another person', async () => {
  await addAuthenticatorApp(await createAdmin(), server.services);
  const other = await addAuthenticatorApp(await server.createPerson('ADMIN'), server.services);
  const challengeToken = await startChallenge();
  assert.is((await confirmSignIn(other.codes[0] ?? '', challengeToken)).status, 400);
  assert.is(
    (await confirmSignIn(authenticatorCode(other.secret, server.clock.now), challengeToken)).status,
    400,
  );
});

test('ends a challenge after ten minutes, and with the password, role or account', async () => {
  const ada = await createAdmin();
  const { codes } = await addAuthenticatorApp(ada, server.services);
  const [first = ''] = codes;
  const change = (set: object) => () =>
    server.services.db.updateTable('users').set(set).where('id', '=', ada.id).execute();
  for (const endChallenge of [
    async () => void (server.clock.now += 10 * 60_000),
    change({ session_version: 50 }),
    change({ status: 'PENDING' }),
    () => server.services.db.deleteFrom('users').where('id', '=', ada.id).execute(),
  ]) {
    const challengeToken = await startChallenge();
    await endChallenge();
    const { status, error } = await confirmSignIn(first, challengeToken);
    assert.equal([status, error], [400, TOO_LATE]);
    await change({ status: 'ACTIVE' })();
  }
  for (const text of ['x', '', 'x'.repeat(2000)])
    assert.is((await confirmSignIn(first, text)).status, 400);
});

test('rejects a challenge of another step', async () => {
  await addAuthenticatorApp(await createAdmin(), server.services);
  const { status, error } = await server.call('POST /api/auth/second-factor/begin', {
    body: { challenge: await startChallenge() },
  });
  assert.equal([status, error], [400, TOO_LATE]);
});

test('asks no code of a former administrator', async () => {
  const ada = await createAdmin();
  await addAuthenticatorApp(ada, server.services);
  const spare = await server.createPerson('ADMIN');
  const { id } = ada;
  await server.changeRole(spare, id, 'TECHNICIAN');
  const { status } = await server.signIn('ada', PASSWORD);
  assert.is(status, 200);
});

test('asks for codes only after the first one is confirmed', async () => {
  const ada = await createAdmin();
  const { body: begun } = await beginSetup(ada);
  assert.match(begun.secret, /^[A-Z2-7]{32}$/);
  assert.match(begun.link, /^otpauth:\/\/totp\/Fieldbell:ada\?/);
  assert.is(new URL(begun.link).searchParams.get('secret'), begun.secret);
  const signIn = () => server.signIn('ada', PASSWORD);
  assert.is((await signIn()).status, 200, 'begun only');
  const confirm = (totpCode: string) =>
    server.call('POST /api/account/second-factor/confirm', {
      as: ada,
      body: { begun: begun.begun, code: totpCode },
    });
  assert.equal((await confirm('000000')).error, WRONG_CODE);
  const code = authenticatorCode(begun.secret, server.clock.now);
  const { body } = await confirm(code);
  assert.is(body.recoveryCodes.length, 10);
  assert.equal(
    (await confirm(authenticatorCode(begun.secret, server.clock.now + STEP))).status,
    409,
  );
  assert.is((await signIn()).status, 401);
  assert.is(
    (await confirmSignIn(code, await startChallenge())).status,
    400,
    'the code that confirmed is used',
  );
  const state = await server.call('GET /api/account/second-factor', { as: ada });
  assert.equal(state.body, {
    mode: 'optional',
    isOn: true,
    recoveryCodesLeft: 10,
    hasPassword: true,
  });
});

test('requires the password to set up an app, and allows ten wrong ones', async () => {
  const ada = await createAdmin();
  const bare = await server.call('POST /api/account/second-factor/begin', { as: ada, body: {} });
  assert.equal(
    [bare.status, bare.error],
    [400, [{ message: 'Please enter your password.', path: 'password' }]],
  );
  const wrongResponse = await Promise.all(
    Array.from({ length: 12 }, () => beginSetup(ada, 'wrong')),
  );
  assert.equal(wrongResponse.map(({ status }) => status).sort(), [
    ...Array(10).fill(403),
    ...Array(2).fill(429),
  ]);
  assert.equal(wrongResponse.find(({ status }) => status === 403)?.error, [
    { message: 'This is not your current password.', path: 'password' },
  ]);
  assert.is((await beginSetup(ada)).status, 429, 'not even the right one');
  server.clock.now += 90_000;
  assert.is((await beginSetup(ada)).status, 200);
  assert.is((await beginSetup(ada)).status, 200, 'right ones use nothing up');
});

test('does not accept an earlier password check in place of the password', async () => {
  const ada = await createAdmin();
  const { body: signedIn } = await server.signIn('ada', PASSWORD);
  for (const as of [ada, signedIn]) assert.is((await beginSetup(as, '')).status, 400);
});

test('lets a person without a password set up an app within ten minutes of a sign-in', async () => {
  const eve = await server.createPerson('ADMIN', { username: 'eve' });
  const state = await server.call('GET /api/account/second-factor', { as: eve });
  assert.is(state.body.hasPassword, false);
  assert.is((await beginSetup(eve, 'whatever')).status, 200);
  server.clock.now += 599_000;
  assert.is((await beginSetup(eve)).status, 200);
  const { body: renewed } = await server.call('POST /api/auth/refresh', { as: eve });
  server.clock.now += 1000;
  for (const as of [eve, renewed]) {
    const { status, error } = await beginSetup(as);
    assert.is(status, 403);
    assert.match(String(error), /more than ten minutes ago\. Please sign out, sign in again/);
  }
  const row = await requireUser(eve.id, server.services.db);
  const token = await createSession(row, server.services);
  assert.is((await beginSetup({ token })).status, 200);
});

test('accepts a begun secret from its person alone, for half an hour', async () => {
  const [ada, otherPerson] = [await createAdmin(), await server.createPerson('ADMIN')];
  const { body: begun } = await beginSetup(ada);
  const confirm = (as: Person) =>
    server.call('POST /api/account/second-factor/confirm', {
      as,
      body: { begun: begun.begun, code: authenticatorCode(begun.secret, server.clock.now) },
    });
  assert.equal((await confirm(otherPerson)).error, 'This took too long. Please start again.');
  server.clock.now += 30 * 60_000;
  assert.equal((await confirm(ada)).error, 'This took too long. Please start again.');
});

test('requires a code to switch off and to renew recovery codes, and limits wrong ones', async () => {
  const ada = await createAdmin();
  const { secret, codes } = await addAuthenticatorApp(ada, server.services);
  const offSuite = (code: string) =>
    server.call('DELETE /api/account/second-factor', { as: ada, body: { code } });
  assert.equal((await offSuite('000000')).error, WRONG_CODE);
  const renewedResponse = await server.call('POST /api/account/second-factor/recovery-codes', {
    as: ada,
    body: { code: codes[0] ?? '' },
  });
  assert.is(renewedResponse.body.recoveryCodes.length, 10);
  assert.equal((await offSuite(codes[1] ?? '')).error, WRONG_CODE, 'those before end');
  assert.is((await offSuite(authenticatorCode(secret, server.clock.now))).status, 200);
  assert.is((await offSuite(authenticatorCode(secret, server.clock.now + STEP))).status, 409);
  const rows = await server.services.db.selectFrom('recovery_codes').selectAll().execute();
  assert.equal(rows, []);
  const laterResponse = await server.signIn('ada', PASSWORD);
  assert.is(laterResponse.status, 200);
});

test('keeps secrets and codes out of the log, later responses and plain rows', async () => {
  const ada = await createAdmin();
  const { secret, codes } = await addAuthenticatorApp(ada, server.services);
  const code = authenticatorCode(secret, server.clock.now);
  await confirmSignIn('000000', await startChallenge());
  await confirmSignIn(code, await startChallenge());
  await confirmSignIn(codes[0] ?? '', await startChallenge());
  const { db } = server.services;
  const storedText = JSON.stringify([
    await db.selectFrom('second_factors').selectAll().execute(),
    await db.selectFrom('recovery_codes').selectAll().execute(),
    server.log,
    (await server.call('GET /api/account/second-factor', { as: ada })).body,
  ]);
  for (const hidden of [secret, code, ...codes, ...codes.map((one) => one.replaceAll('-', ''))])
    assert.not.match(storedText, hidden);
  assert.match(server.log.join('\n'), '"sign-in failed"');
});

test('accepts recovery codes, not app codes, after JWT_SECRET changes', async () => {
  const { secret, codes } = await addAuthenticatorApp(await createAdmin(), server.services);
  server.services.config = { ...server.services.config, jwtSecret: 'another secret '.repeat(3) };
  assert.is(
    (await confirmSignIn(authenticatorCode(secret, server.clock.now), await startChallenge()))
      .status,
    400,
  );
  assert.is((await confirmSignIn(codes[0] ?? '', await startChallenge())).status, 200);
});

test.run();

const offSuite = suite('second factor, off');
let plainServer: TestServer;
offSuite.before(async () => {
  plainServer = await createServer();
});
offSuite.after(() => plainServer.close());

offSuite('blocks setup when off, and still asks people who have an app', async () => {
  const ada = await createAdmin(plainServer);
  assert.is((await beginSetup(ada, PASSWORD, plainServer)).status, 409);
  const { secret } = await addAuthenticatorApp(ada, plainServer.services);
  const code = authenticatorCode(secret, plainServer.clock.now);
  assert.is(
    (await confirmSignIn(code, await startChallenge(plainServer), plainServer)).status,
    200,
  );
});
offSuite.run();

const requiredSuite = suite('second factor, required');
let strictServer: TestServer;
requiredSuite.before.each(async () => {
  strictServer = await createServer({ environment: { ADMIN_TOTP: 'required' } });
});
requiredSuite.after.each(() => strictServer.close());

requiredSuite(
  'makes administrators set up an app at the next sign-in, without rights until then',
  async () => {
    await createAdmin(strictServer);
    const { code, challenge: challengeToken = '', error } = await rejectedSignIn(strictServer);
    assert.is(code, 'second_factor_set_up');
    assert.match(error, /must set up an authenticator app/);
    assert.is(
      (await strictServer.call('GET /api/admin/users', { as: { token: challengeToken } })).status,
      401,
    );
    const { body: begun } = await strictServer.call('POST /api/auth/second-factor/begin', {
      body: { challenge: challengeToken },
    });
    const confirm = (totpCode: string) =>
      strictServer.call('POST /api/auth/second-factor/confirm', {
        body: { challenge: challengeToken, begun: begun.begun, code: totpCode },
      });
    assert.equal((await confirm('000000')).error, WRONG_CODE);
    assert.is((await rejectedSignIn(strictServer)).code, 'second_factor_set_up', 'still');
    const { status, body } = await confirm(authenticatorCode(begun.secret, strictServer.clock.now));
    assert.is(status, 200);
    assert.is(body.recoveryCodes.length, 10);
    assert.is((await strictServer.call('GET /api/admin/users', { as: body })).status, 200);
    assert.is((await rejectedSignIn(strictServer)).code, 'second_factor');
    const repeatedResponse = await confirm(
      authenticatorCode(begun.secret, strictServer.clock.now + STEP),
    );
    assert.equal([repeatedResponse.status, repeatedResponse.error], [400, TOO_LATE], 'once');
  },
);

requiredSuite('asks technicians and customers for their password alone', async () => {
  await strictServer.createPerson('TECHNICIAN', { username: 'ada', password: PASSWORD });
  const { status } = await strictServer.signIn('ada', PASSWORD);
  assert.is(status, 200);
});
requiredSuite.run();
