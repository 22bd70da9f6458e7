import { decodeJwt } from 'jose';
import * as assert from 'uvu/assert';
import { replacePassword } from '../../../../server/accounts/operator';
import type { Person } from '../../../support/server/server';
import { serverSuite } from '../../../support/server/server';

const { test, server } = serverSuite('sessions');
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

const isSignedIn = async (as: { token: string }): Promise<boolean> =>
  (await server.call('GET /api/notifications/devices', { as })).status === 200;
const refresh = (as: { token: string }) => server.call('POST /api/auth/refresh', { as });
const renewToken = async (as: { token: string }): Promise<{ token: string }> => {
  const { status, body } = await refresh(as);
  assert.is(status, 200);
  return body;
};
/** The number of milliseconds from now. */
const termOf = ({ token }: { token: string }): number =>
  (decodeJwt(token).exp ?? 0) * 1000 - Math.floor(server.clock.now / 1000) * 1000;

for (const [role, term] of [
  ['CUSTOMER', 30 * DAY_MS],
  ['TECHNICIAN', 30 * DAY_MS],
  ['ADMIN', 12 * HOUR_MS],
] as const) {
  test(`ends the session of a ${role} after ${term / HOUR_MS} hours`, async () => {
    const person = await server.createPerson(role);
    assert.is(termOf(person), term);
    server.clock.now += term - 2000;
    assert.ok(await isSignedIn(person));
    server.clock.now += 3000;
    assert.not(await isSignedIn(person));
    assert.is((await refresh(person)).status, 401, 'and cannot be renewed after its end');
  });
}

test('keeps an active person signed in, thirty days from the last renewal', async () => {
  let session: { token: string } = await server.createPerson('TECHNICIAN');
  for (let month = 0; month < 6; month += 1) {
    server.clock.now += 29 * DAY_MS;
    session = await renewToken(session);
    assert.is(termOf(session), 30 * DAY_MS);
    assert.ok(await isSignedIn(session));
  }
});

test('asks an administrator for the password twelve hours after the sign-in', async () => {
  const admin = await server.createPerson('ADMIN');
  let session: { token: string } = admin;
  for (let hour = 1; hour < 12; hour += 1) {
    server.clock.now += HOUR_MS;
    session = await renewToken(session);
    assert.is(decodeJwt(session.token).exp, decodeJwt(admin.token).exp, `after ${hour} hours`);
  }
  server.clock.now += HOUR_MS + 2000;
  assert.not(await isSignedIn(session));
});

test("does not extend an administrator's session when the clock goes back", async () => {
  const admin = await server.createPerson('ADMIN');
  server.clock.now -= DAY_MS;
  assert.is(termOf(await renewToken(admin)), 12 * HOUR_MS);
});

test('renews a token for the same person, and keeps the former one valid', async () => {
  const person = await server.createPerson('CUSTOMER', { username: 'ana' });
  server.clock.now += DAY_MS;
  const session = await renewToken(person);
  const { iat, exp, ...claims } = decodeJwt(session.token);
  const { iat: before, exp: end, ...formerly } = decodeJwt(person.token);
  assert.equal(claims, formerly);
  assert.equal([Number(iat) - Number(before), Number(exp) - Number(end)], [86_400, 86_400]);
  assert.ok((await isSignedIn(person)) && (await isSignedIn(session)));
});

const invalidations: Record<string, (person: Person) => Promise<unknown>> = {
  'a new password': async ({ id }) => {
    await server.services.db
      .updateTable('users')
      .set({ password_hash: 'some' })
      .where('id', '=', id)
      .execute();
    await replacePassword('ana', server.services.db, server.clock.now);
  },
  'another role': async ({ id }) =>
    server.changeRole(await server.createPerson('ADMIN'), id, 'ADMIN'),
  'the end of the account': async ({ id }) =>
    server.deleteUser(await server.createPerson('ADMIN'), id),
};
for (const [caseName, end] of Object.entries(invalidations)) {
  test(`${caseName} ends a renewed session for good`, async () => {
    const person = await server.createPerson('CUSTOMER', { username: 'ana' });
    const session = await renewToken(person);
    await end(person);
    for (const as of [person, session])
      assert.equal([await isSignedIn(as), (await refresh(as)).status], [false, 401]);
  });
}

test('renews neither a device key nor a missing token', async () => {
  const person = await server.createPerson('CUSTOMER');
  const { body } = await server.registerDevice(person, 'token');
  assert.is((await refresh({ token: body.deviceKey })).status, 401);
  assert.is((await server.call('POST /api/auth/refresh')).status, 401);
});

test.run();
