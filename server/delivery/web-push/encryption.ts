/**
 * Encrypts a push message as RFC 8291 demands: a key agreed on with the browser's own key (ECDH on
 * P-256), then one record of the content coding `aes128gcm` (RFC 8188).
 */
import { createCipheriv, createECDH, hash, randomFillSync, type ECDH } from 'node:crypto';

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
  text: string;
  keys: SubscriptionKeys;
}

/** Many bodies behind one another: handed from thread to thread they are one thing, not many. */
export interface Bodies {
  bytes: Uint8Array<ArrayBuffer>;
  /** Where each of them ends. One that ends where it begins is none. */
  ends: number[];
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

/** The body of each; none where `keys.p256dh` is no point of the curve. */
export function encryptAll(encryptions: readonly Encryption[]): Bodies {
  const found = encryptions.map(({ text, keys }) => {
    try {
      return encrypt(Buffer.from(text), keys);
    } catch {
      return undefined;
    }
  });
  const bytes = new Uint8Array(found.reduce((sum, body) => sum + (body?.length ?? 0), 0));
  let end = 0;
  const ends = found.map((body) => {
    if (body !== undefined) bytes.set(body, end);
    end += body?.length ?? 0;
    return end;
  });
  return { bytes, ends };
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
  const record = cipher.update(Buffer.concat([plaintext, LAST_RECORD]));
  cipher.final();
  return Buffer.concat([header, record, cipher.getAuthTag()]);
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

const SALT_SIZE = 16;
/**
 * Salts that are still to be used, each once: asking for many at a time takes a tenth of the time.
 * They are no secret; every body begins with one.
 */
const salts = Buffer.alloc(256 * SALT_SIZE);
let nextSalt = salts.length;

function freshSalt(): Buffer {
  if (nextSalt === salts.length) {
    randomFillSync(salts);
    nextSalt = 0;
  }
  nextSalt += SALT_SIZE;
  return salts.subarray(nextSalt - SALT_SIZE, nextSalt);
}

/** To be used before the next call, which replaces the sender's key pair. */
function freshRandom(): Random {
  return { salt: freshSalt(), sender, senderKey: sender.generateKeys() };
}

/** Of SHA-256, and of what its HMAC hashes: the key's block, and what comes behind it. */
const BLOCK_SIZE = 64;
const HASH_SIZE = 32;
const inner = Buffer.alloc(BLOCK_SIZE + KEY_INFO.length + 2 * 65 + ONE.length);
const outer = Buffer.alloc(BLOCK_SIZE + HASH_SIZE);

/**
 * HMAC-SHA-256 (RFC 2104) of two hashes in one go, a fifth of what Node's own `Hmac` takes, which
 * makes an object for each. The parts are 145 bytes together at most.
 */
function hmac(secret: Buffer, ...parts: Buffer[]): Buffer {
  const key = secret.length > BLOCK_SIZE ? hash('sha256', secret, 'buffer') : secret;
  inner.fill(0x36, 0, BLOCK_SIZE);
  outer.fill(0x5c, 0, BLOCK_SIZE);
  for (let index = 0; index < key.length; index += 1) {
    const byte = key[index] ?? 0;
    inner[index] = byte ^ 0x36;
    outer[index] = byte ^ 0x5c;
  }
  let end = BLOCK_SIZE;
  for (const part of parts) {
    inner.set(part, end);
    end += part.length;
  }
  outer.set(hash('sha256', inner.subarray(0, end), 'buffer'), BLOCK_SIZE);
  return hash('sha256', outer, 'buffer');
}
