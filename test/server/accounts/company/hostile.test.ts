import type { ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CompanySignInClient, SERVER_ORIGIN } from '../../../support/company-sign-in/browser';
import { startHostileProvider } from '../../../support/company-sign-in/hostile-provider';
import type { HostileProvider } from '../../../support/company-sign-in/hostile-provider';
import { createServer } from '../../../support/server/server';
import type { TestServer } from '../../../support/server/server';

const test = suite('hostile company');
const METADATA = '/.well-known/openid-configuration';

let hostile: HostileProvider;
let server: TestServer;
test.before(async () => {
  hostile = await startHostileProvider();
});
test.after(() => hostile.close());
test.before.each(async () => {
  hostile.claims = {};
  hostile.isForged = false;
  hostile.replies.clear();
  hostile.requestCounts.clear();
  server = await createServer({ environment: hostile.environment });
  const email = 'maya.okafor@northgrid.example';
  const { id } = await server.createPerson('TECHNICIAN', { username: 'm.okafor', email });
  const verified = { email_verified_at: 1 };
  await server.services.db.updateTable('users').set(verified).where('id', '=', id).execute();
});
test.after.each(() => server.close());

/**
 * Signs in with any claims of the company.
 * @returns the fragment that /login gets
 */
async function signIn(claims: Record<string, unknown> = {}): Promise<string> {
  const browser = new CompanySignInClient(server);
  const providerUrl = new URL(await browser.startSignIn());
  if (providerUrl.origin === SERVER_ORIGIN) return providerUrl.hash;
  hostile.claims = { nonce: providerUrl.searchParams.get('nonce'), ...claims };
  const callbackAddress = `${SERVER_ORIGIN}/api/auth/oidc/callback?code=x&state=${providerUrl.searchParams.get('state')}`;
  return new URL(await browser.followToApp(callbackAddress), SERVER_ORIGIN).hash;
}

test('signs in with valid responses, and fetches the metadata once', async () => {
  assert.match(await signIn(), /^#token=/);
  assert.match(await signIn(), /^#token=/);
  assert.is(hostile.requestCounts.get(METADATA), 1);
  assert.is(hostile.requestCounts.get('/keys'), 1);
});

test('rejects a wrong issuer, audience, nonce, sub or time in an ID token', async () => {
  const now = Math.floor(Date.now() / 1000);
  for (const claims of [
    { iss: 'https://evil.example' },
    { aud: 'another' },
    { nonce: 'x'.repeat(43) },
    { nonce: undefined },
    { sub: undefined },
    { sub: 7 },
    { exp: now - 600 },
    { exp: undefined },
    { nbf: now + 600 },
  ])
    assert.is(await signIn(claims), '#refused=refused', JSON.stringify(claims));
  const identities = await server.services.db.selectFrom('identities').selectAll().execute();
  assert.equal(identities, []);
});

test('rejects an ID token with a foreign signature', async () => {
  hostile.isForged = true;
  assert.is(await signIn(), '#refused=refused');
});

test('accepts only true as email_verified', async () => {
  for (const email_verified of [false, undefined, null, 'false', 'yes', 1, {}])
    assert.is(await signIn({ email_verified }), '#refused=unverified', String(email_verified));
  for (const email of [undefined, 7, null, ['maya.okafor@northgrid.example']])
    assert.is(await signIn({ email }), '#refused=unknown', String(email));
});

test('distinguishes lookalike emails from those of an account', async () => {
  for (const email of [
    'm\uff41ya.okafor@northgrid.example', // a full-width letter
    'maya.o\u212aafor@northgrid.example', // the sign for kelvin
    'maya.okafor@northgrid\uff0eexample',
    'maya.okafor@northgrid.\u1d49xample',
  ])
    assert.is(await signIn({ sub: 'mallory', email }), '#refused=unknown', email);
  assert.match(await signIn({ email: ' Maya.OKAFOR@northgrid.example ' }), /^#token=/);
});

test('rejects a sub that is too long or not ASCII', async () => {
  for (const sub of ['x'.repeat(256), 'mäya', 'a\nb'])
    assert.is(await signIn({ sub }), '#refused=unknown', sub);
});

const json = (body: unknown) => (response: ServerResponse) => {
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(body));
};
/** Sends for as long as someone reads. */
function sendEndlessly(response: ServerResponse): void {
  response.setHeader('Content-Type', 'application/json');
  const sendMore = (): void => {
    while (response.write(' '.repeat(16_384)) && !response.destroyed);
    if (!response.destroyed) response.once('drain', sendMore);
  };
  sendMore();
}
const faults: [what: string, outcome: string, answer: (response: ServerResponse) => void][] = [
  ['hangs up', 'down', (response) => response.destroy()],
  ['is in trouble', 'down', (response) => response.writeHead(503).end('{}')],
  ['answers without an end', 'down', sendEndlessly],
  ['answers with a page', 'refused', (response) => response.end('<h1>Welcome to the hotel</h1>')],
  ['answers nonsense', 'refused', json([1, 2])],
  [
    'leads elsewhere',
    'refused',
    (response) => response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end(),
  ],
];
for (const [caseName, outcome, reply] of faults)
  test(`names at /login a company that ${caseName}, and asks again next time`, async () => {
    for (const path of [METADATA, '/token', '/keys']) {
      const freshServer = await createServer({ environment: hostile.environment });
      const earlierServer = server;
      server = freshServer;
      hostile.replies.set(path, reply);
      assert.is(await signIn(), `#refused=${outcome}`, path);
      if (reply === sendEndlessly)
        assert.match(freshServer.log.join('\n'), 'The sign-in provider’s response is too large.');
      hostile.replies.delete(path);
      // The company is accepted again; its person is unknown to this server.
      assert.is(await signIn(), '#refused=unknown', path);
      await freshServer.close();
      server = earlierServer;
    }
  });

test('rejects an issuer other than the configured one', async () => {
  hostile.replies.set(METADATA, json({ issuer: 'https://evil.example' }));
  assert.is(await signIn(), '#refused=refused');
});

test('uses cached metadata while new metadata cannot be fetched', async () => {
  assert.match(await signIn(), /^#token=/);
  server.clock.now += 2 * 60 * 60_000;
  hostile.replies.set(METADATA, (response) => response.destroy());
  assert.match(await signIn({ exp: Math.floor(server.clock.now / 1000) + 60 }), /^#token=/);
  assert.is(hostile.requestCounts.get(METADATA), 3, 'asked again at both steps');
});

test.run();
