import * as assert from 'uvu/assert';
import { suite } from 'uvu';
import type { Passkey } from '../../../../src/shared/contract';
import { deleteOldData } from '../../../../server/operations/delete-old-data';
import { readAuditLines } from '../../../support/server/audit';
import { createPasskeyHelpers } from '../../../support/server/passkeys';
import { authenticatorCode, addAuthenticatorApp } from '../../../support/server/two-factor';
import { createServer, serverSuite } from '../../../support/server/server';
import type { Person } from '../../../support/server/server';

const PASSWORD = 'correct horse battery';
const environment = {
  PASSKEYS: 'true',
  PUBLIC_URL: 'https://bell.example',
  ADMIN_TOTP: 'optional',
};
const { test, server } = serverSuite('passkeys', { environment });
const MINUTE_MS = 60_000;
const PASSKEY_REJECTED = [
  401,
  'This passkey does not work here. Please sign in with your password.',
];
const TOO_LATE_REPLY = [400, 'This took too long. Please start again.'];

let keys: ReturnType<typeof createPasskeyHelpers>;
let ana: Person;
test.before.each(async () => {
  keys = createPasskeyHelpers(server, PASSWORD);
  ana = await server.createPerson('TECHNICIAN', { username: 'ana', password: PASSWORD });
});
const statusAndError = ({ status, error }: { status: number; error: unknown }) => [status, error];

test('signs in with each of a person’s passkeys, and shows when it was used', async () => {
  const [phone, desk] = [await keys.addPasskeyTo(ana), await keys.addPasskeyTo(ana, false)];
  server.clock.now += MINUTE_MS;
  for (const passkey of [phone, desk, desk, phone]) {
    const { status, body } = await keys.signIn(passkey);
    assert.is(status, 200);
    assert.is(body.user.username, 'ana');
    assert.is((await server.call('GET /api/account', { as: body })).body.username, 'ana');
    assert.type(body.clientToken, 'string');
  }
  const { passkeys, ...more } = await keys.listPasskeys(ana);
  assert.equal(more, { isOn: true, hasPassword: true });
  const used = new Date(server.clock.now).toISOString();
  assert.equal(
    passkeys.map(({ id, name, lastUsedAt }) => [id, name, lastUsedAt]),
    [phone, desk].map(({ row }) => [row.id, 'Work phone', used]).sort(),
  );
  assert.is((await server.signIn('ana', PASSWORD)).status, 200, 'the password stays');
  const { body: accountExport } = await server.call('GET /api/account/export', { as: ana });
  assert.is(accountExport.account.passkeys.length, 2);
  assert.not.match(JSON.stringify(accountExport), phone.id);
});

test('records what is added, used and removed, and names no one to strangers', async () => {
  const admin = await server.createPerson('ADMIN');
  const passkey = await keys.addPasskeyTo(ana);
  assert.is((await keys.signIn(passkey)).status, 200);
  const params = { id: passkey.row.id };
  assert.is(
    (await server.call('DELETE /api/account/passkeys/:id', { as: ana, params })).status,
    200,
  );
  assert.equal(statusAndError(await keys.signIn(passkey)), PASSKEY_REJECTED);
  assert.equal(statusAndError(await keys.signIn(keys.authenticator())), PASSKEY_REJECTED);
  assert.equal(await readAuditLines(server, admin), [
    'unknown login.failed unknown account: Wrong passkey, 2 times within an hour',
    'unknown login.failed unknown account: Wrong passkey',
    'ana passkey.remove ana',
    'ana login ana: With a passkey',
    'ana passkey.add ana',
  ]);
});

for (const [caseName, hostileChanges] of [
  ['another origin', { origin: 'https://bell.example.evil' }],
  ['another host', { rpId: 'evil.example' }],
  ['an owner who was not verified', { isVerified: false }],
  ['another purpose', { type: 'webauthn.other' }],
] as const)
  test(`rejects ${caseName}, when a passkey is added and used`, async () => {
    const made = keys.authenticator();
    assert.is((await keys.addPasskey(ana, made, hostileChanges)).status, 400);
    assert.equal((await keys.listPasskeys(ana)).passkeys, []);
    const passkey = await keys.addPasskeyTo(ana);
    assert.equal(statusAndError(await keys.signIn(passkey, hostileChanges)), PASSKEY_REJECTED);
    assert.is((await keys.signIn(passkey)).status, 200);
  });

test('rejects a counter that does not increase, as a copied passkey sends', async () => {
  const passkey = await keys.addPasskeyTo(ana);
  assert.is((await keys.signIn(passkey, { counter: 7 })).status, 200);
  for (const counter of [7, 6, 0])
    assert.equal(
      statusAndError(await keys.signIn(passkey, { counter })),
      PASSKEY_REJECTED,
      `${counter}`,
    );
  assert.is((await keys.signIn(passkey, { counter: 8 })).status, 200);
});

test('accepts a challenge once, even for two at once, and for five minutes', async () => {
  const passkey = await keys.addPasskeyTo(ana, false);
  const signIn = (signed: ReturnType<typeof passkey.usePasskey>) =>
    server.call('POST /api/auth/passkey', { body: signed });
  const used = passkey.usePasskey(await keys.beginSignIn());
  const responses = await Promise.all([signIn(used), signIn(used)]);
  assert.equal(responses.map(({ status }) => status).sort(), [200, 400]);
  assert.equal(statusAndError(await signIn(used)), TOO_LATE_REPLY);
  const late = passkey.usePasskey(await keys.beginSignIn());
  server.clock.now += 5 * MINUTE_MS;
  assert.equal(statusAndError(await signIn(late)), TOO_LATE_REPLY);
  // A challenge for adding a passkey signs no one in, and the other way round.
  const adding = (await keys.beginAdding(ana)).body;
  const request = { ...(await keys.beginSignIn()), challenge: adding.challenge };
  assert.equal(statusAndError(await signIn(passkey.usePasskey(request))), TOO_LATE_REPLY);
  const { challenge } = await keys.beginSignIn();
  const sent = keys.authenticator().createPasskey({ ...adding, challenge });
  const body = { ...sent, name: 'x' };
  assert.equal(
    statusAndError(await server.call('POST /api/account/passkeys', { as: ana, body })),
    TOO_LATE_REPLY,
  );
});

test('rejects use, addition and removal of another person’s passkeys', async () => {
  const ben = await server.createPerson('TECHNICIAN', { username: 'ben', password: PASSWORD });
  const [ofAna, ofBen] = [await keys.addPasskeyTo(ana), await keys.addPasskeyTo(ben)];
  const options = await keys.beginSignIn();
  // Ben's signature with Ana's id, and Ana's user handle with Ben's passkey.
  for (const body of [
    { ...ofBen.usePasskey(options), id: ofAna.id },
    {
      ...ofBen.usePasskey(await keys.beginSignIn()),
      userHandle: Buffer.from(`${ana.id}`).toString('base64url'),
    },
  ])
    assert.equal(
      statusAndError(await server.call('POST /api/auth/passkey', { body })),
      PASSKEY_REJECTED,
    );
  const begun = (await keys.beginAdding(ana)).body;
  const body = { ...keys.authenticator().createPasskey(begun), name: 'x' };
  assert.equal(
    statusAndError(await server.call('POST /api/account/passkeys', { as: ben, body })),
    TOO_LATE_REPLY,
  );
  const params = { id: ofAna.row.id };
  assert.is(
    (await server.call('DELETE /api/account/passkeys/:id', { as: ben, params })).status,
    404,
  );
  assert.is((await keys.signIn(ofAna)).status, 200);
  assert.is((await keys.addPasskey(ben, ofAna)).status, 409, 'already Ana’s');
});

test('adds no passkey without the password, with a certificate, or beyond ten', async () => {
  const wrongResponse = await server.call('POST /api/account/passkeys/begin', {
    as: ana,
    body: { password: 'wrong' },
  });
  assert.is(wrongResponse.status, 403);
  const personWithoutPassword = await server.createPerson('TECHNICIAN');
  assert.equal(statusAndError(await keys.beginAdding(personWithoutPassword)), [
    409,
    'You sign in with your company account, so you cannot add a passkey here.',
  ]);
  for (const format of ['packed', 'android-safetynet', 'apple']) {
    const statement = new Map<unknown, unknown>([
      ['alg', -7],
      ['sig', Buffer.alloc(8)],
      ['x5c', [Buffer.alloc(8)]],
    ]);
    const madeResponse = await keys.addPasskey(ana, keys.authenticator(), {
      attestation: { format, statement },
    });
    assert.is(madeResponse.status, 400, format);
  }
  for (let createdCount = 0; createdCount < 10; createdCount++) await keys.addPasskeyTo(ana);
  assert.equal(statusAndError(await keys.beginAdding(ana)), [
    409,
    'You have ten passkeys. Remove one before you add another.',
  ]);
});

test('rejects values that are too long or not base64url before it parses them', async () => {
  const used = (await keys.addPasskeyTo(ana)).usePasskey(await keys.beginSignIn());
  for (const [field, value] of [
    ['id', 'a'.repeat(1365)],
    ['clientDataJSON', 'a'.repeat(4097)],
    ['authenticatorData', 'a'.repeat(4097)],
    ['signature', '%%%'],
    ['userHandle', 'a'.repeat(129)],
  ] as const) {
    const { status, error } = await server.call('POST /api/auth/passkey', {
      body: { ...used, [field]: value },
    });
    assert.is(status, 400);
    assert.equal(Object(error)[0].path, field);
  }
  // Decodes, and is nothing.
  for (const [field, value] of [
    ['authenticatorData', 'AAAA'],
    ['signature', 'AAAA'],
  ] as const) {
    const body = {
      ...(await keys.addPasskeyTo(ana)).usePasskey(await keys.beginSignIn()),
      [field]: value,
    };
    assert.equal(
      statusAndError(await server.call('POST /api/auth/passkey', { body })),
      PASSKEY_REJECTED,
      field,
    );
  }
  assert.not.match(server.log.join('\n'), '"level":"error"');
});

const invalidations: Record<string, (row: Passkey) => Promise<unknown>> = {
  'a new password': () =>
    server.call('PUT /api/account/password', {
      as: ana,
      body: { current: PASSWORD, password: 'brown meadow lantern' },
    }),
  'signing out everywhere': () => server.call('POST /api/account/sign-out-everywhere', { as: ana }),
  suspension: async () => {
    const as = await server.createPerson('ADMIN');
    const params = { id: ana.id };
    await server.call('POST /api/admin/users/:id/suspend', { as, params });
    return server.call('POST /api/admin/users/:id/reinstate', { as, params });
  },
  'the end of the account': async () =>
    server.deleteUser(await server.createPerson('ADMIN'), ana.id),
};
for (const [caseName, end] of Object.entries(invalidations))
  test(`rejects a passkey after ${caseName}`, async () => {
    const passkey = await keys.addPasskeyTo(ana);
    const begun = await keys.beginSignIn();
    await end(passkey.row);
    assert.equal(statusAndError(await keys.signIn(passkey)), PASSKEY_REJECTED);
    const body = passkey.usePasskey(begun);
    assert.equal(
      statusAndError(await server.call('POST /api/auth/passkey', { body })),
      PASSKEY_REJECTED,
    );
  });

test('asks an administrator for the code as well', async () => {
  const admin = await server.createPerson('ADMIN', { username: 'ada', password: PASSWORD });
  const passkey = await keys.addPasskeyTo(admin);
  const { secret } = await addAuthenticatorApp(admin, server.services);
  const response = await server.request('/api/auth/passkey', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(passkey.usePasskey(await keys.beginSignIn())),
  });
  const { code, challenge } = (await response.json()) as Record<string, string>;
  assert.equal([response.status, code], [401, 'second_factor']);
  const doneResponse = await server.call('POST /api/auth/second-factor', {
    body: { challenge: challenge ?? '', code: authenticatorCode(secret, server.clock.now) },
  });
  assert.is(doneResponse.body.user.username, 'ada');
});

test('counts attempts like those with a password', async () => {
  const passkey = await keys.addPasskeyTo(ana);
  const tries = [];
  for (let time = 0; time < 12; time++)
    tries.push((await keys.signIn(passkey, { isVerified: false })).status);
  assert.equal(tries, [...Array(10).fill(401), 429, 429]);
  assert.is((await keys.signIn(passkey)).status, 429);
  assert.is((await keys.signIn(passkey, {}, '203.0.113.9')).status, 200, 'another network');
});

test('keeps a bounded number of challenges, and none that ended', async () => {
  const { db } = server.services;
  const count = async () =>
    (await db.selectFrom('passkey_challenges').selectAll().execute()).length;
  const signInResponses = await Promise.all(
    Array.from({ length: 305 }, () => server.call('POST /api/auth/passkey/begin')),
  );
  assert.is(signInResponses.filter(({ status }) => status === 429).length, 5);
  assert.is(await count(), 300);
  for (let time = 0; time < 3; time++) await keys.beginAdding(ana);
  assert.is(await count(), 301, 'one for a person');
  server.clock.now += 6 * MINUTE_MS;
  await keys.beginSignIn();
  assert.is(await count(), 282, 'each new one removes twenty');
  await deleteOldData(db, server.clock.now, new AbortController().signal);
  assert.is(await count(), 1);
});

const withoutPasskeys = suite('passkeys where they are off');
withoutPasskeys('neither adds nor accepts one', async () => {
  const at = await createServer();
  try {
    const as = await at.createPerson('TECHNICIAN', { password: PASSWORD });
    const off = 'Passkeys are disabled. Ask your Fieldbell operator to set PASSKEYS.';
    const of = createPasskeyHelpers(at, PASSWORD);
    const { body } = await at.call('GET /api/account/passkeys', { as });
    assert.equal(body, { isOn: false, hasPassword: true, passkeys: [] });
    assert.equal(statusAndError(await of.beginAdding(as)), [409, off]);
    assert.equal(statusAndError(await at.call('POST /api/auth/passkey/begin')), [409, off]);
    const used = of.authenticator().usePasskey({
      challenge: 'x',
      rpId: 'localhost',
      timeout: 1,
      userVerification: 'required',
    });
    assert.equal(statusAndError(await at.call('POST /api/auth/passkey', { body: used })), [
      409,
      off,
    ]);
  } finally {
    await at.close();
  }
});

test.run();
withoutPasskeys.run();
