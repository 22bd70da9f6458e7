import { SignJWT, UnsecuredJWT, decodeJwt, generateKeyPair } from 'jose';
import * as assert from 'uvu/assert';
import {
  correctPasswordLimit,
  unknownBrowserLimits,
} from '../../../../server/accounts/sign-in/sign-in-limits';
import { useUpLimit } from '../../../support/server/rate-limits';
import { serverSuite } from '../../../support/server/server';

const { test, server } = serverSuite('password sign-in');
const PASSWORD = 'correct horse battery';

const signIn = (username: string, password: string, from?: string) =>
  server.call('POST /api/auth/login', {
    body: { username, password },
    ...(from === undefined ? {} : { from }),
  });

/** Counts that many attempts of a stranger from there. */
async function countAttempts(
  attempts: number,
  from: string,
  kind: string,
  name = 'victim',
): Promise<void> {
  const limit = unknownBrowserLimits(name, from).find(({ key }) => key[0] === kind);
  assert.ok(limit);
  await useUpLimit(attempts, limit, server.services);
}

test('returns a token for the person and a user with the role', async () => {
  const ana = await server.createPerson('TECHNICIAN', { username: 'Ana', password: PASSWORD });
  const { status, body } = await signIn(' ana ', PASSWORD);
  assert.is(status, 200);
  assert.equal(body.user, {
    id: ana.id,
    username: 'Ana',
    email: null,
    role: 'TECHNICIAN',
    status: 'ACTIVE',
    createdAt: ana.createdAt,
    suspendedAt: null,
  });
  const { id, username, role, type, exp } = decodeJwt(body.token);
  assert.equal(
    { id, username, role, type },
    { id: ana.id, username: 'Ana', role: 'TECHNICIAN', type: 'access' },
  );
  assert.is(exp, Math.floor(server.clock.now / 1000) + 30 * 24 * 3600);
  assert.is((await server.call('GET /api/notifications/devices', { as: body })).status, 200);
});

test('rejects a wrong password, an unknown name and a pending account alike', async () => {
  const admin = await server.createPerson('ADMIN', { password: PASSWORD, username: 'boss' });
  await server.addUser(admin, 'waiting', 'CUSTOMER');
  for (const [username, password] of [
    ['boss', 'wrong password'],
    ['nobody', PASSWORD],
    ['waiting', PASSWORD],
    ['boss', ''],
  ] as const) {
    const { status, error } = await signIn(username, password);
    assert.equal([status, error], [401, 'Invalid username or password.'], username);
  }
});

test('logs a failed sign-in with account and network, never with the typed text', async () => {
  const { id } = await server.createPerson('CUSTOMER', {
    username: 'carla',
    password: 'the right password',
  });
  await server.signIn('carla', 'a wrong password', '198.51.100.7');
  await server.signIn('a password in the wrong field', 'x', '2001:db8:1:2:3::4');
  await server.signIn('carla', 'the right password', '198.51.100.9');
  const lines = server.log.filter((line) => line.includes('"sign-in failed"'));
  assert.equal(
    lines.map((line) => {
      const { level, user, network } = JSON.parse(line);
      return [level, user, network];
    }),
    [
      ['warn', id, '198.51.100.7'],
      ['warn', undefined, '2001:db8:1:2::/64'],
    ],
  );
  assert.not.match(server.log.join('\n'), /carla|password/);
});

test('logs a sign-in that a limit rejects with its network', async () => {
  await useUpLimit(
    50,
    { key: ['login-address', '198.51.100.7'], max: 50, windowMs: 15 * 60_000 },
    server.services,
  );
  assert.is((await server.signIn('x', 'x', '198.51.100.7')).status, 429);
  assert.match(
    server.log.find((line) => line.includes('"sign-in rejected: rate limit"')) ?? '',
    '"network":"198.51.100.7"',
  );
});

test('names the missing field of a sign-in', async () => {
  const response = await server.request('/api/auth/login', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"username":"a"}',
  });
  assert.is(response.status, 400);
  assert.equal(await response.json(), {
    error: [{ message: 'Password is required.', path: 'password' }],
  });
});

test('stops an attacker after ten wrong passwords, and does not lock the victim out', async () => {
  await server.createPerson('ADMIN', { username: 'victim', password: PASSWORD });
  const attempts = await Promise.all(
    Array.from({ length: 14 }, () => signIn('victim', 'wrong password', '198.51.100.7')),
  );
  assert.equal(attempts.map(({ status }) => status).sort(), [
    ...Array(10).fill(401),
    ...Array(4).fill(429),
  ]);
  const rejectedResponse = await signIn('victim', PASSWORD, '198.51.100.7');
  assert.is(rejectedResponse.status, 429, 'not even with the right password');
  const seconds = Number(rejectedResponse.headers.get('Retry-After'));
  assert.ok(seconds > 0 && seconds <= 90, 'a minute and a half at most');
  assert.is(
    (await signIn('victim', PASSWORD, '203.0.113.5')).status,
    200,
    'from their own address',
  );
  server.clock.now += seconds * 1000;
  assert.is(
    (await signIn('victim', PASSWORD, '198.51.100.7')).status,
    200,
    'after the time that was named',
  );
});

test('stops an address that tries one password on many names', async () => {
  await countAttempts(48, '198.51.100.7', 'login-address');
  const spray = Array.from({ length: 4 }, (_, index) =>
    signIn(`name ${index}`, 'wrong password', '198.51.100.7'),
  );
  assert.equal((await Promise.all(spray)).map(({ status }) => status).sort(), [401, 401, 429, 429]);
  assert.is(
    (await signIn('name 0', 'wrong password', '198.51.100.8')).status,
    401,
    'another address goes on',
  );
});

test('uses up no shared limit for a rejected attempt, and keeps no row for invented names', async () => {
  await server.createPerson('ADMIN', { username: 'victim', password: PASSWORD });
  await countAttempts(589, '198.51.100.7', 'login-account-most');
  for (let time = 0; time < 15; time += 1) await signIn('victim', 'wrong password', '198.51.100.7');
  assert.is(
    (await signIn('victim', PASSWORD, '203.0.113.5')).status,
    200,
    'the six hundredth, from where no attempt failed',
  );

  await countAttempts(50, '198.51.100.9', 'login-address');
  const counters = async (): Promise<number> =>
    (await server.services.db.selectFrom('rate_limits').select('key').execute()).length;
  const earlierCount = await counters();
  for (let index = 0; index < 5; index += 1)
    assert.is((await signIn(`made up ${index}`, 'x', '198.51.100.9')).status, 429);
  assert.is(await counters(), earlierCount);
});

const attacks = [
  ['on one name', 'login-account', 100, 4],
  ['on all names', 'login-all', 3000, 5],
] as const;

for (const [caseName, gauge, maxAttempts, remainingAttempts] of attacks) {
  test(`gives each network ${remainingAttempts} attempts during an attack ${caseName}, whatever addresses it uses`, async () => {
    await server.createPerson('ADMIN', { username: 'victim', password: PASSWORD });
    await countAttempts(maxAttempts, '198.51.100.1', gauge);
    const statuses = [];
    for (let host = 1; host <= remainingAttempts + 2; host += 1)
      statuses.push((await signIn('victim', 'wrong password', `198.51.100.${host}`)).status);
    assert.equal(statuses, [...Array(remainingAttempts).fill(401), 429, 429]);
    assert.is((await signIn('victim', 'wrong password', '2001:db8:7:1::1')).status, 401);
    for (let subnet = 2; subnet <= remainingAttempts; subnet += 1)
      await signIn('victim', 'wrong password', `2001:db8:7:${subnet}::1`);
    assert.is((await signIn('victim', 'wrong password', '2001:db8:7:ffff::1')).status, 429);
    assert.is(
      (await signIn('victim', PASSWORD, '203.0.113.5')).status,
      200,
      'a new place, from which no attack comes',
    );
    const { status, headers } = await signIn('victim', PASSWORD, '198.51.100.77');
    assert.is(status, 429, 'the network of the attacker');
    assert.ok(Number(headers.get('Retry-After')) <= 15 * 60);
  });
}

test('limits what all networks together may try, per account and in total', async () => {
  await server.createPerson('ADMIN', { username: 'victim', password: PASSWORD });
  await countAttempts(600, '198.51.100.1', 'login-account-most');
  const rejectedResponse = await signIn('victim', PASSWORD, '203.0.113.5');
  assert.equal([rejectedResponse.status, rejectedResponse.headers.get('Retry-After')], [429, '6']);
  assert.is((await signIn('another', PASSWORD, '203.0.113.5')).status, 401);
  await countAttempts(6000, '198.51.100.1', 'login-all-most');
  const limitedAttempt = await signIn('another', PASSWORD, '203.0.113.5');
  assert.equal([limitedAttempt.status, limitedAttempt.headers.get('Retry-After')], [429, '1']);
});

test('allows a hundred sign-ins per account in 15 minutes, not counting wrong passwords', async () => {
  await server.createPerson('TECHNICIAN', { username: 'busy', password: PASSWORD });
  await server.createPerson('TECHNICIAN', { username: 'idle', password: PASSWORD });
  await useUpLimit(99, correctPasswordLimit('busy'), server.services);
  for (let time = 0; time < 3; time += 1)
    assert.is((await signIn('busy', 'wrong password', '198.51.100.7')).status, 401);
  assert.is((await signIn('busy', PASSWORD)).status, 200, 'the hundredth');
  const { status, headers } = await signIn('busy', PASSWORD, '203.0.113.5');
  assert.equal([status, headers.get('Retry-After')], [429, '9']);
  assert.is((await signIn('idle', PASSWORD)).status, 200);
  server.clock.now += 9000;
  assert.is((await signIn('busy', PASSWORD)).status, 200, 'after the time that was named');
});

test('accepts only its own login tokens', async () => {
  const { id } = await server.createPerson('ADMIN');
  const claims = {
    id,
    username: 'x',
    role: 'ADMIN',
    type: 'access',
    v: 1,
    exp: Math.floor(Date.now() / 1000) + 600,
    auth_time: Math.floor(Date.now() / 1000),
    sid: 'session',
  };
  const secret = new TextEncoder().encode(server.services.config.jwtSecret);
  const sign = (
    payload: object,
    header: object = {},
    key: Parameters<SignJWT['sign']>[0] = secret,
  ) =>
    new SignJWT({ ...payload })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT', ...header })
      .sign(key);
  const good = await sign(claims);
  assert.is((await server.call('GET /api/admin/users', { as: { token: good } })).status, 200);

  const { privateKey } = await generateKeyPair('RS256');
  const forged = {
    unsigned: new UnsecuredJWT(claims).encode(),
    'signed with RS256': await sign(claims, { alg: 'RS256' }, privateKey),
    'signed with another key': await sign(
      claims,
      { kid: '../../dev/null', jku: 'https://evil.example/keys' },
      new TextEncoder().encode('0'.repeat(43)),
    ),
    'with an empty key': await sign(claims, {}, new Uint8Array(32)),
    'of another type': await sign({ ...claims, type: 'refresh' }),
    'without a type': await sign({ ...claims, type: undefined }),
    'without an end': await sign({ ...claims, exp: undefined }),
    'without a session': await sign({ ...claims, sid: undefined }),
    expired: await sign({ ...claims, exp: 1000 }),
    'for HS512': await sign(claims, { alg: 'HS512' }, new Uint8Array(64)),
    'with another role': await sign({ ...claims, role: 'TECHNICIAN' }),
    'with an id that is text': await sign({ ...claims, id: `${id} OR 1=1` }),
    cut: good.slice(0, -3),
    edited: good.replace(
      /\.[^.]+\./,
      `.${Buffer.from(JSON.stringify({ ...claims, exp: claims.exp + 1 })).toString('base64url')}.`,
    ),
    empty: '',
    'a megabyte': 'a'.repeat(1_000_000),
  };
  for (const [caseName, token] of Object.entries(forged)) {
    assert.is((await server.call('GET /api/admin/users', { as: { token } })).status, 401, caseName);
  }
});

test.run();
