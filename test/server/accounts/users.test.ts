import * as assert from 'uvu/assert';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('users');
let admin: Person;

test.before.each(async () => {
  admin = await server.createPerson('ADMIN', { username: 'Boss' });
});

const add = (username: string, email?: string) =>
  server.call('POST /api/admin/users', {
    as: admin,
    body: { username, role: 'CUSTOMER', ...(email === undefined ? {} : { email }) },
  });
const list = async (query: Record<string, string | number> = {}) =>
  (await server.call('GET /api/admin/users', { as: admin, query })).body;

test('adds a pending user, with an email if one is given', async () => {
  const { body } = await add(' Ana ', 'Ana@Mail.example');
  const { registrationToken, ...user } = body.user;
  assert.type(registrationToken, 'string');
  assert.equal(user, {
    id: user.id,
    username: 'Ana',
    email: 'Ana@Mail.example',
    role: 'CUSTOMER',
    status: 'PENDING',
    createdAt: new Date(server.clock.now).toISOString(),
    suspendedAt: null,
  });
  assert.is((await add('Ben', '')).body.user.email, null);
  assert.equal(
    (await server.call('GET /api/admin/users/:id', { as: admin, params: { id: user.id } })).body,
    body.user,
  );
});

test('adds a user with topics, or not at all', async () => {
  const [storm, outage] = [await server.createTopic('Storm'), await server.createTopic('Outage')];
  const body = { username: 'Ana', role: 'CUSTOMER' } as const;
  const rejectedResponse = await server.call('POST /api/admin/users', {
    as: admin,
    body: { ...body, topicIds: [storm, 999_999] },
  });
  assert.equal([rejectedResponse.status, (await list()).total], [400, 1]);
  const { body: reply } = await server.call('POST /api/admin/users', {
    as: admin,
    body: { ...body, topicIds: [outage, storm, storm] },
  });
  const subscriptions = await server.call('GET /api/admin/users/:id/subscriptions', {
    as: admin,
    params: { id: reply.user.id },
  });
  assert.equal(subscriptions.body.map(({ topic }) => topic.title).sort(), ['Outage', 'Storm']);
});

test('accepts one of fifty simultaneous users of the same name, in any case and Unicode form', async () => {
  const forms = ['José', 'JOSÉ', 'Jose\u0301', 'ｊｏｓé', ' josé '];
  const results = await Promise.all(
    Array.from({ length: 50 }, (_, index) => add(forms[index % forms.length] ?? '')),
  );
  assert.equal([...new Set(results.map(({ status }) => status))].sort(), [201, 409]);
  assert.is(results.filter(({ status }) => status === 201).length, 1);
  assert.equal(results.find(({ status }) => status === 409)?.error, [
    { message: 'This username is already taken.', path: 'username' },
  ]);
  assert.is((await list({ query: 'jOSÉ' })).total, 1);
});

test('rejects an Idempotency-Key used for another role or email', async () => {
  const addUser = (body: { username: string; role: 'CUSTOMER' | 'ADMIN'; email?: string }) =>
    server.call('POST /api/admin/users', {
      as: admin,
      body,
      headers: { 'Idempotency-Key': 'abc' },
    });
  const newUser = { username: 'Ana', role: 'CUSTOMER', email: 'ana@mail.example' } as const;
  const { body: first } = await addUser(newUser);
  const others = [
    { ...newUser, role: 'ADMIN' },
    { ...newUser, email: 'ben@mail.example' },
    { username: 'Ana', role: 'CUSTOMER' },
    { ...newUser, username: 'ana' },
  ] as const;
  for (const other of others)
    assert.equal(await addUser(other).then(({ status, error }) => [status, error]), [
      409,
      'This Idempotency-Key was already used for another user.',
    ]);
  assert.equal((await addUser(newUser)).body, first);
  assert.is((await list()).total, 2);
});

test('rejects an email of another account', async () => {
  await add('Ana', 'ana@mail.example');
  assert.equal(await add('Ben', 'ANA@mail.example').then(({ status, error }) => [status, error]), [
    409,
    [{ message: 'This email address is already in use.', path: 'email' }],
  ]);
  assert.is((await list({ query: 'ben' })).total, 0);
});

test('changes name and email, which must be verified again', async () => {
  await add('Ben', 'ben@mail.example');
  const email = 'ana@mail.example';
  const ana = await server.createPerson('CUSTOMER', { username: 'Ana', email, isVerified: true });
  const change = (body: { username: string; email?: string }) =>
    server.call('PUT /api/admin/users/:id', { as: admin, params: { id: ana.id }, body });
  assert.is((await change({ username: 'Anna', email: 'ANA@mail.example' })).body.username, 'Anna');
  await server.sendMails();
  assert.equal(server.mails, []);
  const { body: reply } = await change({ username: 'Anna', email: 'anna@mail.example' });
  assert.is(reply.email, 'anna@mail.example');
  await server.sendMails();
  assert.equal(server.mails.map(({ to, subject }) => [to, subject]).sort(), [
    ['ANA@mail.example', 'Your email address was changed'],
    ['anna@mail.example', 'Verify your email address'],
  ]);
  const { error: nameError } = await change({ username: 'BEN', email: 'anna@mail.example' });
  assert.equal(nameError, [{ message: 'This username is already taken.', path: 'username' }]);
  const { error: emailError } = await change({ username: 'Anna', email: 'ben@mail.example' });
  assert.equal(emailError, [{ message: 'This email address is already in use.', path: 'email' }]);
});

test('rejects a blank, a long and an invalid value', async () => {
  assert.equal((await add('  ')).error, [{ message: 'Username is required.', path: 'username' }]);
  assert.equal((await add('x'.repeat(65))).error, [
    { message: 'Username is too long. Use 64 characters or fewer.', path: 'username' },
  ]);
  assert.equal((await add('Ana', 'no address')).error, [
    { message: 'Please enter a valid email address.', path: 'email' },
  ]);
});

test('lists users by page, newest first, with the total', async () => {
  for (let index = 1; index <= 12; index += 1)
    await server.createPerson('CUSTOMER', { username: `person ${index}` });
  const first = await list();
  assert.equal([first.total, first.page, first.limit, first.users.length], [13, 1, 10, 10]);
  assert.is(first.users[0]?.username, 'person 12');
  const second = await list({ page: 2 });
  assert.equal(
    second.users.map(({ username }) => username),
    ['person 2', 'person 1', 'Boss'],
  );
  assert.equal(await list({ page: 9999 }), { users: [], total: 13, page: 9999, limit: 10 });
});

test('replaces an invalid page or limit by the nearest valid one', async () => {
  for (const page of ['0', '-1', 'NaN', '', '-Infinity', 'x'])
    assert.is((await list({ page })).page, 1, page);
  assert.is((await list({ page: '1e300' })).users.length, 0);
  assert.is((await list({ page: '1.9' })).page, 1);
  assert.equal(
    [
      (await list({ limit: 1000 })).limit,
      (await list({ limit: 0 })).limit,
      (await list({ limit: 'x' })).limit,
    ],
    [100, 1, 10],
  );
});

test('searches name and email in any case, and takes wildcards literally', async () => {
  await add('ÅSA_1', 'asa@mail.example');
  await add('100% sure');
  await add('back\\slash');
  const findNames = async (query: string): Promise<string[]> =>
    (await list({ query })).users.map(({ username }) => username);
  assert.equal(await findNames('åsa'), ['ÅSA_1']);
  assert.equal(await findNames(' MAIL.EX '), ['ÅSA_1']);
  assert.equal(await findNames('_'), ['ÅSA_1']);
  assert.equal(await findNames('%'), ['100% sure']);
  assert.equal(await findNames('\\'), ['back\\slash']);
  assert.equal(await findNames('a%e'), []);
  for (const name of ['line_4_b', 'line_4xb', 'line%%', 'line%5']) await add(name);
  assert.equal(await findNames('e_4_b'), ['line_4_b'], 'the second, too');
  assert.equal(await findNames('%%'), ['line%%']);
});

test('lists people whose name matches a search before those whose email does', async () => {
  for (const username of ['north.k', 'k.north', 'zoe'])
    await server.call('POST /api/admin/users', {
      as: admin,
      body: { username, email: `${username}@north.example`, role: 'TECHNICIAN' },
    });
  const { users } = await list({ query: 'North' });
  assert.equal(
    users.map(({ username }) => username),
    ['north.k', 'k.north', 'zoe'],
  );
});

test('keeps the last administrator, not counting one who cannot sign in yet', async () => {
  await server.addUser(admin, 'next', 'ADMIN');
  const deletedResponse = await server.deleteUser(admin, admin.id);
  assert.equal(
    [deletedResponse.status, deletedResponse.error],
    [409, 'You cannot delete the last administrator.'],
  );
  const demotedResponse = await server.changeRole(admin, admin.id, 'CUSTOMER');
  assert.equal(
    [demotedResponse.status, demotedResponse.error],
    [409, 'You cannot change the role of the last administrator.'],
  );
});

test('applies a changed role from the next sign-in, and keeps sessions for the same role', async () => {
  const ana = await server.createPerson('CUSTOMER', { username: 'Ana' });
  const change = (role: 'CUSTOMER' | 'TECHNICIAN') => server.changeRole(admin, ana.id, role);
  assert.is((await change('CUSTOMER')).body.role, 'CUSTOMER');
  assert.is((await server.call('GET /api/notifications/devices', { as: ana })).status, 200);
  assert.is((await change('TECHNICIAN')).body.role, 'TECHNICIAN');
  assert.is((await server.call('GET /api/notifications/devices', { as: ana })).status, 401);
  await change('CUSTOMER');
  assert.is(
    (await server.call('GET /api/notifications/devices', { as: ana })).status,
    401,
    'the old role does not revive the old session',
  );
});

test('compares characters by the letters they stand for', async () => {
  assert.is((await add('\u2121')).status, 201);
  assert.is((await add('tel')).status, 409);
});

test.run();
