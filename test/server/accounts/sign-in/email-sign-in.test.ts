import * as assert from 'uvu/assert';
import { serverSuite } from '../../../support/server/server';

const { test, server } = serverSuite('sign-in by email');
const PASSWORD = 'correct horse battery';
const signIn = (username: string, password = PASSWORD, from = '192.0.2.1', clientToken?: string) =>
  server.call('POST /api/auth/login', {
    body: { username, password, ...(clientToken && { clientToken }) },
    from,
  });
const whoIs = async (name: string): Promise<string | number> => {
  const { status, body } = await signIn(name);
  return status === 200 ? body.user.username : status;
};

test('signs a person in by email, in any case and Unicode form', async () => {
  await server.createPerson('TECHNICIAN', {
    username: 'ana',
    email: 'Ana.Möller@Mail.Example',
    password: PASSWORD,
  });
  for (const name of [
    'ana',
    'ana.möller@mail.example',
    ' ANA.MÖLLER@MAIL.EXAMPLE ',
    'Ana.Mo\u0308ller@mail.example',
  ])
    assert.is(await whoIs(name), 'ana', name);
});

test('signs a person in by an unverified email from the registration', async () => {
  const admin = await server.createPerson('ADMIN');
  const { body } = await server.call('POST /api/admin/users', {
    as: admin,
    body: { username: 'ben', role: 'CUSTOMER', email: 'planned@mail.example' },
  });
  assert.is(await whoIs('planned@mail.example'), 401, 'not before the registration');
  await server.completeRegistration(
    body.user.registrationToken ?? '',
    PASSWORD,
    'chosen@mail.example',
  );
  assert.equal(
    [await whoIs('chosen@mail.example'), await whoIs('planned@mail.example')],
    ['ben', 401],
  );
});

test('rejects a wrong password, an unknown email and part of one alike', async () => {
  await server.createPerson('ADMIN', {
    username: 'ana',
    email: 'ana@mail.example',
    password: PASSWORD,
  });
  for (const [name, password] of [
    ['ana@mail.example', 'wrong'],
    ['unknown@mail.example', PASSWORD],
    ['ana@mail', PASSWORD],
    ['%@mail.example', PASSWORD],
    ['@', PASSWORD],
    ['', PASSWORD],
  ] as const) {
    const { status, error } = await signIn(name, password);
    assert.equal([status, error], [401, 'Invalid username or password.'], name);
  }
});

test('gives a username that looks like an email precedence over that email', async () => {
  await server.createPerson('CUSTOMER', {
    username: 'ana@mail.example',
    email: 'other@mail.example',
    password: PASSWORD,
  });
  await server.createPerson('ADMIN', {
    username: 'ben',
    email: 'ana@mail.example',
    password: 'the password of ben',
  });
  assert.is(await whoIs('ana@mail.example'), 'ana@mail.example');
  const ben = await signIn('ana@mail.example', 'the password of ben');
  assert.is(ben.status, 401, 'whose address it is, too, uses the name');
  assert.is((await signIn('ben', 'the password of ben')).body.user.username, 'ben');
});

test('counts attempts per account, by username or email', async () => {
  await server.createPerson('ADMIN', {
    username: 'ana',
    email: 'ana@mail.example',
    password: PASSWORD,
  });
  const from = '198.51.100.7';
  for (let attempt = 0; attempt < 10; attempt += 1)
    assert.is(
      (await signIn(attempt % 2 ? 'ana' : 'ana@mail.example', 'wrong', from)).status,
      401,
      String(attempt),
    );
  for (const name of ['ana', 'ana@mail.example'])
    assert.is((await signIn(name, PASSWORD, from)).status, 429, name);
  assert.is((await signIn('ana@mail.example', PASSWORD, '203.0.113.5')).status, 200);
});

test('limits unknown emails like known ones', async () => {
  await server.createPerson('ADMIN', {
    username: 'ana',
    email: 'ana@mail.example',
    password: PASSWORD,
  });
  const statuses = async (name: string): Promise<number[]> => {
    const from = name === 'ana@mail.example' ? '198.51.100.7' : '198.51.100.8';
    const responses = [];
    for (let attempt = 0; attempt < 12; attempt += 1)
      responses.push((await signIn(name, 'wrong', from)).status);
    return responses;
  };
  assert.equal(await statuses('unknown@mail.example'), await statuses('ana@mail.example'));
});

test('logs the account that was meant, never the email that was typed', async () => {
  const { id } = await server.createPerson('ADMIN', {
    username: 'ana',
    email: 'ana@mail.example',
    password: PASSWORD,
  });
  await signIn('ana@mail.example', 'wrong');
  const line = server.log.find((one) => one.includes('sign-in failed')) ?? '{}';
  assert.is((JSON.parse(line) as { user?: number }).user, id);
  assert.not.match(server.log.join('\n'), /mail\.example/);
});

test.run();
