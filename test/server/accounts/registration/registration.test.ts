import * as assert from 'uvu/assert';
import type { Person } from '../../../support/server/server';
import { serverSuite } from '../../../support/server/server';

const { test, server } = serverSuite('registration');
const DAY_MS = 24 * 60 * 60 * 1000;
const INVALID_LINK = 'Invalid or expired registration link.';
let admin: Person;

test.before.each(async () => {
  admin = await server.createPerson('ADMIN');
});

async function invite(username = 'Ana'): Promise<{ id: number; token: string; link: string }> {
  const { status, body } = await server.addUser(admin, username, 'TECHNICIAN');
  assert.is(status, 201);
  return {
    id: body.user.id,
    token: body.user.registrationToken ?? '',
    link: body.registrationLink,
  };
}
const complete = (
  token: string,
  email = 'ana@mail.example',
  password = 'a good password',
  headers: Record<string, string> = {},
) =>
  server.call('POST /api/auth/complete-registration', {
    body: { token, email, password },
    headers,
  });

test('turns a link into an account that can sign in, and mails a verification link', async () => {
  const { token, link } = await invite();
  assert.is(link, `https://bell.example/register/${token}`);
  assert.equal(
    await complete(token).then((doneResponse) => [doneResponse.status, doneResponse.body.message]),
    [200, 'Registration complete! You can now log in.'],
  );
  const { body } = await server.signIn('ana', 'a good password');
  assert.equal(
    [body.user.status, body.user.email, body.user.registrationToken],
    ['ACTIVE', 'ana@mail.example', undefined],
  );

  await server.sendMails();
  assert.equal(
    server.mails.map(({ to, subject }) => [to, subject]),
    [['ana@mail.example', 'Verify your email address']],
  );
});

test('accepts a link once, however many use it at the same time', async () => {
  const { token } = await invite();
  const results = await Promise.all(
    Array.from({ length: 5 }, (_, index) => complete(token, `ana${index}@mail.example`)),
  );
  assert.equal(results.map(({ status }) => status).sort(), [200, 400, 400, 400, 400]);
  assert.is((await complete(token)).error, INVALID_LINK);
});

test('repeats its response to the same request, and to no other with the link', async () => {
  const { token } = await invite();
  const key = { 'Idempotency-Key': 'a-key-of-my-own' };
  const results = await Promise.all(
    [1, 2, 3].map(() => complete(token, 'ana@mail.example', 'a good password', key)),
  );
  assert.equal(
    results.map(({ status }) => status),
    [200, 200, 200],
  );
  await server.sendMails();
  assert.is(server.mails.length, 1);
  for (const [caseName, rejectedResponse] of Object.entries({
    'with another password': await complete(token, 'ana@mail.example', 'another password', key),
    'with another email': await complete(token, 'ben@mail.example', 'a good password', key),
  })) {
    assert.equal(
      [rejectedResponse.status, rejectedResponse.error],
      [409, 'This Idempotency-Key was already used for another registration.'],
      caseName,
    );
  }
  for (const [caseName, rejectedResponse] of Object.entries({
    'without the key': await complete(token),
    'with another key': await complete(token, 'ana@mail.example', 'a good password', {
      'Idempotency-Key': 'another',
    }),
    'with another link': await complete('invented', 'ana@mail.example', 'a good password', key),
  })) {
    assert.equal([rejectedResponse.status, rejectedResponse.error], [400, INVALID_LINK], caseName);
  }
  const { body } = await server.signIn('ana', 'a good password');
  assert.is(body.user.email, 'ana@mail.example');
});

test('rejects links that are invented, expired, or of a deleted account', async () => {
  const inventedLink = await complete('invented');
  assert.equal([inventedLink.status, inventedLink.error], [400, INVALID_LINK]);
  // The app shows its own instructions, whatever language the sentence is in.
  assert.is((inventedLink.body as { code?: string }).code, 'invalid_link');
  const { token: forDeleted, id } = await invite('deleted');
  await server.deleteUser(admin, id);
  assert.is((await complete(forDeleted)).error, INVALID_LINK);
  const { token } = await invite();
  server.clock.now += 7 * DAY_MS;
  assert.is((await complete(token)).error, INVALID_LINK);
});

test('shows administrators the link of a pending account, and a new one once it expires', async () => {
  const { token, id } = await invite();
  const shown = async () =>
    (await server.call('GET /api/admin/users', { as: await freshAdmin() })).body.users.find(
      (user) => user.id === id,
    )?.registrationToken;
  assert.is(await shown(), token);
  server.clock.now += 8 * DAY_MS;
  const renewed = (await shown()) ?? '';
  assert.is.not(renewed, token);
  assert.is(await shown(), renewed);
  assert.is((await complete(token)).error, INVALID_LINK);
  assert.is((await complete(renewed)).status, 200);
  assert.is(await shown(), undefined);
});
const freshAdmin = () => server.createPerson('ADMIN');

test('keeps the link usable after a failed registration', async () => {
  await server.createPerson('CUSTOMER', { email: 'Taken@mail.example' });
  const { token } = await invite();
  assert.equal(
    await complete(token, 'taken@MAIL.example').then(({ status, error }) => [status, error]),
    [409, [{ message: 'This email address is already in use.', path: 'email' }]],
  );
  assert.is((await complete(token, 'free@mail.example')).status, 200);
});

test('stores only a hash of a registration token, which has at least 128 bits', async () => {
  const { token } = await invite();
  assert.ok(Buffer.from(token, 'base64url').length >= 16);
  const rows = await server.services.db.selectFrom('one_time_tokens').selectAll().execute();
  assert.is(rows.length, 1);
  assert.not(JSON.stringify(rows).includes(token));
});

for (const [caseName, password, message] of [
  ['with seven characters', '7 chars', 'The password must have at least 8 characters.'],
  ['with 1,025 characters', 'x'.repeat(1025), 'The password must have at most 1,024 characters.'],
  [
    'that everyone tries',
    'PassWord123',
    'This password is one of the most common ones. Please choose another.',
  ],
] as const) {
  test(`rejects a password ${caseName} and says so beside the field`, async () => {
    const { token } = await invite();
    const { status, error } = await complete(token, 'ana@mail.example', password);
    assert.equal([status, error], [400, [{ message, path: 'password' }]]);
  });
}

test('accepts passwords of 8 and of 1,024 characters in any Unicode form', async () => {
  const { token } = await invite();
  assert.is((await complete(token, 'ana@mail.example', 'cafe\u0301 12x')).status, 200);
  assert.is((await server.signIn('ana', 'caf\u00e9 12x')).status, 200);
  const { token: second } = await invite('Long');
  assert.is((await complete(second, 'long@mail.example', 'x'.repeat(1024))).status, 200);
});

test('rejects an invalid email, and more than one', async () => {
  const { token } = await invite();
  for (const email of [
    'ana',
    'a@mail.example, b@mail.example',
    'a@mail.example\r\nBcc: b@mail.example',
    '',
    `${'a'.repeat(250)}@mail.example`,
  ]) {
    const { status, error } = await complete(token, email);
    assert.is(status, 400, email);
    assert.is(Array.isArray(error) && error[0]?.path, 'email');
  }
});

test('reveals for five emails per link whether they are in use, then for none', async () => {
  for (let index = 0; index < 8; index += 1)
    await server.createPerson('CUSTOMER', { email: `taken${index}@mail.example` });
  const { token } = await invite();
  const { token: another } = await invite('another');
  const results = [];
  for (let index = 0; index < 8; index += 1) {
    const { status, headers } = await complete(token, `taken${index}@mail.example`);
    results.push(status);
    if (status === 429) assert.ok(Number(headers.get('retry-after')) > 3600);
  }
  assert.equal(results, [...Array(5).fill(409), 429, 429, 429]);
  assert.is(
    (await complete(token, 'free@mail.example')).status,
    429,
    'or the answer would reveal which addresses are in use',
  );
  assert.is((await complete(another, 'free@mail.example')).status, 200, 'the limit is of the link');
  server.clock.now += DAY_MS / 5;
  assert.is(
    (await complete(token, 'mine@mail.example')).status,
    200,
    'its person can still register',
  );
});

test('checks five simultaneous uses of a link', async () => {
  await server.createPerson('CUSTOMER', { email: 'taken@mail.example' });
  const { token } = await invite();
  const results = await Promise.all(
    Array.from({ length: 20 }, () => complete(token, 'taken@mail.example')),
  );
  assert.equal(results.map(({ status }) => status).sort(), [
    ...Array(5).fill(409),
    ...Array(15).fill(429),
  ]);
});

test('limits repeated registrations to ten an hour, as each costs a hash', async () => {
  const { token } = await invite();
  const key = { 'Idempotency-Key': 'a-key-of-my-own' };
  const statuses = [];
  for (let time = 0; time < 13; time += 1)
    statuses.push((await complete(token, 'ana@mail.example', 'a good password', key)).status);
  assert.equal(statuses, [...Array(11).fill(200), 429, 429]);
});

const preview = (token: string, from = '192.0.2.1') =>
  server.call('GET /api/auth/registration/:token', { params: { token }, from });

test('shows the username and password rules of a link without using it up', async () => {
  const { token } = await invite('Ana');
  const { body } = await preview(token);
  assert.equal(body, {
    username: 'Ana',
    passwordRules: { minLength: 8, maxLength: 1024, notCommon: true },
  });
  assert.equal((await server.call('GET /api/auth/password-rules')).body, body.passwordRules);
  assert.is((await complete(token)).status, 200);
});

test('reveals nothing about an invented, used, expired or foreign link, and logs none', async () => {
  const { token: used } = await invite('used');
  await complete(used);
  await server.sendMails();
  const verification = server.mails[0]?.link.split('/').at(-1) ?? '';
  const { token: expired } = await invite('expired');
  for (const token of ['invented', used, verification, '%00', 'x'.repeat(3000)]) {
    assert.equal(
      await preview(token).then(({ status, error }) => [status, error]),
      [400, INVALID_LINK],
      token.slice(0, 20),
    );
  }
  server.clock.now += 7 * DAY_MS;
  assert.is((await preview(expired)).status, 400);
  for (const token of [used, expired, verification])
    assert.not(server.log.join('\n').includes(token));
});

test('allows an address sixty wrong links in 15 minutes, and any number of good ones', async () => {
  const { token } = await invite();
  for (let time = 0; time < 70; time += 1) assert.is((await preview(token)).status, 200);
  const statuses: number[] = [];
  for (let time = 0; time < 62; time += 1)
    statuses.push((await preview(`invented ${time}`)).status);
  assert.equal(statuses, [...Array(60).fill(400), 429, 429]);
  // A valid link cannot be guessed, so it is never limited.
  assert.is((await preview(token)).status, 200);
  assert.is((await preview(token, '198.51.100.7')).status, 200);
});

test('renews an expired link once when two lists ask at the same time', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { id } = await invite(`ana ${round}`);
    await server.services.db
      .updateTable('one_time_tokens')
      .set({ expires_at: 0 })
      .where('user_id', '=', id)
      .execute();
    const lists = await Promise.all(
      Array.from({ length: 6 }, () => server.call('GET /api/admin/users', { as: admin })),
    );
    const shown = new Set(
      lists.map(({ body }) => body.users.find((user) => user.id === id)?.registrationToken),
    );
    assert.is(shown.size, 1, `round ${round}`);
    assert.is((await preview([...shown][0] ?? '')).status, 200);
  }
});

test.run();
