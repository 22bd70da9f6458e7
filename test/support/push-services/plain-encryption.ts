/** RFC 8291 step by step with Node's own functions: our encryption must equal it byte for byte. */
import { createCipheriv, createECDH, createHmac, randomBytes, type ECDH } from 'node:crypto';
import type { SubscriptionKeys } from '../../../server/delivery/web-push/encryption';

const curve = createECDH('prime256v1');

/** @param random as that of `encrypt` in `server/delivery/web-push/encryption.ts` */
export function encryptPlainly(
  plaintext: Uint8Array,
  keys: SubscriptionKeys,
  random: { salt: Buffer; sender: ECDH; senderKey: Buffer } = {
    salt: randomBytes(16),
    sender: curve,
    senderKey: curve.generateKeys(),
  },
): Buffer {
  const browserKey = Buffer.from(keys.p256dh, 'base64url');
  const { salt, sender, senderKey } = random;
  const secret = sender.computeSecret(browserKey);
  const shared = hmac(Buffer.from(keys.auth, 'base64url'), secret);
  const info = Buffer.from('WebPush: info\0');
  const keyingMaterial = hmac(shared, info, browserKey, senderKey, Buffer.from([1]));
  const pseudoRandomKey = hmac(salt, keyingMaterial);
  const contentKey = hmac(pseudoRandomKey, Buffer.from('Content-Encoding: aes128gcm\0\x01'));
  const nonce = hmac(pseudoRandomKey, Buffer.from('Content-Encoding: nonce\0\x01'));
  const header = Buffer.alloc(86);
  salt.copy(header, 0);
  header.writeUInt32BE(4096, 16);
  header.writeUInt8(senderKey.length, 20);
  senderKey.copy(header, 21);
  const cipher = createCipheriv('aes-128-gcm', contentKey.subarray(0, 16), nonce.subarray(0, 12));
  return Buffer.concat([
    header,
    cipher.update(plaintext),
    cipher.update(Buffer.from([2])),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
}

function hmac(key: Buffer, ...parts: Buffer[]): Buffer {
  const hash = createHmac('sha256', key);
  for (const part of parts) hash.update(part);
  return hash.digest();
}
