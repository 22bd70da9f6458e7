import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { apiUrl } from '../../../src/api/url';
import { call, sessionAccess } from '../../../src/api/call';
import { ApiError } from '../../../src/api/error';
import { progressSchema } from '../../../src/shared/contract/messages' with { type: 'example' };
import { topicPageSchema } from '../../../src/shared/contract/topics' with { type: 'example' };
import { ifChangedSince } from '../../../src/api/conditional-get';

const test = suite('api');
const realFetch = globalThis.fetch;
const realAccess = { ...sessionAccess };
let requests: { url: string; init: RequestInit }[] = [];

/** Answers the next calls with these in order, repeating the last. */
function replyWith(...responses: (Response | Error)[]) {
  globalThis.fetch = async (url, init = {}) => {
    requests.push({ url: String(url), init });
    const response = responses.length > 1 ? responses.shift() : responses[0];
    if (!(response instanceof Response)) throw response;
    return response.clone();
  };
}
const json = (status: number, body: unknown, headers = {}) =>
  new Response(JSON.stringify(body), { status, headers });
const errorOf = async (promise: Promise<unknown>): Promise<ApiError> => {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.instance(error, ApiError);
  return error as ApiError;
};
const topics = () =>
  call('GET /api/admin/topics', {
    query: { page: 1, query: '' },
    fallback: 'Failed to load topics.',
    like: topicPageSchema,
  });

test.before.each(() => {
  requests = [];
  Object.assign(sessionAccess, { token: () => 'secret', rejected: () => {} });
});
test.after.each(() => {
  globalThis.fetch = realFetch;
  Object.assign(sessionAccess, realAccess);
});

test('sends the token, the language of the screen, and the body as JSON', async () => {
  document.documentElement.lang = 'de';
  replyWith(json(201, { id: 1, title: 'T', description: 'D', createdAt: '', updatedAt: '' }));
  await call('POST /api/admin/topics', {
    body: { title: 'T', description: 'D' },
    fallback: '',
    idempotencyKey: 'k',
  });
  const { url, init } = requests[0];
  assert.is(url, '/api/admin/topics');
  assert.is(init.method, 'POST');
  assert.is(init.cache, 'no-store');
  assert.is(init.body, '{"title":"T","description":"D"}');
  assert.equal(init.headers, {
    'Accept-Language': 'de',
    Authorization: 'Bearer secret',
    'Content-Type': 'application/json',
    'Idempotency-Key': 'k',
  });
});

test('sends no Authorization header without a token', async () => {
  sessionAccess.token = () => null;
  replyWith(json(200, { message: 'ok' }));
  await call('POST /api/auth/resend-verification', { body: { email: 'a@b.c' }, fallback: '' });
  assert.is((requests[0].init.headers as Record<string, string>).Authorization, undefined);
});

test('puts /api once into the path, however the host ends', () => {
  assert.is(apiUrl('/api/admin/topics', {}, {}, ''), '/api/admin/topics');
  assert.is(
    apiUrl('/api/admin/topics', {}, {}, 'https://host.example'),
    'https://host.example/api/admin/topics',
  );
  assert.is(
    apiUrl('/api/admin/topics', {}, {}, 'https://host.example/'),
    'https://host.example/api/admin/topics',
  );
  assert.is(
    apiUrl('/api/admin/topics', {}, {}, 'https://host.example/api'),
    'https://host.example/api/admin/topics',
  );
  assert.is(
    apiUrl('/notifications/subscriptions', {}, {}, 'https://host.example'),
    'https://host.example/notifications/subscriptions',
  );
});

test('keeps typed text inside its place in the address', () => {
  assert.is(
    apiUrl('/api/auth/verify-email/:token', { token: 'a/b?c' }, {}, ''),
    '/api/auth/verify-email/a%2Fb%3Fc',
  );
  assert.is(
    apiUrl('/api/admin/users', {}, { page: 2, limit: 10, query: 'a&b=c' }, ''),
    '/api/admin/users?page=2&limit=10&query=a%26b%3Dc',
  );
});

test('shows the server’s own sentence', async () => {
  replyWith(json(409, { error: 'This username is already taken.' }));
  const error = await errorOf(topics());
  assert.is(error.message, 'This username is already taken.');
  assert.is(error.status, 409);
  assert.is(error.code, 'rejected');
});

test('shows the first validation error with its field', async () => {
  replyWith(
    json(400, {
      error: [{ message: 'Enter a title.', path: 'title' }, { message: 'Enter a description.' }],
    }),
  );
  const error = await errorOf(topics());
  assert.is(error.message, 'Enter a title.');
  assert.is(error.path, 'title');
});

for (const body of [
  '<html><h1>502</h1></html>',
  '',
  'null',
  '{"error":{}}',
  '{"error":[]}',
  '{"error":[null]}',
  '{"error":""}',
]) {
  test(`shows the fallback, never markup, for an error body of ${body || 'nothing'}`, async () => {
    replyWith(new Response(body, { status: 500 }));
    assert.is((await errorOf(topics())).message, 'Failed to load topics.');
  });
}

for (const body of [
  '<html>Log in to the hotel</html>',
  '{"topics":[',
  'null',
  '{}',
  '[]',
  '{"topics":{},"total":1,"page":1,"limit":10}',
  '{"topics":[{"id":"1"}],"total":1,"page":1,"limit":10}',
  '',
]) {
  test(`rejects the response ${body || 'without a body'}`, async () => {
    replyWith(new Response(body, { status: 200 }));
    assert.is((await errorOf(topics())).code, 'garbled');
  });
}

test('does not count an empty response as done', async () => {
  for (const body of ['null', '', '<html>Log in to the hotel</html>']) {
    replyWith(new Response(body, { status: 200 }));
    const saved = call('PUT /api/notifications/preferences/global/:topicId', {
      params: { topicId: 7 },
      body: { enabled: true },
      fallback: 'Failed to update notification preference',
    });
    assert.is((await errorOf(saved)).code, 'garbled', body);
  }
});

test('accepts a response of the right shape with extra fields', async () => {
  replyWith(json(200, { topics: [], total: 0, page: 1, limit: 10, more: true }));
  assert.is((await topics()).total, 0);
});

const COUNTS = { total: 1, accepted: 1, failed: 0, gone: 0, pending: 0 };

test('sends the previous response’s ETag, and reuses that response on 304', async () => {
  replyWith(json(200, COUNTS, { ETag: '"x"' }), new Response(null, { status: 304 }));
  const readMessage = (before?: Parameters<typeof ifChangedSince>[0]) =>
    call('GET /api/admin/messages/:id', {
      params: { id: 'a/b' },
      fallback: '',
      ...ifChangedSince(before, progressSchema),
    });
  const first = await readMessage();
  assert.equal(first, { value: COUNTS, tag: '"x"' });
  assert.is(await readMessage(first), first);
  assert.is(new Headers(requests[1].init.headers).get('If-None-Match'), '"x"');
  assert.match(requests[1].url, 'a%2Fb');
});

test('sends a file as it is, and returns the rejection with its lines', async () => {
  const send = () =>
    call('POST /api/admin/import', {
      body: 'username',
      query: {},
      headers: { 'Content-Type': 'text/csv' },
      accepts: 400,
      like: { errors: [] } as never,
      fallback: 'Failed.',
    });
  replyWith(json(400, { errors: [] }));
  assert.equal(await send(), { errors: [] });
  assert.is(requests[0].init.body, 'username');
  assert.is(new Headers(requests[0].init.headers).get('Content-Type'), 'text/csv');
  replyWith(json(400, { error: 'Too many lines.' }));
  assert.is((await errorOf(send())).message, 'Too many lines.');
});

test('shows the fallback when no response comes', async () => {
  replyWith(new TypeError('Failed to fetch'));
  const error = await errorOf(topics());
  assert.is(error.code, 'unreachable');
  assert.is(error.message, 'Failed to load topics.');
});

test('treats a cut-off response as no response', async () => {
  const body = new ReadableStream({
    start: (controller) => controller.error(new TypeError('network error')),
  });
  globalThis.fetch = async () => new Response(body, { status: 200 });
  assert.is((await errorOf(topics())).code, 'unreachable');
});

test('gives up on a server that never responds', async () => {
  globalThis.fetch = (_, init) =>
    new Promise((__, reject) =>
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
    );
  const alive = setInterval(() => {}, 1000); // the signal's own timer does not keep Node running
  const error = await errorOf(
    call('GET /api/notifications/devices', { fallback: 'No answer.', limit: 5 }),
  );
  clearInterval(alive);
  assert.is(error.message, 'No answer.');
});

test('rejects the session’s token on 401, and passes the error to the caller', async () => {
  const rejected: string[] = [];
  sessionAccess.rejected = (token) => rejected.push(token);
  replyWith(json(401, { error: 'Log in again.' }));
  assert.is((await errorOf(topics())).status, 401);
  assert.equal(rejected, ['secret']);
});

test('keeps the session when a call without a token gets 401', async () => {
  const rejected: string[] = [];
  Object.assign(sessionAccess, {
    token: () => null,
    rejected: (token: string) => rejected.push(token),
  });
  replyWith(json(401, { error: 'Invalid username or password.' }));
  assert.is(
    (
      await errorOf(
        call('POST /api/auth/login', { body: { username: 'a', password: 'b' }, fallback: '' }),
      )
    ).message,
    'Invalid username or password.',
  );
  assert.equal(rejected, []);
});

test('drops a response that arrives after sign-out', async () => {
  let token: string | null = 'secret';
  sessionAccess.token = () => token;
  globalThis.fetch = async () => {
    token = null;
    return json(200, { topics: [], total: 0, page: 1, limit: 10 });
  };
  const { code, message } = await errorOf(topics());
  assert.equal([code, message], ['stale', ''], 'and needs no message');
});

test('retries reads on a busy server, three times at most', async () => {
  replyWith(json(503, { error: 'Busy.' }));
  const realTimeout = globalThis.setTimeout;
  const waits: (number | undefined)[] = [];
  globalThis.setTimeout = ((act: () => void, wait?: number) => {
    waits.push(wait);
    return realTimeout(act, 0);
  }) as typeof setTimeout;
  try {
    assert.is((await errorOf(topics())).message, 'Busy.');
    assert.is(requests.length, 4);
    assert.equal(waits, [500, 1000, 2000]);
    requests = [];
    await errorOf(
      call('POST /api/admin/topics', { body: { title: '', description: '' }, fallback: '' }),
    );
    assert.is(requests.length, 1);
  } finally {
    globalThis.setTimeout = realTimeout;
  }
});

for (const [seconds, wait] of [
  ['1', '1 second'],
  ['30', '30 seconds'],
  ['90', '90 seconds'],
  ['91', '2 minutes'],
  ['130', '3 minutes'],
  ['840', '14 minutes'],
] as const) {
  test(`says to wait ${wait} on a 429 of ${seconds} seconds, with or without the server’s sentence`, async () => {
    replyWith(json(429, { error: 'Too many attempts.' }, { 'Retry-After': seconds }));
    const error = await errorOf(topics());
    assert.is(error.retryAfter, Number(seconds));
    assert.is(error.message, `Too many attempts. Wait ${wait}.`);
    replyWith(
      new Response('<h1>Slow down</h1>', { status: 429, headers: { 'Retry-After': seconds } }),
    );
    assert.is((await errorOf(topics())).message, `Failed to load topics. Wait ${wait}.`);
  });
}

test('promises no waiting time on a 429 that gives none', async () => {
  for (const headers of [{}, { 'Retry-After': 'Sat, 21 Nov 2026 10:00:00 GMT' }]) {
    replyWith(json(429, { error: 'Too many attempts.' }, headers));
    assert.is((await errorOf(topics())).message, 'Too many attempts.');
  }
});

test('never throws on an object in place of a time', async () => {
  const odd = { toString: 1, valueOf: 1, more: [{ toString: 'x' }] };
  replyWith(json(200, { topics: [{ createdAt: odd }], total: 1 }));
  const { topics: found } = (await call('GET /api/admin/topics', {
    query: { page: 1, query: '' },
    fallback: '',
  })) as unknown as { topics: { createdAt: string }[] };
  const [{ createdAt }] = found as [{ createdAt: string }];
  assert.ok(Number.isNaN(Date.parse(createdAt)));
  assert.is(`${new Date(createdAt)}`, 'Invalid Date');
  assert.equal(createdAt as unknown, { more: [{}] });
});

test.run();
