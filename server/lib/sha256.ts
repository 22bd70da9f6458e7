import { createHash } from 'node:crypto';

/** SHA-256 in base64url, for values to be found but not read, or too long for an index. */
export const sha256 = (text: string): string =>
  createHash('sha256').update(text).digest('base64url');
