import { join } from 'node:path';
import { sql } from 'kysely';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openFile } from '../../server/db/engines/embedded';
import { openDatabase } from '../../server/db/open';
import { onPostgres } from '../support/database/database';
import { createServer } from '../support/server/server';

declare const VERSION: string;

const test = suite('the application');

test('reports health and version', async () => {
  const server = await createServer();
  const { status, body } = await server.call('GET /api/health');
  assert.is(status, 200);
  const pushServices = { state: 'unused' as const, since: null };
  assert.equal(body, {
    status: 'ok',
    version: VERSION,
    delivery: 'ok',
    pushServices,
    mail: 'ok',
  });
  await server.close();
});

test('lets only configured origins read API responses, never with credentials', async () => {
  const server = await createServer({
    environment: { CORS_ORIGINS: 'https://app.example, http://localhost:5173' },
  });
  const requestHealth = (origin: string, method = 'GET') =>
    server.request('/api/health', {
      method,
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization,content-type',
      },
    });
  for (const origin of ['https://app.example', 'http://localhost:5173']) {
    const response = await requestHealth(origin);
    assert.is(response.headers.get('access-control-allow-origin'), origin);
    assert.match(response.headers.get('vary') ?? '', /Origin/);
    const preflight = await requestHealth(origin, 'OPTIONS');
    assert.equal(
      [preflight.status, preflight.headers.get('access-control-allow-origin')],
      [204, origin],
    );
    assert.match(
      preflight.headers.get('access-control-allow-headers') ?? '',
      /Authorization,Content-Type,Idempotency-Key/,
    );
    assert.match(
      response.headers.get('access-control-expose-headers') ?? '',
      /Date,ETag,Retry-After/,
    );
  }
  for (const origin of [
    'https://evil.example',
    'https://app.example.evil.example',
    'http://app.example',
    'null',
  ]) {
    for (const response of [await requestHealth(origin), await requestHealth(origin, 'OPTIONS')]) {
      assert.is(response.headers.get('access-control-allow-origin'), null, origin);
    }
  }
  assert.is(
    (await requestHealth('https://app.example')).headers.get('access-control-allow-credentials'),
    null,
  );
  await server.close();
});

test('forbids storing, framing and sniffing of API responses, errors included', async () => {
  const server = await createServer();
  for (const path of [
    '/api/health',
    '/api/admin/users',
    '/api/unknown',
    '/notifications/subscriptions',
  ]) {
    const { headers } = await server.request(path);
    assert.equal(
      [headers.get('cache-control'), headers.get('x-content-type-options')],
      ['no-store', 'nosniff'],
      path,
    );
    assert.match(
      headers.get('content-security-policy') ?? '',
      /default-src 'none'; frame-ancestors 'none'/,
    );
    assert.match(headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
  }
  await server.close();
});

test('responds to a bug with 500 and a request id that the log has, without detail', async () => {
  const server = await createServer();
  const admin = await server.createPerson('ADMIN');
  for (const table of [
    'deliveries',
    'recipients',
    'message_topics',
    'tests',
    'escalation_steps',
    'step_outcomes',
    'messages',
  ])
    await server.services.db.schema.dropTable(table).execute();
  const response = await server.request('/api/admin/messages', {
    headers: { Authorization: `Bearer ${admin.token}` },
  });
  assert.is(response.status, 500);
  const text = await response.text();
  assert.not.match(text, /messages|table|relation|sql/i);
  const id = response.headers.get('x-request-id') ?? '';
  assert.match(text, id);
  assert.ok(server.log.some((line) => line.includes('unexpected error') && line.includes(id)));
  await server.close();
});

test('asks for TLS for a year, for subdomains only if configured', async () => {
  const serveStatic = async () =>
    new Response('page', {
      headers: { 'Strict-Transport-Security': 'max-age=1; includeSubDomains' },
    });
  for (const [setting, expected] of [
    ['', 'max-age=31536000'],
    ['false', 'max-age=31536000'],
    ['true', 'max-age=31536000; includeSubDomains'],
  ] as const) {
    const server = await createServer({
      serveStatic,
      environment: { HSTS_INCLUDE_SUBDOMAINS: setting },
    });
    for (const path of ['/', '/api/health', '/api/unknown', '/api/admin/users']) {
      assert.is(
        (await server.request(path)).headers.get('strict-transport-security'),
        expected,
        `${path} with ${setting}`,
      );
    }
    await server.close();
  }
});

test('responds to every call with 503 and Retry-After while the database is gone', async () => {
  const server = await createServer();
  const admin = await server.createPerson('ADMIN');
  const { db } = server.services;
  const unreachableDatabase = openDatabase({
    dataDir: '/nowhere',
    databaseUrl: 'postgres://unknown@127.0.0.1:1/none',
  });
  server.services.db = unreachableDatabase.db;
  for (const result of [await server.call('GET /api/health'), await server.signIn('a', 'b')]) {
    assert.equal(
      [result.status, result.error],
      [503, 'The service is not available at the moment. Please try again soon.'],
    );
    assert.ok(Number(result.headers.get('retry-after')) > 0);
  }
  server.services.db = db;
  assert.is((await server.call('GET /api/admin/users', { as: admin })).status, 200);
  await unreachableDatabase.close();
  await server.close();
});

if (!onPostgres) {
  test('responds to writes with 503 and reads normally while another process holds the write lock', async () => {
    const server = await createServer();
    const admin = await server.createPerson('ADMIN');
    const other = openFile(join(server.services.config.dataDir, 'fieldbell.db'), 0);
    other.exec('begin immediate');
    const add = () =>
      server.call('POST /api/admin/topics', { as: admin, body: { title: 'T', description: 'D' } });
    assert.is((await add()).status, 503);
    assert.is((await server.addUser(admin, 'ana', 'CUSTOMER')).status, 503);
    assert.is((await server.call('GET /api/admin/topics', { as: admin })).body.total, 0);
    other.exec('rollback');
    assert.is((await add()).status, 201);
    assert.is((await server.addUser(admin, 'ana', 'CUSTOMER')).status, 201);
    // What was acknowledged is committed: another process sees it and can write.
    assert.equal(
      other
        .prepare(
          'select (select count(*) from topics) as topics, (select count(*) from users) as users',
        )
        .all([]),
      [{ topics: 1, users: 2 }],
    );
    other.exec('begin immediate; rollback');
    other.close();
    await server.close();
  });

  test('returns 503 while the disk is full, and leaves nothing half-written', async () => {
    const server = await createServer();
    const admin = await server.createPerson('ADMIN');
    const { db } = server.services;
    await sql`pragma max_page_count = 1`.execute(db);
    const users = async (): Promise<number> =>
      (await db.selectFrom('users').select('id').execute()).length;
    let rejectedCount = 0;
    for (let index = 0; index < 400 && rejectedCount === 0; index += 1) {
      const before = await users();
      const { status } = await server.addUser(admin, `${'x'.repeat(50)}${index}`, 'CUSTOMER');
      assert.ok(status === 201 || status === 503, String(status));
      if (status === 503) assert.is(await users(), before);
      rejectedCount += status === 503 ? 1 : 0;
    }
    assert.is(rejectedCount, 1);
    await sql`pragma max_page_count = 1000000`.execute(db);
    assert.is((await server.addUser(admin, 'after', 'CUSTOMER')).status, 201);
    const tokens = await db.selectFrom('one_time_tokens').select('user_id').execute();
    assert.is(tokens.length, (await users()) - 1, 'every pending user has a link');
    await server.close();
  });
}

test("logs who made each request, also a rejected one and a device's own", async () => {
  const server = await createServer();
  const person = await server.createPerson('TECHNICIAN');
  const body = { deviceToken: 'token', deviceType: 'web', userAgent: '' } as const;
  const register = await server.call('POST /api/notifications/register-device', {
    as: person,
    body,
  });
  await server.renewDeviceToken({ token: register.body.deviceKey }, 'another');
  await server.call('POST /api/notifications/register-device', {
    as: person,
    body: { ...body, deviceToken: '' },
  });
  await server.call('GET /api/notifications/devices');
  const requests = server.log
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ event }) => event === 'request');
  assert.equal(
    requests.map(({ route, status, user }) => [route, status, user]),
    [
      ['POST /api/notifications/register-device', 200, person.id],
      ['PUT /api/notifications/device-token', 200, person.id],
      ['POST /api/notifications/register-device', 400, person.id],
      ['GET /api/notifications/devices', 401, undefined],
    ],
  );
  await server.close();
});

test('logs the request id and trace of a trusted proxy alone, and no probe', async () => {
  const server = await createServer({ environment: { TRUSTED_PROXIES: '10.0.0.1' } });
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  const validHeaders = {
    'X-Request-Id': 'from-the-proxy',
    traceparent: `00-${trace}-00f067aa0ba902b7-01`,
  };
  const requestFrom = async (from: string, headers: Record<string, string>) => {
    const response = await server.request('/api/nothing', { headers }, from);
    const line = JSON.parse(server.log.at(-1) ?? '') as Record<string, unknown>;
    assert.is(line.id, response.headers.get('x-request-id'));
    return [line.id === 'from-the-proxy', line.trace];
  };
  assert.equal(await requestFrom('10.0.0.1', validHeaders), [true, trace]);
  assert.equal(await requestFrom('192.0.2.1', validHeaders), [false, undefined]);
  const invalidHeaders = { 'X-Request-Id': 'from the proxy"', traceparent: `00-${trace}-1` };
  assert.equal(await requestFrom('10.0.0.1', invalidHeaders), [false, undefined]);
  const lines = server.log.length;
  for (const path of ['/api/health', '/api/ready', '/api/live', '/healthz'])
    await server.request(path);
  assert.is(server.log.length, lines);
  await server.close();
});

test('never logs a password, token, email or endpoint', async () => {
  const server = await createServer();
  const secrets = ['my secret password', 'ana@mail.example', 'push.example/endpoint'];
  const admin = await server.createPerson('ADMIN', {
    username: 'admin',
    password: 'my secret password',
  });
  const { body: reply } = await server.call('POST /api/admin/users', {
    as: admin,
    body: { username: 'ana', role: 'ADMIN', email: 'ana@mail.example' },
  });
  const registration = reply.user.registrationToken ?? '';
  await server.signIn('admin', 'my secret password');
  await server.signIn('my secret password', 'x');
  await server.completeRegistration(registration, 'my secret password', 'ana@mail.example');
  await server.call('GET /api/auth/verify-email/:token', { params: { token: 'my secret token' } });
  await server.request(`/reset-password/${registration}`);
  const body = {
    deviceToken: JSON.stringify({ endpoint: 'https://push.example/endpoint' }),
    deviceType: 'web',
    userAgent: '',
  } as const;
  await server.call('POST /api/notifications/register-device', { as: admin, body });
  await server.call('GET /api/admin/users', { as: admin, query: { query: 'ana@mail.example' } });
  server.services.mail = async ({ to }) => {
    throw Object.assign(new Error('mail failed'), { to });
  };
  await server.requestPasswordReset('ana@mail.example');
  await server.sendMails();
  assert.ok(server.log.length >= 9);
  const log = server.log.join('\n');
  for (const secret of [
    ...secrets,
    'my secret token',
    admin.token,
    registration,
    server.services.config.jwtSecret,
  ]) {
    assert.not.ok(log.includes(secret), secret);
  }
  for (const line of server.log)
    assert.type((JSON.parse(line) as { event: unknown }).event, 'string');
  await server.close();
});

test.run();
