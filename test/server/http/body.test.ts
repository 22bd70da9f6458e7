import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bodyLimits } from '../../../server/http/connections/body-limits';
import type { Person, TestServer } from '../../support/server/server';
import { createServer } from '../../support/server/server';

const test = suite('request bodies');
let server: TestServer;
let admin: Person;

test.before(async () => {
  server = await createServer();
  admin = await server.createPerson('ADMIN');
});
test.after(() => server.close());

const JSON_TYPE = 'application/json';
async function post(
  body: BodyInit,
  headers: Record<string, string> = {},
  path = '/api/admin/topics',
): Promise<{ status: number; error: unknown }> {
  const allHeaders = {
    'Content-Type': JSON_TYPE,
    Authorization: `Bearer ${admin.token}`,
    ...headers,
  };
  const response = await server.request(path, {
    method: 'POST',
    headers: allHeaders,
    body,
    duplex: 'half',
  } as RequestInit);
  const { error } = (await response.json()) as { error: unknown };
  return { status: response.status, error };
}

test('rejects a body that is not JSON, with the reason', async () => {
  assert.equal(await post('{"title":'), { status: 400, error: 'The body is not valid JSON.' });
  assert.equal(await post(''), { status: 400, error: 'The body is not valid JSON.' });
  const latin1 = new Uint8Array(Buffer.from('{"title":"K\u00f6ln","description":"D"}', 'latin1'));
  assert.equal(await post(latin1), { status: 400, error: 'The body is not valid JSON.' });
  assert.is(
    (await post('title=x', { 'Content-Type': 'application/x-www-form-urlencoded' })).status,
    415,
  );
  assert.is((await post('{}', { 'Content-Type': 'text/plain' })).status, 415);
});

test('accepts a charset after the type', async () => {
  assert.is(
    (
      await post('{"title":"T","description":"D"}', {
        'Content-Type': 'Application/JSON; charset=utf-8',
      })
    ).status,
    201,
  );
});

test('rejects a body that is not a flat object', async () => {
  for (const body of [
    '[]',
    'null',
    '1',
    '"text"',
    '[['.repeat(20_000),
    '{"a":'.repeat(10_000),
    `{"title":"T","description":"D","extra":${'['.repeat(500)}${']'.repeat(500)}}`,
  ]) {
    assert.is((await post(body)).status, 400, body.slice(0, 20));
  }
});

test('accepts lists of flat objects, and nothing deeper', async () => {
  const send = (item: string) => post(`{"receipts":[${item}]}`, {}, '/api/notifications/receipts');
  assert.is((await send('{"messageId":"x","kind":"read"}')).status, 200);
  assert.is((await send('{"messageId":"x","kind":"read","more":[1,"x",null]}')).status, 200);
  for (const item of [
    '{"messageId":{"$ne":""},"kind":"read"}',
    '{"messageId":"x","kind":"read","more":{}}',
    '{"messageId":"x","kind":"read","more":[[]]}',
    '{"messageId":"x","kind":"read","more":[{}]}',
    '[{"messageId":"x","kind":"read"}]',
    '{"messageId":"x","kind":"read","__proto__":"x"}',
    '{"messageId":"x","kind":"read","__proto__":{"answer":"x"}}',
  ])
    assert.equal(
      await send(item),
      { status: 400, error: [{ message: 'Receipts must be a single value.', path: 'receipts' }] },
      item,
    );
});

test('names a field of the wrong type', async () => {
  assert.equal(await post('{"title":["T"],"description":"D"}'), {
    status: 400,
    error: [{ message: 'Title must be a single value.', path: 'title' }],
  });
  assert.equal(await post('{"title":{"$ne":null},"description":"D"}'), {
    status: 400,
    error: [{ message: 'Title must be a single value.', path: 'title' }],
  });
  assert.equal(await post('{"title":7,"description":"D"}'), {
    status: 400,
    error: [{ message: 'Title must be text.', path: 'title' }],
  });
  assert.equal(await post('{"username":"x","role":"ROOT"}', {}, '/api/admin/users'), {
    status: 400,
    error: [{ message: 'Role must be one of ADMIN, TECHNICIAN, CUSTOMER.', path: 'role' }],
  });
  assert.equal(await post('{"userId":"1","topicId":1.5}', {}, '/api/admin/subscriptions'), {
    status: 400,
    error: [
      { message: 'User id must be a number.', path: 'userId' },
      { message: 'Topic must be a positive whole number.', path: 'topicId' },
    ],
  });
  assert.equal(await post('{"userIds":[1,"2"],"message":"x"}', {}, '/api/admin/messages'), {
    status: 400,
    error: [{ message: 'User ids must be a number.', path: 'userIds' }],
  });
});

test('ignores unknown fields, and protects prototypes', async () => {
  assert.is(
    (await post('{"title":"T","description":"D","__proto__":{"role":"ADMIN"}}')).status,
    400,
  );
  assert.is((await post('{"title":"T","description":"D","__proto__":"x"}')).status, 400);
  assert.is(
    (await post('{"title":"T","description":"D","constructor":{"prototype":{"x":1}}}')).status,
    400,
  );
  assert.is(
    (
      await post(
        '{"title":"Unknown","description":"D","id":4711,"createdAt":"1970-01-01","search_key":"zzz"}',
      )
    ).status,
    201,
  );
  const { body } = await server.call('GET /api/admin/topics', {
    as: admin,
    query: { query: 'Unknown' },
  });
  assert.is(body.total, 1);
  assert.is.not(body.topics[0]?.id, 4711);
  assert.is(({} as Record<string, unknown>).role, undefined);
});

test("rejects characters that a database can't store", async () => {
  for (const title of ['a\u0000b', '\ud800', 'a\u0007b', 'two\nlines']) {
    assert.is(
      (await post(JSON.stringify({ title, description: 'D' }))).status,
      400,
      JSON.stringify(title),
    );
  }
  assert.is(
    (
      await post(
        '{"title":"\u202e\u200b\ud83d\udd14","description":"<img src=x onerror=alert(1)>"}',
      )
    ).status,
    201,
  );
  assert.is(
    (await server.call('GET /api/admin/topics', { as: admin, query: { query: 'a\u0000b\ud800' } }))
      .status,
    200,
  );
  assert.is(
    (await post('{"username":"a\\u0000b","password":"x"}', {}, '/api/auth/login')).status,
    400,
  );
});

test('accepts 64 KiB and rejects more, whatever Content-Length says', async () => {
  const filled = (bytes: number): string =>
    `{"title":"T","description":"D","x":"${'x'.repeat(bytes - 38)}"}`;
  assert.is(filled(65_536).length, 65_536);
  assert.is((await post(filled(65_536))).status, 201);
  assert.is((await post(filled(65_537))).status, 413);
  assert.is((await post(streamOf(filled(65_537)), { 'Content-Length': '10' })).status, 413);
});

test('responds to a body that breaks off with 400', async () => {
  const broken = new ReadableStream({
    pull: (controller) => controller.error(new Error('aborted')),
  });
  assert.equal(await post(broken), { status: 400, error: 'The body is incomplete.' });
  assert.not.ok(server.log.some((line) => line.includes('unexpected error')));
});

/** Sends only the beginning of a body. */
const holdRequest = (from: string): Promise<Response> => {
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{')),
  });
  return server.request(
    '/api/auth/login',
    { method: 'POST', headers: { 'Content-Type': JSON_TYPE }, body, duplex: 'half' } as RequestInit,
    from,
  );
};
const signIn = async (from: string): Promise<number> =>
  (await server.signIn('nobody', 'x', from)).status;

test('limits unfinished bodies per address, and drops the oldest for an honest request', async () => {
  const { maxForAddress } = bodyLimits;
  const heldResponse = Array.from({ length: maxForAddress }, () => holdRequest('192.0.2.7'));
  const elsewhere = holdRequest('192.0.2.8');
  assert.is(await signIn('192.0.2.7'), 401);
  assert.is((await heldResponse[0])?.status, 429);
  void holdRequest('192.0.2.7'); // in the place of the first
  for (let index = 1; index < maxForAddress; index += 1) {
    void holdRequest('192.0.2.7');
    assert.is((await heldResponse[index])?.status, 429, `the next oldest, ${index}`);
  }
  assert.is(
    await Promise.race([elsewhere.then(() => 'cut'), signIn('192.0.2.8')]),
    401,
    'another address has its own',
  );
});

test('stops reading an endless body', async () => {
  let pulledCount = 0;
  const endless = new ReadableStream({
    pull(controller) {
      pulledCount += 1;
      controller.enqueue(new Uint8Array(16_384).fill(0x20));
    },
  });
  assert.is((await post(endless)).status, 413);
  assert.ok(pulledCount < 10, `${pulledCount} pieces were read`);
});

test('rejects a compressed body', async () => {
  const bomb = gzipSync(Buffer.alloc(10_000_000, 0x20));
  assert.is((await post(new Uint8Array(bomb), { 'Content-Encoding': 'gzip' })).status, 415);
});

interface ApiDocument {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, Content> } }>>;
  components: { schemas: Record<string, BodySchema> };
}
interface BodySchema {
  $ref?: string;
  properties?: Record<string, { type?: string }>;
}
interface Content {
  schema: BodySchema;
}

/** The list fields of all admin calls. */
async function readLists(): Promise<{ method: string; path: string; name: string }[]> {
  const response = await server.request('/api/openapi.json');
  const { paths, components } = (await response.json()) as ApiDocument;
  return Object.entries(paths).flatMap(([path, calls]) =>
    Object.entries(calls).flatMap(([method, { requestBody }]) => {
      const bodySchema = requestBody?.content['application/json']?.schema;
      const named = components.schemas[bodySchema?.$ref?.split('/').at(-1) ?? ''];
      return Object.entries((named ?? bodySchema)?.properties ?? {})
        .filter(([, { type }]) => type === 'array' && !/^.api.(hooks|publish)/.test(path))
        .map(([name]) => ({ method: method.toUpperCase(), path, name }));
    }),
  );
}

test('counts the items of every list before it looks at one', async () => {
  const lists = await readLists();
  const sender = await server.createPerson('TECHNICIAN');
  const grant = { topic_id: await server.createTopic(), user_id: sender.id };
  await server.services.db.insertInto('topic_senders').values(grant).execute();
  assert.ok(lists.length >= 10, `${lists.length} lists`);
  for (const { method, path, name } of lists) {
    const { token } = path.startsWith('/api/sending') ? sender : admin;
    const response = await server.request(path.replace(/\{\w+\}/g, '1'), {
      method,
      headers: { 'Content-Type': JSON_TYPE, Authorization: `Bearer ${token}` },
      body: JSON.stringify({ [name]: Array.from({ length: 19_000 }, () => 0) }),
    });
    const { error } = (await response.json()) as { error: { path: string }[] };
    const outcome = [response.status, error.filter((issue) => issue.path === name).length];
    assert.equal(outcome, [400, 1], `${method} ${path}: ${name}`);
  }
});

test('responds to a body full of faults with at most 20 of them, in 4 kB', async () => {
  const bodies = [
    `{"receipts":[${'{},'.repeat(99)}{}]}`,
    `{"${'\u00e4'.repeat(20_000)}":{}}`,
    `{"receipts":[${'0,'.repeat(30_000)}0]}`,
  ];
  for (const body of bodies) {
    const { status, error } = await post(body, {}, '/api/notifications/receipts');
    assert.is(status, 400);
    assert.ok(JSON.stringify({ error }).length <= 4000, body.slice(0, 20));
    if (Array.isArray(error)) assert.ok(error.length <= 20, body.slice(0, 20));
  }
});

test('stores SQL in any text as text', async () => {
  const evil = `'); drop table users; -- " or 1=1 /*`;
  assert.is((await post(JSON.stringify({ title: evil, description: evil }))).status, 201);
  assert.is(
    (await post(JSON.stringify({ username: evil, role: 'CUSTOMER' }), {}, '/api/admin/users'))
      .status,
    201,
  );
  assert.is(
    (await post(JSON.stringify({ username: evil, password: evil }), {}, '/api/auth/login')).status,
    401,
  );
  for (const endpoint of [
    'GET /api/admin/topics',
    'GET /api/admin/users',
    'GET /api/admin/messages',
  ] as const) {
    const { status, body } = await server.call(endpoint, {
      as: admin,
      query: { query: evil, page: evil, limit: evil },
    });
    assert.equal([status, body.total], [200, endpoint.endsWith('messages') ? 0 : 1], endpoint);
  }
  assert.is(
    (
      await server.request(`/api/admin/users/${encodeURIComponent(evil)}`, {
        headers: { Authorization: `Bearer ${admin.token}` },
      })
    ).status,
    404,
  );
});

function streamOf(text: string): ReadableStream {
  return new Blob([text]).stream();
}

test.run();
