/** The company's OpenID Connect provider. `openid-client` is loaded at the first sign-in. */
import type { Configuration } from 'openid-client';
import { isLoopback } from '../../config/formats';
import type { OidcSettings } from '../../config/config';
import type { Services } from '../../services';
import { ProviderDownError, fetchLimited } from './limited-fetch';

export interface SignInFlow {
  state: string;
  nonce: string;
  /** PKCE (RFC 7636): the code is useless without it. */
  verifier: string;
}

export interface Identity {
  issuer: string;
  subject: string;
  email: string | undefined;
  isVerified: boolean;
}

export interface Provider {
  /**
   * The address for the browser to go to.
   * @throws ProviderDown
   */
  begin(): Promise<{ address: URL; flow: SignInFlow }>;
  /** @throws ProviderDown; any other error is a rejection */
  finish(callbackUrl: URL, flow: SignInFlow): Promise<Identity>;
}

/** Metadata is refreshed after this time. If that fails, the former metadata stays in use. */
const METADATA_VALID_MS = 60 * 60_000;
/** Allowed clock difference in seconds: a minute, and the time of a response. */
const CLOCK_TOLERANCE_SECONDS = 90;
/** Seconds of drift between the system's clock and ours (`lib/clock.ts`) that force a refresh. */
const CLOCK_DRIFT_SECONDS = 30;
const OIDC_SCOPE = 'openid email';

type OpenIdClient = typeof import('openid-client');

export function createProvider(
  oidc: OidcSettings,
  callbackUrl: () => string,
  { now }: Services,
): Provider {
  let cachedProvider: { configuration: Configuration; until: number; skew: number } | undefined;
  let discovery: Promise<Configuration> | undefined;

  /** Our clock minus the system's, which the library uses; in seconds. */
  const readSkew = (): number => Math.round((now() - Date.now()) / 1000);

  async function discoverProvider(client: OpenIdClient): Promise<Configuration> {
    const skew = readSkew();
    const metadata = {
      client_secret: oidc.clientSecret,
      [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS,
      [client.clockSkew]: skew,
    };
    const issuer = new URL(oidc.issuer);
    const configuration = await client.discovery(issuer, oidc.clientId, metadata, undefined, {
      [client.customFetch]: fetchLimited as never,
      // The ID token's signature is checked, although the token comes from the provider directly.
      execute: [
        client.enableNonRepudiationChecks,
        ...(isLoopback(issuer.hostname) ? [client.allowInsecureRequests] : []),
      ],
    });
    cachedProvider = { configuration, until: now() + METADATA_VALID_MS, skew };
    return configuration;
  }

  async function configureProvider(client: OpenIdClient): Promise<Configuration> {
    // After a jump of the system's clock, the age of metadata and keys is unknown.
    const isSteady =
      cachedProvider !== undefined &&
      Math.abs(cachedProvider.skew - readSkew()) <= CLOCK_DRIFT_SECONDS;
    if (cachedProvider !== undefined && isSteady && cachedProvider.until > now())
      return cachedProvider.configuration;
    discovery ??= discoverProvider(client).finally(() => (discovery = undefined));
    try {
      return await discovery;
    } catch (error) {
      if (cachedProvider === undefined) throw error;
      return cachedProvider.configuration;
    }
  }

  return {
    async begin() {
      const client = await import('openid-client');
      const configuration = await configureProvider(client);
      const flow: SignInFlow = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const address = client.buildAuthorizationUrl(configuration, {
        redirect_uri: callbackUrl(),
        scope: OIDC_SCOPE,
        code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
        state: flow.state,
        nonce: flow.nonce,
      });
      return { address, flow };
    },
    async finish(returnUrl, { state, nonce, verifier }) {
      const client = await import('openid-client');
      const configuration = await configureProvider(client);
      const tokens = await client.authorizationCodeGrant(configuration, returnUrl, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new Error('The sign-in provider sent no ID token.');
      const { iss: issuer, sub: subject } = claims;
      // Standard providers give the email only in the user info.
      const userInfo =
        claims.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
          ? await client.fetchUserInfo(configuration, tokens.access_token, subject)
          : claims;
      return {
        issuer,
        subject,
        email: typeof userInfo.email === 'string' ? userInfo.email : undefined,
        // Some providers never send `email_verified`; false always counts.
        isVerified:
          userInfo.email_verified === true ||
          (oidc.trustEmail && userInfo.email_verified === undefined),
      };
    },
  };
}

export function findProviderDownError(error: unknown): ProviderDownError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof ProviderDownError) return cause;
  return undefined;
}
