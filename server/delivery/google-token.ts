/** The access token with which Google's interfaces let a service account in (RFC 7523: a signed JWT as the grant). */
import { importPKCS8, SignJWT } from 'jose';
import type { ServiceAccount } from '../service-account';
import type { HttpsClient } from './https-client';
import type { Outcome } from './outcome';

export type AccessToken = { is: 'token'; token: string } | Extract<Outcome, { is: 'misconfigured' | 'retry' }>;

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const RENEW_BEFORE = 5 * 60_000;

export interface GoogleToken {
  get(): Promise<AccessToken>;
  /** Throws the kept token away, if it is still the given one: Google refused it. */
  forget(token: string): void;
}

/** Keeps one token until five minutes before it expires; while one is being fetched, everyone waits for that one. */
export function createGoogleToken(account: ServiceAccount, client: HttpsClient, now: () => number): GoogleToken {
  let kept: { token: string; expiresAt: number } | undefined;
  let fetching: Promise<AccessToken> | undefined;

  async function fetchToken(): Promise<AccessToken> {
    const assertion = await signAssertion(account, now());
    if (!assertion) return { is: 'misconfigured', reason: 'service-account-key', scope: 'service' };
    const form = new URLSearchParams({ grant_type: GRANT, assertion });
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const answer = await client.post(new URL(account.token_uri), headers, Buffer.from(form.toString()));

    if (answer.is === 'refused') return { is: 'misconfigured', reason: answer.reason, scope: 'service' };
    if (answer.is === 'unreachable') return { is: 'retry', reason: `token-${answer.reason}` };
    const reason = `token-status-${answer.status}`;
    if (answer.status === 429 || answer.status >= 500) return { is: 'retry', reason };
    const granted = answer.status === 200 ? readGrant(answer.body) : undefined;
    if (!granted) return { is: 'misconfigured', reason, scope: 'service' };
    kept = { token: granted.token, expiresAt: now() + granted.seconds * 1000 };
    return { is: 'token', token: granted.token };
  }

  return {
    get() {
      if (kept && kept.expiresAt - RENEW_BEFORE > now()) return Promise.resolve({ is: 'token', token: kept.token });
      fetching ??= fetchToken().finally(() => (fetching = undefined));
      return fetching;
    },
    forget(token) {
      if (kept?.token === token) kept = undefined;
    },
  };
}

async function signAssertion(account: ServiceAccount, now: number): Promise<string | undefined> {
  const seconds = Math.floor(now / 1000);
  try {
    return await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(account.client_email)
      .setAudience(account.token_uri)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + 3600)
      .sign(await importPKCS8(account.private_key, 'RS256'));
  } catch {
    return undefined;
  }
}

function readGrant(body: string): { token: string; seconds: number } | undefined {
  try {
    const { access_token: token, expires_in: seconds } = JSON.parse(body) as Record<string, unknown>;
    return typeof token === 'string' && typeof seconds === 'number' ? { token, seconds } : undefined;
  } catch {
    return undefined;
  }
}
