import { generateKeyPairSync } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createFcm } from '../../../../server/delivery/fcm/fcm';
import { createGoogleToken } from '../../../../server/delivery/fcm/google-token';
import type { HttpsResponse } from '../../../../server/delivery/https/response';
import type { HttpsClient } from '../../../../server/delivery/https/client';
import type { OutgoingPush } from '../../../../server/delivery/transport';

const test = suite('answers of FCM');
const NOW = Date.parse('2026-11-21T09:30:00Z');
const MINUTE_MS = 60_000;
const pem = { type: 'pkcs8', format: 'pem' } as const;
/** A short key is created quickly. */
const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export(pem);
const account = {
  project_id: 'demo',
  client_email: 'sender@demo.iam.gserviceaccount.com',
  private_key: rsa.toString(),
  token_uri: 'https://oauth2.googleapis.com/token',
};
const push: OutgoingPush = {
  token: 'device-token',
  expiresAt: NOW + MINUTE_MS,
  data: {
    title: 'Outages',
    body: 'Line 4',
    topicId: '7',
    messageId: 'm1',
    link: '/messages/m1',
    sentAt: new Date(NOW).toISOString(),
  },
};

function clientOf(response: HttpsResponse) {
  const posted: Parameters<HttpsClient['post']>[] = [];
  const client: HttpsClient = {
    post: async (...request) => (posted.push(request), response),
    connections: () => 0,
    close: () => undefined,
  };
  return { client, posted };
}
const createResponse = (status: number, body: unknown = {}): HttpsResponse => ({
  kind: 'responded',
  status,
  retryAfter: undefined,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** @param random how long the wait is drawn, from 0 to 1 */
async function send(
  response: HttpsResponse,
  { random = 0, maySendNow }: Partial<typeof push> & { random?: number } = {},
) {
  const { client, posted } = clientOf(response);
  const forgotten: string[] = [];
  const transport = createFcm({
    client,
    projectId: 'demo',
    accessToken: {
      get: async () => ({ kind: 'token', token: 'granted' }),
      forget: (token) => void forgotten.push(token),
    },
    now: () => NOW,
    random: () => random,
  });
  return {
    outcome: await transport({ ...push, ...(maySendNow && { maySendNow }) }),
    posted,
    forgotten,
  };
}

test('retries when FCM is unreachable, and blames the setup for a forbidden address', async () => {
  assert.equal((await send({ kind: 'unreachable', reason: 'timeout' })).outcome, {
    kind: 'retry',
    reason: 'timeout',
    isUnreachable: true,
  });
  assert.equal((await send({ kind: 'rejected', reason: 'endpoint-address' })).outcome, {
    kind: 'misconfigured',
    reason: 'endpoint-address',
    scope: 'service',
  });
  const maySendNow = async () => false;
  const { outcome, posted } = await send({ kind: 'withdrawn' }, { maySendNow });
  assert.equal([outcome, posted[0]?.[3]], [{ kind: 'withdrawn' }, maySendNow]);
});

test('spreads retries without Retry-After', async () => {
  for (const [random, wait] of [
    [0, 60_000],
    [0.5, 90_000],
    [1, 120_000],
  ] as const) {
    const { outcome } = await send(createResponse(503), { random });
    assert.equal(outcome, { kind: 'retry', reason: 'status-503', after: NOW + wait });
  }
});

test('blames only the device for an error of its platform, and drops invalid codes', async () => {
  const createRejection = (status: number, code: unknown) =>
    createResponse(status, { error: { status: 'X', details: [{ errorCode: code }] } });
  assert.equal((await send(createRejection(401, 'THIRD_PARTY_AUTH_ERROR'))).outcome, {
    kind: 'misconfigured',
    reason: 'THIRD_PARTY_AUTH_ERROR',
    scope: 'device',
  });
  for (const code of ['two words', 'x'.repeat(65), 7, { a: 1 }])
    assert.equal((await send(createRejection(400, code))).outcome, {
      kind: 'failed',
      reason: 'status-400',
    });
  for (const body of ['', 'null', '[]', '{"error":null}', '<html>'])
    assert.equal((await send(createResponse(418, body))).outcome, {
      kind: 'failed',
      reason: 'status-418',
    });
});

test('forgets an access token only when it is rejected', async () => {
  assert.equal((await send(createResponse(401))).forgotten, ['granted']);
  for (const status of [200, 400, 429, 500])
    assert.equal((await send(createResponse(status))).forgotten, [], String(status));
});

async function requestToken(response: HttpsResponse, change: Partial<typeof account> = {}) {
  const { client, posted } = clientOf(response);
  const { get } = createGoogleToken({ ...account, ...change }, client, () => NOW);
  return { token: await get(), posted };
}

test('retries when the token server is unreachable, busy or broken', async () => {
  assert.equal((await requestToken({ kind: 'unreachable', reason: 'ETIMEDOUT' })).token, {
    kind: 'retry',
    reason: 'token-ETIMEDOUT',
    isUnreachable: true,
  });
  for (const status of [429, 500, 503])
    assert.equal((await requestToken(createResponse(status))).token, {
      kind: 'retry',
      reason: `token-status-${status}`,
    });
});

test('reports a rejected or unusable access token as misconfigured', async () => {
  assert.equal((await requestToken({ kind: 'rejected', reason: 'endpoint-address' })).token, {
    kind: 'misconfigured',
    reason: 'endpoint-address',
    scope: 'service',
  });
  const grant = { access_token: 'granted', expires_in: 3600 };
  assert.equal((await requestToken(createResponse(200, grant))).token, {
    kind: 'token',
    token: 'granted',
  });
  for (const [status, body] of [
    [400, grant],
    [404, grant],
    [200, 'null'],
    [200, '<html>'],
    [200, { access_token: 'granted' }],
    [200, { ...grant, expires_in: '3600' }],
    [200, { ...grant, access_token: '' }],
    [200, { ...grant, access_token: 'two words' }],
    [200, { ...grant, access_token: 'a\r\nHost: evil.example' }],
    [200, { ...grant, access_token: 7 }],
  ] as const)
    assert.equal(
      (await requestToken(createResponse(status, body))).token,
      { kind: 'misconfigured', reason: `token-status-${status}`, scope: 'service' },
      JSON.stringify(body),
    );
});

test.run();
