import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createAddressGuard } from '../../../../server/delivery/https/address-guard';
import { createFcm } from '../../../../server/delivery/fcm/fcm';
import { createGoogleToken } from '../../../../server/delivery/fcm/google-token';
import { createHttpsClient, type HttpsClient } from '../../../../server/delivery/https/client';
import type { PushOutcome, OutgoingPush } from '../../../../server/delivery/transport';
import {
  startPushSink,
  type PushSink,
  type SinkReply,
} from '../../../support/push-services/push-sink';
import { redirectHosts } from '../../../support/network/redirect-hosts.mjs';
import { localCertificate, trust } from '../../../support/network/tls';

const test = suite('delivery over FCM');

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const account = {
  project_id: 'demo',
  client_email: 'sender@demo.iam.gserviceaccount.com',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  token_uri: 'https://oauth2.googleapis.com/token',
};
const SEND_PATH = '/v1/projects/demo/messages:send';
const START_TIME = Date.parse('2026-11-21T09:30:00Z');
const data = {
  title: 'Outages',
  body: 'Line 4',
  topicId: '7',
  messageId: 'm1',
  link: '/subscriptions',
  sentAt: new Date(START_TIME).toISOString(),
};

let clock: number;
let google: PushSink;
let client: HttpsClient;
let undo: (() => void)[];

const json =
  (code: number, body: unknown, headers: Record<string, string> = {}): SinkReply =>
  (response) =>
    response
      .writeHead(code, { 'Content-Type': 'application/json', ...headers })
      .end(JSON.stringify(body));
const rejection = (code: number, status: string, details: object[] = []) =>
  json(code, { error: { code, status, message: 'prose', details } });

test.before.each(async () => {
  clock = START_TIME;
  google = await startPushSink();
  undo = [
    trust(localCertificate()),
    redirectHosts({ 'fcm.googleapis.com': google.port, 'oauth2.googleapis.com': google.port }),
  ];
  client = createHttpsClient(createAddressGuard([]));
  google.replies.set(
    '/token',
    json(200, { access_token: 'granted-1', expires_in: 3600, token_type: 'Bearer' }),
  );
  google.replies.set(SEND_PATH, json(200, { name: 'projects/demo/messages/1' }));
});
test.after.each(async () => {
  client.close();
  await google.close();
  for (const step of undo) step();
});

function createFcmSend(
  change: Partial<typeof account> = {},
): (push?: Partial<OutgoingPush>) => Promise<PushOutcome> {
  const accessToken = createGoogleToken({ ...account, ...change }, client, () => clock);
  const send = createFcm({
    client,
    projectId: 'demo',
    accessToken,
    now: () => clock,
    random: () => 0,
  });
  return (push) => send({ token: 'device-token', data, expiresAt: START_TIME + 3600_000, ...push });
}
const requestsTo = (path: string) =>
  google.receivedPushes.filter((request) => request.path === path);

test('sends a data message for one device, with TTL and urgency for browsers', async () => {
  assert.equal(await createFcmSend()(), { kind: 'accepted' });
  const [request] = requestsTo(SEND_PATH);
  assert.is(request!.headers.authorization, 'Bearer granted-1');
  assert.equal(JSON.parse(request!.body.toString()), {
    message: {
      token: 'device-token',
      data,
      android: { priority: 'high' },
      webpush: { headers: { TTL: '3600', Urgency: 'high' } },
    },
  });
});

test('addresses a device by its Firebase installation ID', async () => {
  await createFcmSend()({ token: 'fid:cLocalInstallationId00' });
  const { message } = JSON.parse(requestsTo(SEND_PATH)[0]!.body.toString());
  assert.is(message.fid, 'cLocalInstallationId00');
  assert.not('token' in message);
});

test('lets only an info message wait until the phone wakes up', async () => {
  const send = createFcmSend();
  for (const priority of ['info', 'normal', 'urgent'] as const)
    await send({ data: { ...data, priority } });
  assert.equal(
    requestsTo(SEND_PATH).map(({ body }) => {
      const { android, webpush } = JSON.parse(body.toString()).message;
      return [android.priority, webpush.headers.Urgency];
    }),
    [
      ['normal', 'normal'],
      ['high', 'high'],
      ['high', 'high'],
    ],
  );
});

test('never sends a TTL of 0, which would discard the message', async () => {
  await createFcmSend()({ expiresAt: START_TIME });
  const { webpush } = JSON.parse(requestsTo(SEND_PATH)[0]!.body.toString()).message;
  assert.is(webpush.headers.TTL, '1');
});

test('requests an access token with a JWT signed by the service account for an hour', async () => {
  await createFcmSend()();
  const form = new URLSearchParams(requestsTo('/token')[0]!.body.toString());
  assert.is(form.get('grant_type'), 'urn:ietf:params:oauth:grant-type:jwt-bearer');
  const [head = '', claims = '', signature = ''] = form.get('assertion')!.split('.');
  assert.ok(
    verify(
      'sha256',
      Buffer.from(`${head}.${claims}`),
      createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })),
      Buffer.from(signature, 'base64url'),
    ),
  );
  assert.equal(JSON.parse(Buffer.from(claims, 'base64url').toString()), {
    scope: 'https://www.googleapis.com/auth/firebase.messaging',
    iss: account.client_email,
    aud: account.token_uri,
    iat: START_TIME / 1000,
    exp: START_TIME / 1000 + 3600,
  });
});

test('shares one token between parallel sends, and renews it before it expires', async () => {
  const send = createFcmSend();
  await Promise.all(Array.from({ length: 20 }, () => send()));
  assert.is(requestsTo('/token').length, 1);
  clock += 54 * 60_000;
  await send();
  assert.is(requestsTo('/token').length, 1);
  clock += 2 * 60_000;
  await send();
  assert.is(requestsTo('/token').length, 2);
});

test('cuts a long text to the limit of FCM', async () => {
  await createFcmSend()({ data: { ...data, body: 'ü'.repeat(5000) } });
  const sent = JSON.parse(requestsTo(SEND_PATH)[0]!.body.toString()).message.data as typeof data;
  assert.ok(Buffer.byteLength(JSON.stringify(sent)) <= 3072);
  assert.match(sent.body, /ü…$/);
});

const fcmError = (errorCode: string) => ({
  '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError',
  errorCode,
});
const badField = (field: string) => ({
  '@type': 'type.googleapis.com/google.rpc.BadRequest',
  fieldViolations: [{ field, description: 'prose' }],
});
const outcomes: [string, SinkReply, PushOutcome][] = [
  [
    'removes the device on UNREGISTERED',
    rejection(404, 'NOT_FOUND', [fcmError('UNREGISTERED')]),
    { kind: 'gone', reason: 'UNREGISTERED' },
  ],
  [
    'removes the device on INVALID_ARGUMENT about the token',
    rejection(400, 'INVALID_ARGUMENT', [fcmError('INVALID_ARGUMENT'), badField('message.token')]),
    { kind: 'gone', reason: 'INVALID_ARGUMENT' },
  ],
  [
    'keeps the device on INVALID_ARGUMENT about anything else',
    rejection(400, 'INVALID_ARGUMENT', [fcmError('INVALID_ARGUMENT'), badField('message.data')]),
    { kind: 'failed', reason: 'INVALID_ARGUMENT' },
  ],
  [
    'waits at least a minute on 429',
    rejection(429, 'RESOURCE_EXHAUSTED', [fcmError('QUOTA_EXCEEDED')]),
    { kind: 'retry', reason: 'QUOTA_EXCEEDED', after: START_TIME + 60_000, isBusy: true },
  ],
  [
    'waits as long as Retry-After on 503',
    json(503, { error: { status: 'UNAVAILABLE' } }, { 'Retry-After': '90' }),
    { kind: 'retry', reason: 'UNAVAILABLE', after: START_TIME + 90_000 },
  ],
  [
    'retries on 500 with an HTML page',
    json(500, '<html>'),
    { kind: 'retry', reason: 'status-500', after: START_TIME + 60_000 },
  ],
  [
    'pauses FCM on 401, for our credentials',
    rejection(401, 'UNAUTHENTICATED'),
    { kind: 'misconfigured', reason: 'UNAUTHENTICATED', scope: 'service' },
  ],
  [
    'pauses FCM on 403, for our permissions',
    rejection(403, 'PERMISSION_DENIED'),
    { kind: 'misconfigured', reason: 'PERMISSION_DENIED', scope: 'service' },
  ],
  [
    'pauses FCM on 404 for the project, and deletes no device',
    rejection(404, 'NOT_FOUND'),
    { kind: 'misconfigured', reason: 'NOT_FOUND', scope: 'service' },
  ],
  [
    'blames only the device for a token of another sender',
    rejection(403, 'PERMISSION_DENIED', [fcmError('SENDER_ID_MISMATCH')]),
    { kind: 'misconfigured', reason: 'SENDER_ID_MISMATCH', scope: 'device' },
  ],
];
for (const [name, reply, outcome] of outcomes) {
  test(name, async () => {
    google.replies.set(SEND_PATH, reply);
    assert.equal(await createFcmSend()(), outcome);
  });
}

test('reports an invalid private key as misconfigured', async () => {
  assert.equal(await createFcmSend({ private_key: 'nonsense' })(), {
    kind: 'misconfigured',
    reason: 'service-account-key',
    scope: 'service',
  });
});

test.run();
