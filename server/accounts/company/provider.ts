/**
 * The company's OpenID Connect provider, by `openid-client`, which is loaded when somebody first
 * signs in so.
 */
import type { Configuration } from 'openid-client';
import { isLoopback } from '../../config/formats';
import type { Oidc } from '../../config/config';
import type { Services } from '../../services';
import { ProviderDown, fetchLimited } from './fetching';

/** What the browser keeps while it is at the provider, and brings back. */
export interface Flow {
  state: string;
  nonce: string;
  /** RFC 7636: without it nobody can use the code. */
  verifier: string;
}

/** Who it is, as the provider says. */
export interface Identity {
  issuer: string;
  subject: string;
  email: string | undefined;
  /** Whether the provider made sure that the address is theirs. */
  isVerified: boolean;
}

export interface Provider {
  /** Where the browser is sent. @throws ProviderDown */
  begin(): Promise<{ address: URL; flow: Flow }>;
  /**
   * @param returned the address that the provider sent the browser to
   * @throws ProviderDown; anything else is a refusal
   */
  finish(returned: URL, flow: Flow): Promise<Identity>;
}

/** The provider's metadata counts for so long; while it cannot be had anew, what was known does. */
const FRESH_MILLISECONDS = 60 * 60_000;
/** How far the provider's clock may be from ours, in seconds: a minute, and what an answer takes. */
const CLOCK_TOLERANCE = 90;
/** By so much the system's clock may move against ours (`lib/clock.ts`) until all is asked anew. */
const CLOCK_DRIFT = 30;
const SCOPE = 'openid email';

type Library = typeof import('openid-client');

export function createProvider(oidc: Oidc, callbackUrl: () => string, { now }: Services): Provider {
  let known: { configuration: Configuration; until: number; skew: number } | undefined;
  let discovering: Promise<Configuration> | undefined;

  /** How far ours is ahead of the system's, by which the library goes; in seconds. */
  const readSkew = (): number => Math.round((now() - Date.now()) / 1000);

  async function discover(client: Library): Promise<Configuration> {
    const skew = readSkew();
    const metadata = {
      client_secret: oidc.clientSecret,
      [client.clockTolerance]: CLOCK_TOLERANCE,
      [client.clockSkew]: skew,
    };
    const issuer = new URL(oidc.issuer);
    const configuration = await client.discovery(issuer, oidc.clientId, metadata, undefined, {
      [client.customFetch]: fetchLimited as never,
      // The signature of an ID token is looked at, although it comes from the provider itself.
      execute: [
        client.enableNonRepudiationChecks,
        ...(isLoopback(issuer.hostname) ? [client.allowInsecureRequests] : []),
      ],
    });
    known = { configuration, until: now() + FRESH_MILLISECONDS, skew };
    return configuration;
  }

  /** Asked for once, however many sign in at that moment. */
  async function configure(client: Library): Promise<Configuration> {
    // After a jump of the system's clock nothing that was judged by it counts, its keys' age least.
    const isSteady = known !== undefined && Math.abs(known.skew - readSkew()) <= CLOCK_DRIFT;
    if (known !== undefined && isSteady && known.until > now()) return known.configuration;
    discovering ??= discover(client).finally(() => (discovering = undefined));
    try {
      return await discovering;
    } catch (error) {
      if (known === undefined) throw error;
      return known.configuration;
    }
  }

  return {
    async begin() {
      const client = await import('openid-client');
      const configuration = await configure(client);
      const flow: Flow = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const address = client.buildAuthorizationUrl(configuration, {
        redirect_uri: callbackUrl(),
        scope: SCOPE,
        code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
        state: flow.state,
        nonce: flow.nonce,
      });
      return { address, flow };
    },
    async finish(returned, { state, nonce, verifier }) {
      const client = await import('openid-client');
      const configuration = await configure(client);
      const tokens = await client.authorizationCodeGrant(configuration, returned, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new Error('There is no ID token.');
      const { iss: issuer, sub: subject } = claims;
      // Providers that keep to the standard name the address only where they are asked for it.
      const said =
        claims.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
          ? await client.fetchUserInfo(configuration, tokens.access_token, subject)
          : claims;
      return {
        issuer,
        subject,
        email: typeof said.email === 'string' ? said.email : undefined,
        // Some never say it. One that says no means it.
        isVerified:
          said.email_verified === true || (oidc.trustEmail && said.email_verified === undefined),
      };
    },
  };
}

/** The provider's trouble, however deep the library put it; undefined where it is something else. */
export function downOf(error: unknown): ProviderDown | undefined {
  for (let one = error; one instanceof Error; one = one.cause)
    if (one instanceof ProviderDown) return one;
  return undefined;
}
