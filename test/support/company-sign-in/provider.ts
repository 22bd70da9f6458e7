/** A real OpenID Connect provider (`oidc-provider`) on this machine, with a form for signing in. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';

export interface Employee {
  email: string;
  /** Some providers leave this claim out. */
  email_verified?: boolean;
}

export interface CompanyProvider {
  issuer: string;
  /** The accounts by `sub`; a test may change them. */
  people: Record<string, Employee>;
  environment: Record<string, string>;
  /** Sets the callback, which is known once the server listens. */
  sendBackTo(callback: string): void;
  close(): Promise<void>;
}

const CLIENT = { client_id: 'fieldbell', client_secret: 'a secret of the company' };

export async function startCompanyProvider(
  people: Record<string, Employee>,
): Promise<CompanyProvider> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'first' };
  const company: CompanyProvider = {
    issuer,
    people,
    environment: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: CLIENT.client_id,
      OIDC_CLIENT_SECRET: CLIENT.client_secret,
      OIDC_COMPANY: 'Northgrid',
    },
    sendBackTo(callback) {
      server.removeAllListeners('request');
      const provider = new Provider(issuer, configure(callback, company, key));
      const respond = provider.callback();
      server.on('request', (request, response) => {
        if (!request.url?.startsWith('/sign-in')) return respond(request, response);
        return void respondToInteraction(request, response, provider);
      });
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return company;
}

const configure = (callback: string, { people }: CompanyProvider, key: object): object => ({
  clients: [{ ...CLIENT, redirect_uris: [callback] }],
  claims: { openid: ['sub'], email: ['email', 'email_verified'] },
  findAccount: (_: unknown, sub: string) => ({
    accountId: sub,
    claims: () => ({ sub, ...people[sub] }),
  }),
  interactions: { url: (_: unknown, { uid }: { uid: string }) => `/sign-in/${uid}` },
  features: { devInteractions: { enabled: false } },
  // Skips the page that asks for consent.
  loadExistingGrant: async ({ oidc }: Parameters<typeof grant>[0]) => grant({ oidc }),
  cookies: { keys: ['a key of the company'] },
  jwks: { keys: [key] },
  pkce: { required: () => true },
  ttl: {
    AccessToken: 60,
    AuthorizationCode: 60,
    Grant: 60,
    IdToken: 60,
    Interaction: 600,
    Session: 600,
  },
});

async function grant({
  oidc,
}: {
  oidc: { provider: Provider; client: { clientId: string }; session: { accountId: string } };
}): Promise<object> {
  const given = new oidc.provider.Grant({
    clientId: oidc.client.clientId,
    accountId: oidc.session.accountId,
  });
  given.addOIDCScope('openid email');
  await given.save();
  return given;
}

const SIGN_IN_FORM = `<!DOCTYPE html><html lang="en"><title>Northgrid</title><h1>Sign in at Northgrid</h1>
<form method="post"><label>Employee <input name="sub" required></label>
<button name="answer" value="yes">Continue</button>
<button name="answer" value="no" formnovalidate>Cancel</button></form></html>`;

async function respondToInteraction(
  request: IncomingMessage,
  response: ServerResponse,
  provider: Provider,
): Promise<void> {
  if (request.method !== 'POST') {
    response.setHeader('Content-Type', 'text/html');
    response.end(SIGN_IN_FORM);
    return;
  }
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const form = new URLSearchParams(Buffer.concat(parts).toString());
  const result =
    form.get('answer') === 'no'
      ? { error: 'access_denied', error_description: 'They said no.' }
      : { login: { accountId: form.get('sub') ?? '' } };
  await provider.interactionFinished(request, response, result);
}
