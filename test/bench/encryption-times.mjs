/**
 * Notes when a process encrypts a push, by Node's own cipher. For a server, which prints it:
 * `ENCRYPTION_TIMES=yes node --import …/encryption-times.mjs main.js`
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/** @param {(time: number) => void} note with milliseconds since 1970 */
export function noteEncryptions(note) {
  const original = crypto.createCipheriv;
  crypto.createCipheriv = /** @type {typeof original} */ (
    function createCipheriv(/** @type {Parameters<typeof original>} */ ...cipherArguments) {
      if (cipherArguments[0] === 'aes-128-gcm') note(Date.now());
      return original(...cipherArguments);
    }
  );
  syncBuiltinESMExports();
}

if (process.env.ENCRYPTION_TIMES) noteEncryptions((time) => console.error(`encrypted at ${time}`));
