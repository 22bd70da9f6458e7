/** Encrypts a push (RFC 8291): ECDH on P-256, then one `aes128gcm` record (RFC 8188). */
import { createCipheriv, createECDH, hash, randomFillSync, type ECDH } from 'node:crypto';

/** A subscription's keys in base64url: an uncompressed P-256 point (65 bytes), 16 secret bytes. */
export interface SubscriptionKeys {
  p256dh: string;
  auth: string;
}

export interface Encryption {
  text: string;
  keys: SubscriptionKeys;
}

/** Concatenated bodies, to be transferred between threads as one. */
export interface PackedBodies {
  bytes: Uint8Array<ArrayBuffer>;
  /** Where each body ends. An empty body means that its encryption failed. */
  bodyEnds: number[];
}

const RECORD_SIZE = 4096;
const HEADER_SIZE = 16 + 4 + 1 + 65;
const PADDING_SIZE = 1;
const TAG_SIZE = 16;
/** Room for text within the 4,096 bytes that a push service must accept (RFC 8030, 7.2): 3,993. */
export const MAX_PLAINTEXT_BYTES = RECORD_SIZE - HEADER_SIZE - PADDING_SIZE - TAG_SIZE;

const KEY_INFO = Buffer.from('WebPush: info\0');
const CONTENT_KEY_INFO = Buffer.from('Content-Encoding: aes128gcm\0\x01');
const NONCE_INFO = Buffer.from('Content-Encoding: nonce\0\x01');
const FIRST_BLOCK = Buffer.from([1]);
/** The delimiter of the last record; padding may follow (RFC 8188, 2). */
const LAST_RECORD = Buffer.from([2]);

/** Encrypts each text. The body is empty if `keys.p256dh` is not a point on the curve. */
export function encryptAll(encryptions: readonly Encryption[]): PackedBodies {
  const cachedBodies = encryptions.map(({ text, keys }) => {
    try {
      return encrypt(Buffer.from(text), keys);
    } catch {
      return undefined;
    }
  });
  const bytes = new Uint8Array(cachedBodies.reduce((sum, body) => sum + (body?.length ?? 0), 0));
  let end = 0;
  const bodyEnds = cachedBodies.map((body) => {
    if (body !== undefined) bytes.set(body, end);
    end += body?.length ?? 0;
    return end;
  });
  return { bytes, bodyEnds };
}

/**
 * @param random fresh for each message; only a test passes the RFC's example
 * @returns the body for `Content-Encoding: aes128gcm`
 * @throws if `keys.p256dh` is not a point on the curve
 */
export function encrypt(
  plaintext: Uint8Array,
  keys: SubscriptionKeys,
  random = readFreshRandom(),
): Buffer {
  const browserKey = Buffer.from(keys.p256dh, 'base64url');
  const { salt, sender, senderKey } = random;

  // RFC 8291, 3.4: both public keys are part of the keying material, so no other pair works.
  const sharedSecret = hmac(Buffer.from(keys.auth, 'base64url'), sender.computeSecret(browserKey));
  const keyingMaterial = hmac(sharedSecret, KEY_INFO, browserKey, senderKey, FIRST_BLOCK);
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
  /** A key pair for this message only. */
  sender: ECDH;
  senderKey: Buffer;
}

/** Reused, because OpenSSL takes as long to set up the curve as to generate a key pair. */
const sender = createECDH('prime256v1');

const SALT_SIZE = 16;
/** Unused salts, generated in bulk in a tenth of the time. Salts are public. */
const salts = Buffer.alloc(256 * SALT_SIZE);
let nextSalt = salts.length;

function readFreshSalt(): Buffer {
  if (nextSalt === salts.length) {
    randomFillSync(salts);
    nextSalt = 0;
  }
  nextSalt += SALT_SIZE;
  return salts.subarray(nextSalt - SALT_SIZE, nextSalt);
}

/** The result is valid until the next call, which replaces the sender's key pair. */
function readFreshRandom(): Random {
  return { salt: readFreshSalt(), sender, senderKey: sender.generateKeys() };
}

/** SHA-256 sizes, and HMAC's buffers: the key's block and the data behind it. */
const BLOCK_SIZE = 64;
const HASH_SIZE = 32;
const innerBlocks = Buffer.alloc(BLOCK_SIZE + KEY_INFO.length + 2 * 65 + FIRST_BLOCK.length);
const outerBlocks = Buffer.alloc(BLOCK_SIZE + HASH_SIZE);

/** HMAC-SHA-256 (RFC 2104) in a fifth of the time of Node's `Hmac`. Parts: 145 bytes in total. */
function hmac(secret: Buffer, ...parts: Buffer[]): Buffer {
  const key = secret.length > BLOCK_SIZE ? hash('sha256', secret, 'buffer') : secret;
  innerBlocks.fill(0x36, 0, BLOCK_SIZE);
  outerBlocks.fill(0x5c, 0, BLOCK_SIZE);
  for (let index = 0; index < key.length; index += 1) {
    const byte = key[index] ?? 0;
    innerBlocks[index] = byte ^ 0x36;
    outerBlocks[index] = byte ^ 0x5c;
  }
  let end = BLOCK_SIZE;
  for (const part of parts) {
    innerBlocks.set(part, end);
    end += part.length;
  }
  outerBlocks.set(hash('sha256', innerBlocks.subarray(0, end), 'buffer'), BLOCK_SIZE);
  return hash('sha256', outerBlocks, 'buffer');
}
