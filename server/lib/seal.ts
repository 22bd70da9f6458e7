/**
 * Sealed values (AES-256-GCM) that only this installation can read, for one purpose. Browsers keep
 * them, so servers need no shared table.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

export interface SealOptions {
  /** The server's `JWT_SECRET`. */
  secret: string;
  purpose: string;
}

/** NIST SP 800-38D recommends 12 bytes. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

const deriveSealKey = ({ secret, purpose }: SealOptions): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', `sealed\0${purpose}`, 32));

/** @returns base64url, which reveals only the length */
export function seal(value: unknown, sealing: SealOptions): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, deriveSealKey(sealing), nonce, {
    authTagLength: TAG_BYTES,
  });
  const ciphertext = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64url');
}

/** @returns undefined if it was not sealed so */
export function unseal(text: string, sealing: SealOptions): unknown {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined;
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, deriveSealKey(sealing), nonce, {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    const plaintext = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
    return JSON.parse(Buffer.concat(plaintext).toString());
  } catch {
    return undefined;
  }
}
