import { createHash } from 'node:crypto';

/**
 * SHA-256 as base64url: for values that must be found again but not read, and for values too long
 * for an index.
 */
export const sha256 = (text: string): string =>
  createHash('sha256').update(text).digest('base64url');
