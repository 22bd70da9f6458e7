import * as assert from 'uvu/assert';
import type { Person } from '../../support/server';
import { serverSuite } from '../../support/server';

const { test, server } = serverSuite('registration');
const DAY = 24 * 60 * 60 * 1000;
const INVALID_LINK = 'Invalid or expired registration link.';
let admin: Person;

test.before.each(async () => {
  admin = await server.makePerson('ADMIN');
});

async function invite(username = 'Ana'): Promise<{ id: number; token: string; link: string }> {
  const { status, answer } = await server.call('POST /api/admin/users', { as: admin, body: { username, role: 'TECHNICIAN' } });
  assert.is(status, 201);
  return { id: answer.user.id, token: answer.user.registrationToken ?? '', link: answer.registrationLink };
}
const complete = (token: string, email = 'ana@mail.example', password = 'a good password', headers: Record<string, string> = {}) =>
  server.call('POST /api/auth/complete-registration', { body: { token, email, password }, headers });

test('turns a link into an account that can sign in at once, and sends a mail to verify the address', async () => {
  const { token, link } = await invite();
  assert.is(link, `https://bell.example/register/${token}`);
  assert.equal(await complete(token).then(({ status, answer }) => [status, answer.message]), [200, 'Registration complete! You can now log in.']);
  const { answer } = await server.call('POST /api/auth/login', { body: { username: 'ana', password: 'a good password' } });
  assert.equal([answer.user.status, answer.user.email, answer.user.registrationToken], ['ACTIVE', 'ana@mail.example', undefined]);

  await server.services.background.settle();
  assert.equal(server.mails.map(({ to, subject }) => [to, subject]), [['ana@mail.example', 'Verify your email address']]);
});

test('takes a link once, however many use it at the same time', async () => {
  const { token } = await invite();
  const results = await Promise.all(Array.from({ length: 5 }, (_, index) => complete(token, `ana${index}@mail.example`)));
  assert.equal(results.map(({ status }) => status).sort(), [200, 400, 400, 400, 400]);
  assert.is((await complete(token)).error, INVALID_LINK);
});

test('answers the same request again as it did before, and nobody else who has the link', async () => {
  const { token } = await invite();
  const key = { 'Idempotency-Key': 'a-key-of-my-own' };
  const results = await Promise.all([1, 2, 3].map(() => complete(token, 'ana@mail.example', 'a good password', key)));
  assert.equal(results.map(({ status }) => status), [200, 200, 200]);
  await server.services.background.settle();
  assert.is(server.mails.length, 1);
  for (const [what, refused] of Object.entries({
    'without the key': await complete(token),
    'with another key': await complete(token, 'ana@mail.example', 'a good password', { 'Idempotency-Key': 'another' }),
    'with another password': await complete(token, 'ana@mail.example', 'another password', key),
    'with another email': await complete(token, 'ben@mail.example', 'a good password', key),
    'with another link': await complete('invented', 'ana@mail.example', 'a good password', key),
  })) {
    assert.equal([refused.status, refused.error], [400, INVALID_LINK], what);
  }
  const { answer } = await server.call('POST /api/auth/login', { body: { username: 'ana', password: 'a good password' } });
  assert.is(answer.user.email, 'ana@mail.example');
});

test('refuses links that are invented, expired, or belong to a deleted account', async () => {
  assert.equal(await complete('invented').then(({ status, error }) => [status, error]), [400, INVALID_LINK]);
  const { token: forDeleted, id } = await invite('deleted');
  await server.call('DELETE /api/admin/users/:id', { as: admin, params: { id } });
  assert.is((await complete(forDeleted)).error, INVALID_LINK);
  const { token } = await invite();
  server.clock.now += 7 * DAY;
  assert.is((await complete(token)).error, INVALID_LINK);
});

test('shows an administrator the link of a pending account, and a new one in the place of one that expired', async () => {
  const { token, id } = await invite();
  const shown = async () => (await server.call('GET /api/admin/users', { as: await freshAdmin() })).answer.users.find((user) => user.id === id)?.registrationToken;
  assert.is(await shown(), token);
  server.clock.now += 8 * DAY;
  const renewed = (await shown()) ?? '';
  assert.is.not(renewed, token);
  assert.is(await shown(), renewed);
  assert.is((await complete(token)).error, INVALID_LINK);
  assert.is((await complete(renewed)).status, 200);
  assert.is(await shown(), undefined);
});
const freshAdmin = () => server.makePerson('ADMIN');

test('keeps the link usable when the registration fails', async () => {
  await server.makePerson('CUSTOMER', { email: 'Taken@mail.example' });
  const { token } = await invite();
  assert.equal(await complete(token, 'taken@MAIL.example').then(({ status, error }) => [status, error]), [409, [{ message: 'This email address is already in use.', path: 'email' }]]);
  assert.is((await complete(token, 'free@mail.example')).status, 200);
});

test('stores only a hash of the token, which has at least 128 bits', async () => {
  const { token } = await invite();
  assert.ok(Buffer.from(token, 'base64url').length >= 16);
  const rows = await server.services.db.selectFrom('one_time_tokens').selectAll().execute();
  assert.is(rows.length, 1);
  assert.not(JSON.stringify(rows).includes(token));
});

for (const [what, password, message] of [
  ['with seven characters', '7 chars', 'The password must have at least 8 characters.'],
  ['with 1,025 characters', 'x'.repeat(1025), 'The password must have at most 1,024 characters.'],
  ['that everybody tries', 'PassWord123', 'This password is one of the most common ones. Please choose another.'],
] as const) {
  test(`refuses a password ${what} and says so beside the field`, async () => {
    const { token } = await invite();
    const { status, error } = await complete(token, 'ana@mail.example', password);
    assert.equal([status, error], [400, [{ message, path: 'password' }]]);
  });
}

test('takes passwords of 8 and of 1,024 characters, whatever way the keyboard composes them', async () => {
  const { token } = await invite();
  assert.is((await complete(token, 'ana@mail.example', 'cafe\u0301 12x')).status, 200);
  assert.is((await server.call('POST /api/auth/login', { body: { username: 'ana', password: 'caf\u00e9 12x' } })).status, 200);
  const { token: second } = await invite('Long');
  assert.is((await complete(second, 'long@mail.example', 'x'.repeat(1024))).status, 200);
});

test('refuses an address that is none, or more than one', async () => {
  const { token } = await invite();
  for (const email of ['ana', 'a@mail.example, b@mail.example', 'a@mail.example\r\nBcc: b@mail.example', '', `${'a'.repeat(250)}@mail.example`]) {
    const { status, error } = await complete(token, email);
    assert.is(status, 400, email);
    assert.is(Array.isArray(error) && error[0]?.path, 'email');
  }
});

test.run();
