import { createECDH, createPublicKey, verify } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import webPush from 'web-push';
import { encrypt, MAX_PLAINTEXT_BYTES } from '../../../../server/delivery/web-push/encryption';
import { createVapid } from '../../../../server/delivery/web-push/vapid';
import { createPushSubscriber } from '../../../support/push-services/subscriber';

test('encrypts the example of RFC 8291, appendix A, to the same bytes', () => {
  const sender = createECDH('prime256v1');
  sender.setPrivateKey('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw', 'base64url');
  const keys = {
    p256dh:
      'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  };
  const salt = Buffer.from('DGv6ra1nlYgDCS1FRnbzlw', 'base64url');
  const body = encrypt(Buffer.from('When I grow up, I want to be a watermelon'), keys, {
    salt,
    sender,
    senderKey: sender.getPublicKey(),
  });
  assert.is(
    body.toString('base64url'),
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  );
});

test('fills a body of exactly 4,096 bytes, which another implementation can read', () => {
  const { keys, read } = createPushSubscriber();
  const text = JSON.stringify(`${'ü'.repeat((MAX_PLAINTEXT_BYTES - 3) / 2)}x`);
  assert.is(Buffer.byteLength(text), MAX_PLAINTEXT_BYTES);
  const body = encrypt(Buffer.from(text), keys);
  assert.is(body.length, 4096);
  assert.is(JSON.stringify(read(body)), text);
});

test('never reuses a key or salt', () => {
  const { keys } = createPushSubscriber();
  const bodies = Array.from({ length: 600 }, () => encrypt(Buffer.from('same'), keys));
  assert.is(new Set(bodies.map((body) => body.subarray(0, 16).toString('hex'))).size, 600);
  assert.is(new Set(bodies.map((body) => body.subarray(21, 86).toString('hex'))).size, 600);
});

const vapidKeys = webPush.generateVAPIDKeys();
const subject = 'mailto:ops@example.com';

function readHeader(header: string): {
  claims: { aud: string; exp: number; sub: string };
  genuine: boolean;
} {
  const [, head = '', claims = '', signature = '', key = ''] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(header) ?? [];
  const point = Buffer.from(key, 'base64url');
  const [x, y] = [
    point.subarray(1, 33).toString('base64url'),
    point.subarray(33).toString('base64url'),
  ];
  const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } });
  const signed = Buffer.from(`${head}.${claims}`);
  return {
    claims: JSON.parse(Buffer.from(claims, 'base64url').toString()),
    genuine: verify(
      'sha256',
      signed,
      { key: publicKey, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    ),
  };
}

test('signs its authorization for one origin, for at most a day', () => {
  const { claims, genuine } = readHeader(createVapid(vapidKeys, subject)('https://push.example'));
  assert.ok(genuine);
  assert.is(claims.aud, 'https://push.example');
  assert.is(claims.sub, subject);
  assert.ok(claims.exp > Date.now() / 1000 && claims.exp < Date.now() / 1000 + 24 * 3600);
});

test('caches an authorization per origin and renews it before it expires', () => {
  let clock = Date.now();
  const authorize = createVapid(vapidKeys, subject, () => clock);
  const first = authorize('https://push.example');
  assert.is.not(authorize('https://other.example'), first);
  clock += 10 * 3600_000;
  assert.is(authorize('https://push.example'), first);
  clock += 1.5 * 3600_000;
  const renewed = authorize('https://push.example');
  assert.is.not(renewed, first);
  assert.ok(readHeader(renewed).claims.exp * 1000 > clock);
});

test.run();
