import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiError } from '../../../src/api/error';
import { get } from '../../../src/api/get';
import { ended } from '../../../src/state/session';
import { fakeApi } from '../../support/app/fake-api';
import { endSession, signInAs } from '../../support/app/session';

const test = suite('an unusual GET');
const ONE = 'GET /api/admin/messages/:id';

test.before.each(() => {
  fakeApi.install();
  signInAs('ADMIN');
});
test.after.each(() => {
  endSession();
  fakeApi.remove();
});

const ask = (headers: Record<string, string> = {}) =>
  get(
    ONE,
    { params: { id: 'a/b' }, headers, fallback: 'Failed.', limit: 1000 },
    async (response) => `${response.status} ${await response.text()}`,
  );
const refusal = () =>
  ask().then(
    () => undefined,
    (error: ApiError) => error,
  );

test('headers of an unusual GET are sent beside the token, and 304 is an answer', async () => {
  const token = signInAs('ADMIN', { id: 8 });
  fakeApi.respond(ONE, () => new Response(null, { status: 304 }));
  assert.is(await ask({ 'If-None-Match': '"x"' }), '304 ');
  const { headers, params } = fakeApi.asked(ONE)[0]!;
  assert.is(headers.get('If-None-Match'), '"x"');
  assert.is(headers.get('Authorization'), `Bearer ${token}`);
  assert.is(params.id, 'a%2Fb');
});

test('a refusal says the server’s reason, or else ours, with status and how long to wait', async () => {
  fakeApi.refuse(ONE, 429, 'Too many requests.', { 'Retry-After': '7' });
  const busy = await refusal();
  assert.equal(
    [busy?.code, busy?.message, busy?.status, busy?.retryAfter],
    ['refused', 'Too many requests.', 429, 7],
  );
  fakeApi.garble(ONE, 502);
  const broken = await refusal();
  assert.is(broken?.message, 'Failed.');
  assert.is(broken?.status, 502);
});

test('an unusual GET that is refused because the device was signed out says so to the session', async () => {
  fakeApi.respond(
    ONE,
    () => new Response(JSON.stringify({ error: 'No.', code: 'signed_out' }), { status: 401 }),
  );
  assert.is((await refusal())?.status, 401);
  assert.is(ended.value, 'This device was signed out.');
});

test('no answer, and an answer that is cut off, are no reason but ours', async () => {
  fakeApi.lose(ONE);
  assert.equal([(await refusal())?.code, (await refusal())?.message], ['unreachable', 'Failed.']);
  fakeApi.respond(ONE, () => {
    const cut = new ReadableStream({ pull: (end) => end.error(new TypeError('terminated')) });
    return new Response(cut);
  });
  assert.is((await refusal())?.code, 'unreachable');
});

test('an answer to a session that is over is stale, whatever came of it', async () => {
  for (const status of [200, 401, 500]) {
    fakeApi.respond(ONE, () => {
      signInAs('ADMIN', { id: status });
      return new Response('{}', { status });
    });
    const error = await refusal();
    assert.equal([error?.code, error?.message], ['stale', ''], String(status));
  }
  fakeApi.respond(ONE, () => {
    signInAs('ADMIN', { id: 1 });
    throw new TypeError('fetch failed');
  });
  assert.is((await refusal())?.code, 'stale', 'that none came is nothing to say either');
});

test.run();
