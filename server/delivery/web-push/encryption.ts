/**
 * Encrypts a push message as RFC 8291 demands: a key agreed on with the browser's own key (ECDH on
 * P-256), then one record of the content coding `aes128gcm` (RFC 8188).
 */
import { createCipheriv, createECDH, createHmac, randomBytes, type ECDH } from 'node:crypto';

/**
 * The keys of a Web Push subscription, both base64url: an uncompressed P-256 point (65 bytes) and a
 * 16 byte secret.
 */
export interface SubscriptionKeys {
  p256dh: string;
  auth: string;
}

/** A text to encrypt, and the browser's keys. */
export interface Encryption {
  plaintext: Uint8Array;
  keys: SubscriptionKeys;
}

const RECORD_SIZE = 4096;
const HEADER_SIZE = 16 + 4 + 1 + 65;
const PADDING_SIZE = 1;
const TAG_SIZE = 16;
/**
 * A push service need not take a body above 4,096 bytes (RFC 8030, 7.2); this is what it leaves for
 * the text: 3,993.
 */
export const MAX_PLAINTEXT = RECORD_SIZE - HEADER_SIZE - PADDING_SIZE - TAG_SIZE;

const KEY_INFO = Buffer.from('WebPush: info\0');
const CONTENT_KEY_INFO = Buffer.from('Content-Encoding: aes128gcm\0\x01');
const NONCE_INFO = Buffer.from('Content-Encoding: nonce\0\x01');
const ONE = Buffer.from([1]);
/** Ends the text of the last record; what would follow it is padding (RFC 8188, 2). */
const LAST_RECORD = Buffer.from([2]);

/** The body for each, or undefined where `keys.p256dh` is no point of the curve. */
export function encryptAll(encryptions: readonly Encryption[]): (Buffer | undefined)[] {
  return encryptions.map(({ plaintext, keys }) => {
    try {
      return encrypt(plaintext, keys);
    } catch {
      return undefined;
    }
  });
}

/**
 * @param random what the RFC wants fresh for every message; given only by the test that repeats the
 * RFC's example
 * @returns the request body, to be sent with `Content-Encoding: aes128gcm`
 * @throws if `keys.p256dh` is no point of the curve
 */
export function encrypt(
  plaintext: Uint8Array,
  keys: SubscriptionKeys,
  random = freshRandom(),
): Buffer {
  const browserKey = Buffer.from(keys.p256dh, 'base64url');
  const { salt, sender, senderKey } = random;

  // RFC 8291, 3.4: both public keys go into the input keying material, so that no other pair can be
  // passed off.
  const shared = hmac(Buffer.from(keys.auth, 'base64url'), sender.computeSecret(browserKey));
  const keyingMaterial = hmac(shared, KEY_INFO, browserKey, senderKey, ONE);
  // RFC 8188, 2.2 and 2.3.
  const pseudoRandomKey = hmac(salt, keyingMaterial);
  const contentKey = hmac(pseudoRandomKey, CONTENT_KEY_INFO).subarray(0, 16);
  const nonce = hmac(pseudoRandomKey, NONCE_INFO).subarray(0, 12);

  const header = Buffer.alloc(HEADER_SIZE);
  salt.copy(header, 0);
  header.writeUInt32BE(RECORD_SIZE, 16);
  header.writeUInt8(senderKey.length, 20);
  senderKey.copy(header, 21);

  const cipher = createCipheriv('aes-128-gcm', contentKey, nonce);
  return Buffer.concat([
    header,
    cipher.update(plaintext),
    cipher.update(LAST_RECORD),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
}

interface Random {
  salt: Buffer;
  /** A key pair used for this message only. */
  sender: ECDH;
  /** Its public half. */
  senderKey: Buffer;
}

/**
 * Holds one key pair at a time. Made once, because OpenSSL sets up the curve anew for each, which
 * takes as long as a key pair.
 */
const sender = createECDH('prime256v1');

/** To be used before the next call, which replaces the sender's key pair. */
function freshRandom(): Random {
  return { salt: randomBytes(16), sender, senderKey: sender.generateKeys() };
}

function hmac(key: Buffer, ...parts: Buffer[]): Buffer {
  const hash = createHmac('sha256', key);
  for (const part of parts) hash.update(part);
  return hash.digest();
}
