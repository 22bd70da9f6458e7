/** An OpenID Connect provider whose answers, right or wrong, a test sets. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';

export interface HostileProvider {
  issuer: string;
  environment: Record<string, string>;
  /** Claims that the next ID token gets, or that replace its right ones. */
  claims: Record<string, unknown>;
  /** Signs with a key that the provider does not publish. */
  isForged: boolean;
  replies: Map<string, (response: ServerResponse) => void>;
  requestCounts: Map<string, number>;
  close(): Promise<void>;
}

export async function startHostileProvider(): Promise<HostileProvider> {
  const [known, unknown] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);
  const key = { ...(await exportJWK(known.publicKey)), alg: 'RS256', use: 'sig', kid: 'k' };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', hostile.issuer);
    hostile.requestCounts.set(pathname, (hostile.requestCounts.get(pathname) ?? 0) + 1);
    const reply = hostile.replies.get(pathname);
    if (reply) return reply(response);
    return void honestly(pathname).then((body) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(body));
    });
  });
  const honestly = async (pathname: string): Promise<object> => {
    const { issuer } = hostile;
    if (pathname === '/keys') return { keys: [key] };
    if (pathname !== '/token')
      return {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      };
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: issuer,
      aud: 'fieldbell',
      sub: 'maya',
      iat: now,
      exp: now + 60,
      email: 'maya.okafor@northgrid.example',
      email_verified: true,
      ...hostile.claims,
    };
    const { privateKey } = hostile.isForged ? unknown : known;
    const signed = new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k' });
    return {
      access_token: 'x',
      token_type: 'Bearer',
      expires_in: 60,
      id_token: await signed.sign(privateKey),
    };
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const hostile: HostileProvider = {
    issuer,
    environment: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: 'fieldbell',
      OIDC_CLIENT_SECRET: 'secret',
      OIDC_COMPANY: 'Northgrid',
    },
    claims: {},
    isForged: false,
    replies: new Map(),
    requestCounts: new Map(),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return hostile;
}
