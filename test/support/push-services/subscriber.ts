/** The browser's half of a Web Push subscription. */
import { createECDH, randomBytes, type ECDH } from 'node:crypto';
import { decrypt } from 'http_ece';

export interface PushSubscriber {
  privateKey: ECDH;
  keys: { p256dh: string; auth: string };
  /** Decrypts with the web-push package instead of our code. Throws if decryption fails. */
  read(body: Buffer): unknown;
}

export function createPushSubscriber(): PushSubscriber {
  const privateKey = createECDH('prime256v1');
  const p256dh = privateKey.generateKeys('base64url');
  const auth = randomBytes(16).toString('base64url');
  return {
    privateKey,
    keys: { p256dh, auth },
    read: (body) =>
      JSON.parse(
        decrypt(body, { version: 'aes128gcm', privateKey, authSecret: auth }).toString('utf8'),
      ),
  };
}
