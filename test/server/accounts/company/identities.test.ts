import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  findOrLinkAccount,
  unlinkIdentity,
} from '../../../../server/accounts/company/linked-account';
import type { Identity } from '../../../../server/accounts/company/provider';
import {
  flowCookie,
  clearFlowCookie,
  readFlowCookie,
} from '../../../../server/accounts/company/cookie';
import { readAuditLines } from '../../../support/server/audit';
import { createServer, serverSuite } from '../../../support/server/server';
import type { Person } from '../../../support/server/server';

const { test, server } = serverSuite('identities of several people and issuers');
const FROM = '198.51.100.7';
const ISSUER = 'https://sign-in.northgrid.example';
const identity = (subject: string, change: Partial<Identity> = {}): Identity => ({
  issuer: ISSUER,
  subject,
  email: `${subject}@northgrid.example`,
  isVerified: true,
  ...change,
});
/** A person with a verified email. */
async function createKnownPerson(username: string): Promise<Person> {
  const person = await server.createPerson('TECHNICIAN', {
    username,
    email: `${username}@northgrid.example`,
  });
  const { db } = server.services;
  await db.updateTable('users').set({ email_verified_at: 1 }).where('id', '=', person.id).execute();
  return person;
}
const find = async (one: Identity): Promise<string> => {
  const foundAccount = await findOrLinkAccount(one, FROM, server.services);
  return typeof foundAccount === 'string' ? `rejected: ${foundAccount}` : foundAccount.username;
};
const createPendingPerson = async (username: string) => {
  const admin = await server.createPerson('ADMIN');
  const email = `${username}@northgrid.example`;
  const { body } = await server.call('POST /api/admin/users', {
    as: admin,
    body: { username, email, role: 'TECHNICIAN' },
  });
  return body;
};

test('identifies each person by their sub at their own issuer', async () => {
  for (const name of ['ana', 'ben', 'cleo']) await createKnownPerson(name);
  for (const name of ['ana', 'ben', 'cleo', 'ben', 'ana', 'cleo'])
    assert.is(await find(identity(name)), name);
  // The same sub at another issuer is another person.
  const elsewhere = { issuer: 'https://sign-in.evil.example' };
  assert.is(await find(identity('ana', { ...elsewhere, email: undefined })), 'rejected: unknown');
  const email = 'ben@northgrid.example';
  assert.is(await find(identity('ana', { ...elsewhere, email })), 'ben', 'by the address');
  assert.is(await find(identity('ana')), 'ana');
});

test('matches an email in any case and spacing', async () => {
  await createKnownPerson('ana');
  await createKnownPerson('ben');
  assert.is(await find(identity('b', { email: ' BEN@Northgrid.example ' })), 'ben');
});

test('records linking, and the registration that it completes', async () => {
  await createKnownPerson('ana');
  await createPendingPerson('ben');
  await find(identity('ana'));
  await find(identity('ben'));
  await find(identity('ben'));
  const boss = await server.createPerson('ADMIN');
  const lines = (await readAuditLines(server, boss)).filter((line) => !line.includes('user.add'));
  assert.equal(lines, [
    'ben user.register ben',
    'ben account.link ben',
    'ana account.link ana: Removed the earlier password and devices',
  ]);
});

test('links an unlinked account again, and no other', async () => {
  const [ana] = [await createKnownPerson('ana'), await createKnownPerson('ben')];
  await find(identity('ana'));
  await find(identity('ben'));
  const { db } = server.services;
  assert.equal([await unlinkIdentity(ana.id, db), await unlinkIdentity(ana.id, db)], [true, false]);
  const remainingIdentities = await db.selectFrom('identities').select('subject').execute();
  assert.equal(remainingIdentities, [{ subject: 'ben' }]);
  assert.is(await find(identity('anew', { email: 'ana@northgrid.example' })), 'ana');
});

test.run();

const cookies = suite('company sign-in cookie');
const CALLBACK = 'https://bell.example/api/auth/oidc/callback';
const startedSignIn = { state: 's', nonce: 'n', verifier: 'v', next: '/messages/5?x=1', bind: 'b' };
const pairOf = (line: string): string => line.split(';', 1)[0] ?? '';
let otherServer: Awaited<ReturnType<typeof createServer>>;
cookies.before(async () => {
  otherServer = await createServer();
});
cookies.after(() => otherServer.close());

cookies('uses a plain cookie without TLS, and ignores the TLS one', () => {
  const { services } = otherServer;
  const plain = 'http://localhost:3000/api/auth/oidc/callback';
  const cookie = flowCookie(startedSignIn, plain, services);
  assert.match(cookie, /^company=[\w-]+; Path=\/; Max-Age=900; HttpOnly; SameSite=Lax$/);
  assert.is(readFlowCookie(pairOf(cookie), plain, services)?.state, 's');
  assert.is(readFlowCookie(pairOf(cookie), CALLBACK, services), undefined);
  assert.is(
    clearFlowCookie(CALLBACK),
    '__Host-company=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure',
  );
});

cookies.run();
