/** Google's access token for a service account (RFC 7523: a signed JWT as grant). */
import { createPrivateKey, sign } from 'node:crypto';
import type { ServiceAccount } from '../../config/service-account';
import type { HttpsClient } from '../https/client';
import { jwtSigningInput } from '../jwt';
import type { PushOutcome } from '../transport';

type AccessToken =
  | { kind: 'token'; token: string }
  | Extract<PushOutcome, { kind: 'misconfigured' | 'retry' }>;

const MESSAGING_SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const JWT_GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const RENEW_BEFORE_MS = 5 * 60_000;
const MAX_TOKEN_SECONDS = 24 * 3600;

export interface GoogleToken {
  get(): Promise<AccessToken>;
  /** Drops the token that Google rejected, unless it was already replaced. */
  forget(token: string): void;
}

/** Caches a token until five minutes before it expires. Concurrent callers share one request. */
export function createGoogleToken(
  account: ServiceAccount,
  client: HttpsClient,
  now: () => number,
): GoogleToken {
  let cachedToken: { token: string; expiresAt: number } | undefined;
  let pendingToken: Promise<AccessToken> | undefined;

  async function fetchToken(): Promise<AccessToken> {
    const assertion = signAssertion(account, now());
    if (!assertion)
      return { kind: 'misconfigured', reason: 'service-account-key', scope: 'service' };
    const form = new URLSearchParams({ grant_type: JWT_GRANT_TYPE, assertion });
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const response = await client.post(
      new URL(account.token_uri),
      headers,
      Buffer.from(form.toString()),
    );

    if (response.kind === 'rejected')
      return { kind: 'misconfigured', reason: response.reason, scope: 'service' };
    if (response.kind !== 'responded')
      return {
        kind: 'retry',
        reason: response.kind === 'unreachable' ? `token-${response.reason}` : 'token',
        isUnreachable: true,
      };
    const reason = `token-status-${response.status}`;
    if (response.status === 429 || response.status >= 500) return { kind: 'retry', reason };
    const grant = response.status === 200 ? readGrant(response.body) : undefined;
    if (!grant) return { kind: 'misconfigured', reason, scope: 'service' };
    cachedToken = { token: grant.token, expiresAt: now() + grant.seconds * 1000 };
    return { kind: 'token', token: grant.token };
  }

  return {
    get() {
      if (cachedToken && cachedToken.expiresAt - RENEW_BEFORE_MS > now())
        return Promise.resolve({ kind: 'token', token: cachedToken.token });
      pendingToken ??= fetchToken().finally(() => (pendingToken = undefined));
      return pendingToken;
    },
    forget(token) {
      if (cachedToken?.token === token) cachedToken = undefined;
    },
  };
}

/** Synchronous, a millisecond an hour: a thread would queue behind password hashes. */
function signAssertion(account: ServiceAccount, now: number): string | undefined {
  const seconds = Math.floor(now / 1000);
  const claims = {
    iss: account.client_email,
    aud: account.token_uri,
    scope: MESSAGING_SCOPE,
    iat: seconds,
    exp: seconds + 3600,
  };
  const signingInput = jwtSigningInput({ alg: 'RS256', typ: 'JWT' }, claims);
  try {
    const key = createPrivateKey(account.private_key);
    // Other key types sign too, but not as RS256.
    return key.asymmetricKeyType === 'rsa'
      ? `${signingInput}.${sign('sha256', Buffer.from(signingInput), key).toString('base64url')}`
      : undefined;
  } catch {
    return undefined;
  }
}

function readGrant(body: string): { token: string; seconds: number } | undefined {
  try {
    const { access_token: token, expires_in: seconds } = JSON.parse(body) as Record<
      string,
      unknown
    >;
    // The token becomes a header, and must expire.
    const isUsable =
      typeof token === 'string' && /^[\x21-\x7e]+$/.test(token) && typeof seconds === 'number';
    return isUsable ? { token, seconds: Math.min(seconds, MAX_TOKEN_SECONDS) } : undefined;
  } catch {
    return undefined;
  }
}
