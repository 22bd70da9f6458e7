import { decodeJwt } from 'jose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sha256 } from '../../../../server/lib/sha256';
import { CompanySignInClient, SERVER_ORIGIN } from '../../../support/company-sign-in/browser';
import { startCompanyProvider } from '../../../support/company-sign-in/provider';
import type { CompanyProvider } from '../../../support/company-sign-in/provider';
import { useUpLimit } from '../../../support/server/rate-limits';
import { authenticatorCode, addAuthenticatorApp } from '../../../support/server/two-factor';
import { createServer } from '../../../support/server/server';
import type { Person, TestServer } from '../../../support/server/server';

const test = suite('company sign-in');
const MINUTE_MS = 60_000;

let company: CompanyProvider;
let server: TestServer;
test.before(async () => {
  company = await startCompanyProvider({});
  company.sendBackTo(`${SERVER_ORIGIN}/api/auth/oidc/callback`);
});
test.after(() => company.close());
test.before.each(async () => {
  company.people = Object.assign(company.people, {
    maya: { email: 'Maya.Okafor@northgrid.example', email_verified: true },
  });
  server = await createServer({ environment: company.environment });
});
test.after.each(() => server.close());

/** A person with that email, verified unless `change` says otherwise. */
async function createMaya(
  role: Person['role'] = 'TECHNICIAN',
  change: object = { email_verified_at: 1 },
  at: TestServer = server,
): Promise<Person> {
  const email = 'maya.okafor@northgrid.example';
  const person = await at.createPerson(role, { username: 'm.okafor', email });
  await at.services.db.updateTable('users').set(change).where('id', '=', person.id).execute();
  return person;
}
/** The name and value in the fragment of the address. */
function readFragment(address: string): [name: string, value: string] {
  const [, name = '', value = ''] = /^\/login#(\w+)=(.*)$/.exec(address) ?? [];
  return [name, value];
}
const identities = () => server.services.db.selectFrom('identities').selectAll().execute();

test('signs in a person with the verified email, and knows them by their sub from then on', async () => {
  const maya = await createMaya();
  const [name, token] = readFragment(
    await new CompanySignInClient(server).signInThroughCompany('maya'),
  );
  assert.is(name, 'token');
  assert.is(decodeJwt(token).id, maya.id);
  const ownResponse = await server.call('GET /api/notifications/devices', { as: { token } });
  assert.is(ownResponse.status, 200);
  // The company now sends another, unverified email.
  company.people.maya = { email: 'other@northgrid.example', email_verified: false };
  const secondSession = readFragment(
    await new CompanySignInClient(server).signInThroughCompany('maya'),
  );
  assert.is(decodeJwt(secondSession[1]).id, maya.id);
  const [identity, ...more] = await identities();
  assert.equal([identity?.issuer, identity?.subject, more.length], [company.issuer, 'maya', 0]);
  const audit = await server.services.db.selectFrom('audit_entries').select('action').execute();
  assert.equal(
    audit.map(({ action }) => action),
    ['account.link', 'login', 'login'],
  );
});

test('signs in an invited person at once and invalidates their registration link', async () => {
  const admin = await server.createPerson('ADMIN');
  const { body } = await server.call('POST /api/admin/users', {
    as: admin,
    body: { username: 'm.okafor', email: 'maya.okafor@northgrid.example', role: 'TECHNICIAN' },
  });
  assert.is(
    readFragment(await new CompanySignInClient(server).signInThroughCompany('maya'))[0],
    'token',
  );
  const user = await server.call('GET /api/admin/users/:id', {
    as: admin,
    params: { id: body.user.id },
  });
  assert.is(user.body.status, 'ACTIVE');
  const token = body.registrationLink.split('/').at(-1) ?? '';
  const link = await server.call('GET /api/auth/registration/:token', { params: { token } });
  assert.is(link.status, 400);
});

/**
 * Signs in as a page that keeps `secret`.
 * @returns the name and value in the fragment
 */
async function sealedFor(secret: string): Promise<[name: string, value: string]> {
  const browser = new CompanySignInClient(server);
  return readFragment(
    await browser.followToApp(
      await browser.submitCompanyForm(await browser.startSignIn('', sha256(secret)), 'maya'),
    ),
  );
}
const handOver = (code: string, secret: string) =>
  server.call('POST /api/auth/oidc/handover', { body: { code, secret } });

test('gives a page with a secret a code that opens once, for that secret, for two minutes', async () => {
  const maya = await createMaya();
  const [name, code] = await sealedFor('of the page');
  assert.is(name, 'code');
  assert.is((await handOver(code, 'of another page')).status, 400);
  assert.is((await handOver(`${code}x`.slice(1), 'of the page')).status, 400);
  const { body } = await handOver(code, 'of the page');
  assert.equal([body.name, decodeJwt(body.value).id], ['token', maya.id]);
  assert.is((await handOver(code, 'of the page')).status, 400, 'once');
  const [, late] = await sealedFor('of the page');
  server.clock.now += 2 * MINUTE_MS;
  assert.is((await handOver(late, 'of the page')).status, 400);
});

test('seals the second step for a page with a secret, and leaves rejections readable', async () => {
  await addAuthenticatorApp(await createMaya('ADMIN'), server.services);
  const [, code] = await sealedFor('of the page');
  assert.is((await handOver(code, 'of the page')).body.name, 'second_factor');
  await server.services.db.deleteFrom('users').execute();
  assert.equal(await sealedFor('of the page'), ['refused', 'unknown']);
});

test('signs out an attacker who registered the email once its owner signs in through the company', async () => {
  const password = 'correct horse battery';
  const email = 'maya.okafor@northgrid.example';
  const attacker = await server.createPerson('TECHNICIAN', { username: 'maya', email, password });
  const { db } = server.services;
  await db.updateTable('users').set({ email_verified_at: 1 }).execute();
  await addAuthenticatorApp(attacker, server.services);
  await server.registerDevice(attacker, 'theirs');
  const [, token] = readFragment(
    await new CompanySignInClient(server).signInThroughCompany('maya'),
  );
  assert.equal((await server.call('GET /api/notifications/devices', { as: { token } })).body, []);
  assert.is((await server.call('GET /api/account', { as: attacker })).status, 401);
  const body = { username: 'maya', password };
  assert.is((await server.call('POST /api/auth/login', { body })).status, 401);
  assert.equal(await db.selectFrom('second_factors').selectAll().execute(), []);
  await new CompanySignInClient(server).signInThroughCompany('maya');
  assert.is((await server.call('GET /api/account', { as: { token } })).status, 200);
});

test("keeps the password of the operator's own account when it is linked", async () => {
  const body = { username: 'admin', password: 'correct horse battery' };
  const email = 'maya.okafor@northgrid.example';
  await server.createPerson('ADMIN', { ...body, email });
  await server.services.db.updateTable('users').set({ email_verified_at: 1 }).execute();
  assert.is(
    readFragment(await new CompanySignInClient(server).signInThroughCompany('maya'))[0],
    'token',
  );
  assert.is((await server.call('POST /api/auth/login', { body })).status, 200);
});

test('links a person once who signs in twice at the same time', async () => {
  await createMaya();
  const sessions = await Promise.all(
    [0, 1].map(() => new CompanySignInClient(server).signInThroughCompany('maya')),
  );
  assert.equal(
    sessions.map((address) => readFragment(address)[0]),
    ['token', 'token'],
  );
  assert.is((await identities()).length, 1);
});

const rejections: [what: string, code: string, prepare: () => Promise<unknown>, sub?: string][] = [
  ['an unknown person', 'unknown', async () => undefined],
  [
    'an address that the company did not verify',
    'unverified',
    async () => {
      await createMaya();
      company.people.maya = { email: 'maya.okafor@northgrid.example', email_verified: false };
    },
  ],
  [
    'an address that is not verified here',
    'unverified_here',
    () => createMaya('TECHNICIAN', { email_verified_at: null }),
  ],
  [
    'a second sub for a linked account',
    'linked',
    async () => {
      await createMaya();
      company.people.twin = { email: 'maya.okafor@northgrid.example', email_verified: true };
      assert.is(
        readFragment(await new CompanySignInClient(server).signInThroughCompany('twin'))[0],
        'token',
      );
    },
  ],
];
for (const [caseName, code, prepare] of rejections)
  test(`${caseName} is rejected with a sentence on /login, and changes nothing`, async () => {
    await prepare();
    const before = await identities();
    assert.equal(readFragment(await new CompanySignInClient(server).signInThroughCompany('maya')), [
      'refused',
      code,
    ]);
    assert.equal(await identities(), before);
  });

test('links unverified emails only with OIDC_TRUST_EMAIL, and never if the provider says no', async () => {
  const [email, link] = ['maya.okafor@northgrid.example', 'token'];
  const trusting = await createServer({
    environment: { ...company.environment, OIDC_TRUST_EMAIL: 'on' },
  });
  for (const [at, employee, outcome] of [
    [server, { email }, 'refused'],
    [trusting, { email, email_verified: false }, 'refused'],
    [trusting, { email }, link],
  ] as const) {
    await createMaya('TECHNICIAN', { email_verified_at: 1 }, at);
    company.people.maya = employee;
    assert.is(
      readFragment(await new CompanySignInClient(at).signInThroughCompany('maya'))[0],
      outcome,
    );
    await at.services.db.deleteFrom('users').execute();
  }
  await trusting.close();
});

test('says that the sign-in was canceled when the person declines', async () => {
  assert.equal(
    readFragment(await new CompanySignInClient(server).signInThroughCompany(undefined)),
    ['refused', 'cancelled'],
  );
});

test('rejects a foreign state, a foreign issuer and an invented code', async () => {
  await createMaya();
  for (const [name, value] of [
    ['state', 'x'.repeat(43)],
    ['iss', 'https://evil.example'],
    ['code', 'made up'],
  ] as const) {
    const browser = new CompanySignInClient(server);
    const returnUrl = new URL(await browser.submitCompanyForm(await browser.startSignIn(), 'maya'));
    returnUrl.searchParams.set(name, value);
    assert.equal(
      readFragment(await browser.followToApp(returnUrl.href)),
      ['refused', 'refused'],
      name,
    );
  }
  assert.equal(await identities(), []);
});

test('rejects a sign-in of another browser, an old one, and a second use', async () => {
  await createMaya();
  const [browser, other] = [new CompanySignInClient(server), new CompanySignInClient(server)];
  const returnAddress = await browser.submitCompanyForm(await browser.startSignIn(), 'maya');
  assert.equal(
    readFragment(await other.followToApp(returnAddress)),
    ['refused', 'expired'],
    'no cookie',
  );
  await other.startSignIn();
  assert.equal(
    readFragment(await other.followToApp(returnAddress)),
    ['refused', 'refused'],
    'another cookie',
  );
  const { serverCookies } = browser;
  assert.is(readFragment(await browser.followToApp(returnAddress))[0], 'token');
  assert.is(browser.serverCookies, '', 'it is removed');
  const repeatedResponse = await server.request(returnAddress.slice(SERVER_ORIGIN.length), {
    headers: { cookie: serverCookies },
  });
  assert.match(repeatedResponse.headers.get('location') ?? '', /#refused=refused$/);
  const late = await browser.submitCompanyForm(await browser.startSignIn(), 'maya');
  server.clock.now += 15 * MINUTE_MS;
  assert.equal(readFragment(await browser.followToApp(late)), ['refused', 'expired']);
});

test('sets an HttpOnly cookie for 15 minutes, and responses are not stored', async () => {
  const { headers, status } = await server.request('/api/auth/oidc/start?next=/messages');
  assert.is(status, 302);
  assert.match(
    headers.get('set-cookie') ?? '',
    /^__Host-company=[\w-]+; Path=\/; Max-Age=900; HttpOnly; SameSite=Lax; Secure$/,
  );
  assert.is(headers.get('cache-control'), 'no-store');
  const { searchParams } = new URL(headers.get('location') ?? '');
  assert.is(searchParams.get('code_challenge_method'), 'S256');
  assert.is(searchParams.get('response_type'), 'code');
  for (const name of ['state', 'nonce', 'code_challenge'])
    assert.is((searchParams.get(name) ?? '').length, 43, name);
});

test('leads a link from another site to the login form, and keeps the sign-in under way', async () => {
  const startSignIn = (site: string) =>
    server.request('/api/auth/oidc/start?next=/messages', { headers: { 'sec-fetch-site': site } });
  const { headers } = await startSignIn('cross-site');
  assert.is(headers.get('location'), `${SERVER_ORIGIN}/login?next=%2Fmessages`);
  assert.is(headers.get('set-cookie'), null);
  assert.match(
    (await startSignIn('same-origin')).headers.get('set-cookie') ?? '',
    /^__Host-company=/,
  );
});

test('returns to the page where the person was going', async () => {
  await createMaya();
  const landingPath = await new CompanySignInClient(server).signInThroughCompany(
    'maya',
    '/messages/5?x=1#y',
  );
  assert.match(landingPath, /^\/login\?next=%2Fmessages%2F5%3Fx%3D1%23y#token=/);
});

test('forgets a return path that is too long', async () => {
  await createMaya();
  for (const returnPath of [`/${'x'.repeat(498)}😀`, `/${'y'.repeat(5000)}`])
    assert.match(
      await new CompanySignInClient(server).signInThroughCompany('maya', returnPath),
      /^\/login#token=/,
    );
});

for (const apart of [-1, 1])
  test(`accepts a company whose clock is a minute ${apart < 0 ? 'ahead' : 'behind'}`, async () => {
    await createMaya();
    server.clock.now += apart * MINUTE_MS;
    assert.is(
      readFragment(await new CompanySignInClient(server).signInThroughCompany('maya'))[0],
      'token',
    );
  });

test('asks an administrator with an authenticator app for a code as well', async () => {
  const maya = await createMaya('ADMIN');
  const { secret } = await addAuthenticatorApp(maya, server.services);
  const [name, challenge] = readFragment(
    await new CompanySignInClient(server).signInThroughCompany('maya'),
  );
  assert.is(name, 'second_factor');
  const { body } = await server.call('POST /api/auth/second-factor', {
    body: { challenge, code: authenticatorCode(secret, server.clock.now) },
  });
  assert.is(body.user.id, maya.id);
});

test('limits failed attempts per address, and does not count successful ones', async () => {
  await createMaya();
  const limit = {
    key: ['company-sign-in', '192.0.2.1'],
    max: 100,
    windowMs: 15 * MINUTE_MS,
  };
  await useUpLimit(99, limit, server.services);
  for (let time = 0; time < 3; time++)
    assert.is(
      readFragment(await new CompanySignInClient(server).signInThroughCompany('maya'))[0],
      'token',
    );
  assert.equal(
    readFragment(await new CompanySignInClient(server).signInThroughCompany(undefined)),
    ['refused', 'cancelled'],
  );
  assert.equal(readFragment(await new CompanySignInClient(server).signInThroughCompany('maya')), [
    'refused',
    'busy',
  ]);
});

test('logs why a sign-in was rejected, without token, code, secret or email', async () => {
  await createMaya();
  const browser = new CompanySignInClient(server);
  const returnAddress = await browser.submitCompanyForm(await browser.startSignIn(), 'maya');
  const token = readFragment(await browser.followToApp(returnAddress))[1];
  await new CompanySignInClient(server).signInThroughCompany(undefined);
  company.people.maya = { email: 'unknown@northgrid.example', email_verified: true };
  await server.services.db.deleteFrom('identities').execute();
  await new CompanySignInClient(server).signInThroughCompany('maya');
  const log = server.log.join('\n');
  assert.match(log, '"reason":"cancelled"');
  assert.match(log, '"reason":"unknown"');
  const code = new URL(returnAddress).searchParams.get('code') ?? '-';
  for (const hidden of [token, code, 'northgrid.example', 'a secret of the company'])
    assert.not.match(log, hidden);
});

test('accepts only the password of ADMIN_USERNAME when passwords are off', async () => {
  const strict = await createServer({
    environment: { ...company.environment, PASSWORD_SIGN_IN: 'off', ADMIN_USERNAME: 'Keeper' },
  });
  const password = 'correct horse battery';
  for (const [username, counts] of [
    ['keeper', true],
    ['ada', false],
  ] as const) {
    const as = await strict.createPerson('ADMIN', { username, password });
    const { body } = await strict.call('GET /api/account', { as });
    assert.is(body.hasPassword, counts, username);
  }
  const signIn = (username: string) => strict.signIn(username, password);
  assert.is((await signIn('KEEPER')).status, 200);
  for (const name of ['ada', 'nobody']) {
    const { status, error } = await signIn(name);
    assert.equal([status, error], [401, 'Password sign-in is disabled. Sign in with Northgrid.']);
  }
  const as = await strict.createPerson('TECHNICIAN', { username: 'tom' });
  const link = await strict.call('POST /api/account/phone-link', { as });
  assert.equal([link.status, link.error], [409, 'Use Northgrid to sign in on the new phone.']);
  await strict.close();
});

test('leads both addresses back to /login when no company is set up', async () => {
  const plain = await createServer();
  for (const path of ['start', 'callback?code=x&state=y']) {
    const { headers } = await plain.request(`/api/auth/oidc/${path}`);
    assert.is(headers.get('location'), `${SERVER_ORIGIN}/login#refused=off`);
  }
  await plain.close();
});

test.run();
