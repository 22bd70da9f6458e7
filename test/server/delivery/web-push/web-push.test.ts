import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { HttpsResponse } from '../../../../server/delivery/https/response';
import type { HttpsClient } from '../../../../server/delivery/https/client';
import type { PushOutcome, OutgoingPush } from '../../../../server/delivery/transport';
import { createWebPush } from '../../../../server/delivery/web-push/web-push';

const test = suite('a Web Push request');
const NOW = Date.parse('2026-11-21T09:30:00Z');
const MINUTE_MS = 60_000;
const push: OutgoingPush = {
  token: JSON.stringify({
    endpoint: 'https://push.example:8443/send/one?a=1',
    keys: { p256dh: 'p', auth: 'a' },
  }),
  data: {
    title: 'Outages',
    body: 'Line 4',
    topicId: '7',
    messageId: 'm1',
    link: '/messages/m1',
    sentAt: new Date(NOW).toISOString(),
  },
  expiresAt: NOW + 5 * MINUTE_MS,
};

/** Sends a push to a service that gives this answer. */
async function send(response: HttpsResponse, change: Partial<OutgoingPush> = {}) {
  const posted: Parameters<HttpsClient['post']>[] = [];
  const client: HttpsClient = {
    post: async (...request) => (posted.push(request), response),
    connections: () => 0,
    close: () => undefined,
  };
  const transport = createWebPush({
    client,
    encryptor: { encrypt: async ({ text }) => Buffer.from(text), close: async () => undefined },
    authorize: (origin) => `for ${origin}`,
    now: () => NOW,
    appOrigin: 'https://bell.example',
  });
  return { outcome: await transport({ ...push, ...change }), posted };
}
const createResponse = (status: number, retryAfter?: string): HttpsResponse => ({
  kind: 'responded',
  status,
  retryAfter,
  body: '',
});
const outcomeOf = async (response: HttpsResponse): Promise<PushOutcome> =>
  (await send(response)).outcome;

test('posts to the endpoint with its headers, signed for its origin', async () => {
  const maySendNow = async () => true;
  const { posted } = await send(createResponse(201), { maySendNow });
  const [[url, headers, body, options] = []] = posted;
  assert.is(posted.length, 1);
  assert.is(url?.href, 'https://push.example:8443/send/one?a=1');
  assert.equal(headers, {
    Authorization: 'for https://push.example:8443',
    'Content-Encoding': 'aes128gcm',
    'Content-Type': 'application/octet-stream',
    TTL: '300',
    Urgency: 'high',
  });
  assert.is((JSON.parse(String(body)) as { data: { body: string } }).data.body, 'Line 4');
  assert.is(options, maySendNow);
});

test('maps each status to its outcome by the RFCs', async () => {
  for (const status of [200, 201, 202, 204, 299])
    assert.equal(await outcomeOf(createResponse(status)), { kind: 'accepted' });
  for (const [kind, statuses] of [
    ['gone', [404, 410]],
    ['failed', [199, 300, 307, 400, 405, 413, 418, 426, 499]],
    ['retry', [408, 425, 500, 502, 503, 504, 599]],
  ] as const)
    for (const status of statuses)
      assert.equal(await outcomeOf(createResponse(status)), { kind, reason: `status-${status}` });
  for (const status of [401, 403])
    assert.equal(await outcomeOf(createResponse(status)), {
      kind: 'misconfigured',
      reason: `status-${status}`,
      scope: 'device',
    });
});

test('reports busy only for 429, and keeps Retry-After', async () => {
  const retry = (status: number) => ({ kind: 'retry', reason: `status-${status}` });
  assert.equal(await outcomeOf(createResponse(429)), { ...retry(429), isBusy: true });
  const after = NOW + 90_000;
  assert.equal(await outcomeOf(createResponse(429, '90')), { ...retry(429), isBusy: true, after });
  assert.equal(await outcomeOf(createResponse(503, '90')), { ...retry(503), after });
  assert.equal(await outcomeOf(createResponse(503, 'soon')), retry(503));
});

test('distinguishes unreachable push services from forbidden ones', async () => {
  assert.equal(await outcomeOf({ kind: 'unreachable', reason: 'timeout' }), {
    kind: 'retry',
    reason: 'timeout',
    isUnreachable: true,
  });
  assert.equal(await outcomeOf({ kind: 'rejected', reason: 'endpoint-address' }), {
    kind: 'failed',
    reason: 'endpoint-address',
  });
  assert.equal(await outcomeOf({ kind: 'withdrawn' }), { kind: 'withdrawn' });
});

test('gives up an invalid subscription without a request', async () => {
  const endpoint = 'https://push.example/';
  for (const token of [
    '{',
    '{}',
    'null',
    JSON.stringify({ endpoint }),
    JSON.stringify({ endpoint, keys: { p256dh: 'p' } }),
    JSON.stringify({ endpoint, keys: { auth: 'a' } }),
    JSON.stringify({ endpoint: 'none', keys: { p256dh: 'p', auth: 'a' } }),
  ]) {
    const { outcome, posted } = await send(createResponse(201), { token });
    assert.equal([outcome, posted], [{ kind: 'failed', reason: 'bad-subscription' }, []], token);
  }
});

test.run();
