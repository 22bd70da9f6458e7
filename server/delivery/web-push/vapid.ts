/** VAPID (RFC 8292): tells push services who sends, by a signed token per origin. */
import { createPrivateKey, sign, createECDH } from 'node:crypto';
import type { Database } from '../../db/open';
import { readOrCreateSetting, readSetting } from '../../db/settings';
import { jwtSigningInput } from '../jwt';
import { HOUR_MS } from '../../lib/durations';

/** A P-256 key pair in base64url: the uncompressed point (65 bytes) and the scalar (32 bytes). */
export interface VapidKeys {
  publicKey: string;
  privateKey: string;
}

/** RFC 8292, 2 allows 24 hours; half of it leaves room for wrong clocks. */
const TOKEN_LIFETIME_MS = 12 * HOUR_MS;
const RENEW_BEFORE_MS = HOUR_MS;
/** Clients name origins, so the cache is cleared beyond this. */
const MAX_CACHED_TOKENS = 1000;

/**
 * Creates a function that returns the Authorization header for an origin. Headers are cached until an
 * hour before expiry, because signing costs as much as encrypting.
 * @param subject the operator's `mailto:` or `https:` address
 */
export function createVapid(
  keys: VapidKeys,
  subject: string,
  now: () => number = Date.now,
): (origin: string) => string {
  const point = Buffer.from(keys.publicKey, 'base64url');
  const key = createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      d: keys.privateKey,
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33, 65).toString('base64url'),
    },
  });
  const headers = new Map<string, { header: string; expiresAt: number }>();

  return (origin) => {
    const cachedHeader = headers.get(origin);
    if (cachedHeader && cachedHeader.expiresAt - RENEW_BEFORE_MS > now())
      return cachedHeader.header;

    const expiresAt = now() + TOKEN_LIFETIME_MS;
    const claims = { aud: origin, exp: Math.floor(expiresAt / 1000), sub: subject };
    const signingInput = jwtSigningInput({ typ: 'JWT', alg: 'ES256' }, claims);
    const signature = sign('sha256', Buffer.from(signingInput), {
      key,
      dsaEncoding: 'ieee-p1363',
    }).toString('base64url');
    const header = `vapid t=${signingInput}.${signature}, k=${keys.publicKey}`;
    if (headers.size >= MAX_CACHED_TOKENS) headers.clear();
    headers.set(origin, { header, expiresAt });
    return header;
  };
}

/**
 * The installation's key pair, created on first use; of concurrent processes the first wins. Changing
 * it would invalidate every subscription (RFC 8292, 4).
 */
export async function loadVapidKeys(db: Database): Promise<VapidKeys> {
  const storedKeys = await readSetting('vapid', db);
  const keys =
    storedKeys ?? (await readOrCreateSetting('vapid', JSON.stringify(createVapidKeys()), db));
  return JSON.parse(keys) as VapidKeys;
}

function createVapidKeys(): VapidKeys {
  const keyPair = createECDH('prime256v1');
  const publicKey = keyPair.generateKeys('base64url');
  // A JWK's `d` has 32 bytes (RFC 7518, 6.2.2.1), so leading zeros are restored.
  const scalar = Buffer.concat([Buffer.alloc(32), keyPair.getPrivateKey()]).subarray(-32);
  return { publicKey, privateKey: scalar.toString('base64url') };
}
