import * as assert from 'uvu/assert';
import type { RegisteredDevice } from '../../../src/shared/contract';
import { deleteOldData } from '../../../server/operations/delete-old-data';
import { createAudienceHelpers } from '../../support/server/audience';
import { createPushSubscriber } from '../../support/push-services/subscriber';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('signing devices out');
const { claimAll } = createAudienceHelpers(server);
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const PASSWORD = 'correct horse battery';
type Session = { token: string };
let ana: Person;
let admin: Person;

test.before.each(async () => {
  ana = await server.createPerson('TECHNICIAN', { username: 'ana', password: PASSWORD });
  admin = await server.createPerson('ADMIN', { username: 'boss' });
});

const signIn = async (username = 'ana'): Promise<Session> =>
  (await server.signIn(username, PASSWORD)).body;
async function register(as: Session, deviceToken: string): Promise<RegisteredDevice> {
  const body = { deviceToken, deviceType: 'web', userAgent: '' } as const;
  const { status, body: reply } = await server.call('POST /api/notifications/register-device', {
    as,
    body,
  });
  assert.is(status, 200);
  return reply;
}
const { keys } = createPushSubscriber();
const subscriptionAt = (origin: string): string =>
  JSON.stringify({ endpoint: `${origin}/1`, keys });
const signOut = (as: Session, id: number) =>
  server.call('DELETE /api/notifications/devices/:id', { as, params: { id } });
const remove = (as: Session, id: number) =>
  server.call('DELETE /api/admin/devices/:id', { as, params: { id } });
const list = (as: Session) => server.call('GET /api/notifications/devices', { as });
const receiptStatus = async (token: string): Promise<number> =>
  (await server.sendReceipts({ token }, [])).status;
/** The status of a call in a session, and the code of a rejection. */
async function responseTo({ token }: Session, path = '/api/notifications/devices', init = {}) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const response = await server.request(path, { headers, ...init });
  const { code } = (await response.json()) as { code?: string };
  return [response.status, code];
}
const SIGNED_OUT = [401, 'signed_out'];

for (const [actor, end] of [
  ['its person, elsewhere', (id: number) => signOut(ana, id)],
  ['an administrator', (id: number) => remove(admin, id)],
] as const) {
  test(`stops notifications and invalidates key and session of a device signed out by ${actor}`, async () => {
    const [lostSession, keptSession] = [await signIn(), await signIn()];
    const [phone, desk] = [
      await register(lostSession, 'phone'),
      await register(keptSession, 'desk'),
    ];
    await server.sendMessage(admin, { userIds: [ana.id], message: 'Power is off' });
    assert.is((await end(phone.id)).status, 200);
    assert.equal(
      (await list(ana)).body.map(({ id }) => id),
      [desk.id],
    );
    const claims = await claimAllServices();
    assert.equal(
      claims.map(({ recipient }) => recipient?.deviceId),
      [undefined, desk.id],
      'a push that was on its way',
    );
    assert.equal(
      [await receiptStatus(phone.deviceKey), await receiptStatus(desk.deviceKey)],
      [401, 200],
    );
    assert.equal(await responseTo(lostSession), SIGNED_OUT);
    assert.equal(await responseTo(keptSession), [200, undefined]);
    assert.equal(await responseTo(ana), [200, undefined], 'a session without a device');
    const renewedSession = { token: phone.deviceKey };
    const { status } = await server.renewDeviceToken(renewedSession, 'another');
    assert.is(status, 401);
    assert.is((await end(phone.id)).status, 404, 'a second time');
  });
}

/** Claims due pushes, of FCM too. */
async function claimAllServices() {
  await server.services.db.updateTable('deliveries').set({ service_id: 0 }).execute();
  return claimAll();
}

test('rejects every call of a signed-out session with the code, receipts included', async () => {
  const session = await signIn();
  const { id } = await register(session, 'phone');
  assert.is((await signOut(ana, id)).status, 200);
  const post = (body: object) => ({ method: 'POST', body: JSON.stringify(body) });
  const device = { deviceToken: 'phone', deviceType: 'web', userAgent: '' };
  assert.equal(await responseTo(session, '/api/auth/refresh', { method: 'POST' }), SIGNED_OUT);
  assert.equal(
    await responseTo(session, '/api/notifications/register-device', post(device)),
    SIGNED_OUT,
    'it cannot come back',
  );
  assert.is(await receiptStatus(session.token), 401);
  assert.equal((await list(ana)).body, []);
});

test('ends a renewed token with its session', async () => {
  const session = await signIn();
  const { id } = await register(session, 'phone');
  const { body: renewed } = await server.call('POST /api/auth/refresh', { as: session });
  assert.equal(await responseTo(renewed), [200, undefined]);
  await signOut(ana, id);
  assert.equal([await responseTo(session), await responseTo(renewed)], [SIGNED_OUT, SIGNED_OUT]);
});

test('sends no code with other rejections', async () => {
  const session = await signIn();
  await server.services.db
    .updateTable('users')
    .set({ session_version: 7 })
    .where('id', '=', ana.id)
    .execute();
  assert.equal(await responseTo(session), [401, undefined]);
  assert.equal(await responseTo({ token: 'nonsense' }), [401, undefined]);
});

test("rejects signing out another person's device", async () => {
  const ben = await server.createPerson('CUSTOMER');
  const { id } = await register(ben, 'ben');
  for (const person of [ana, admin]) {
    const { status, error } = await signOut(person, id);
    assert.equal([status, error], [404, 'This device does not exist.']);
  }
  assert.is((await remove(ana, id)).status, 403);
  for (const nonsense of [0, -1, 1.5, 'x', '9'.repeat(40)])
    assert.is((await signOut(ana, nonsense as number)).status, 404, String(nonsense));
  assert.is((await list(ben)).body.length, 1);
});

test('signs out the current device, administrators included', async () => {
  const { id } = await register(admin, 'boss');
  assert.is((await remove(admin, id)).status, 200);
  assert.equal(await responseTo(admin), SIGNED_OUT);
  const session = await signIn();
  const own = await register(session, 'phone');
  assert.is((await signOut(session, own.id)).status, 200);
  assert.equal(await responseTo(session), SIGNED_OUT);
});

test('registers a new device with a new key after a new sign-in', async () => {
  const before = await register(await signIn(), 'phone');
  await signOut(ana, before.id);
  const registeredAgain = await register(await signIn(), 'phone');
  assert.is.not(registeredAgain.id, before.id);
  assert.equal(
    [await receiptStatus(before.deviceKey), await receiptStatus(registeredAgain.deviceKey)],
    [401, 200],
  );
});

for (const [actor, end] of [
  ['its person', (id: number) => signOut(ana, id)],
  ['an administrator', (id: number) => remove(admin, id)],
] as const) {
  test(`signs out every device of a stolen phone's session, by ${actor}`, async () => {
    const [stolen, keptSession] = [await signIn(), await signIn()];
    const first = await register(stolen, subscriptionAt('https://one.example'));
    const second = await register(stolen, subscriptionAt('https://two.example'));
    const desk = await register(keptSession, subscriptionAt('https://desk.example'));
    assert.is((await end(first.id)).status, 200);
    assert.equal(await responseTo(stolen), SIGNED_OUT);
    const services = await server.services.db
      .selectFrom('push_services')
      .select('origin')
      .execute();
    assert.equal(services, [{ origin: 'https://desk.example' }], 'of the others nothing is left');
    assert.equal(
      [
        await receiptStatus(first.deviceKey),
        await receiptStatus(second.deviceKey),
        await receiptStatus(desk.deviceKey),
      ],
      [401, 401, 200],
    );
    assert.equal(
      (await list(ana)).body.map(({ id }) => id),
      [desk.id],
    );
    assert.equal(await responseTo(keptSession), [200, undefined]);
  });
}

for (const isLater of [false, true])
  test(`keeps the session of a device whose subscription a stolen phone takes (seen ${isLater ? 'before' : 'after'} it)`, async () => {
    const [stolen, keptSession] = [await signIn(), await signIn()];
    const phone = await register(stolen, 'phone');
    server.clock.now += 1000;
    const desk = await register(keptSession, 'desk');
    server.clock.now += 1000;
    if (isLater) await register(stolen, 'phone');
    const { status } = await server.renewDeviceToken({ token: phone.deviceKey }, 'desk');
    assert.is(status, 200);
    assert.is(await receiptStatus(desk.deviceKey), 401, 'its subscription is the phone’s now');
    if (isLater) assert.is((await signOut(keptSession, phone.id)).status, 200);
    assert.equal(await responseTo(stolen), SIGNED_OUT);
    assert.equal(await responseTo(keptSession), [200, undefined]);
  });

test('ends no session when the app unregisters', async () => {
  const session = await signIn();
  await register(session, 'phone');
  await server.unregisterDevice(session, 'phone');
  assert.equal(await responseTo(session), [200, undefined]);
});

test('leaves no device in a dead session when it signs out and registers at once', async () => {
  for (let round = 0; round < 8; round += 1) {
    const session = await signIn();
    const { id } = await register(session, `phone-${round}`);
    const body = { deviceToken: `phone-${round}`, deviceType: 'web', userAgent: '' } as const;
    const [out, repeatedResponse] = await Promise.all([
      round % 2 === 0 ? signOut(ana, id) : remove(admin, id),
      server.call('POST /api/notifications/register-device', { as: session, body }),
    ]);
    assert.is(out.status, 200);
    assert.ok([200, 401].includes(repeatedResponse.status), String(repeatedResponse.status));
    assert.equal((await list(ana)).body, [], `round ${round}`);
    assert.equal(await responseTo(session), SIGNED_OUT);
  }
});

test('deletes ended sessions once their tokens expire, and with their person', async () => {
  const { db } = server.services;
  const count = async () => (await db.selectFrom('ended_sessions').selectAll().execute()).length;
  const session = await signIn();
  await signOut(ana, (await register(session, 'phone')).id);
  server.clock.now += 30 * DAY_MS;
  await deleteOldData(db, server.clock.now, new AbortController().signal);
  assert.is(await count(), 1);
  assert.equal(await responseTo(session), [401, undefined], 'its time is over anyway');
  await deleteOldData(db, server.clock.now + HOUR_MS, new AbortController().signal);
  assert.is(await count(), 1, 'to a server whose clock is behind it may not be over');
  await deleteOldData(db, server.clock.now + DAY_MS, new AbortController().signal);
  assert.is(await count(), 0);
  const repeatedSession = await signIn();
  await signOut(repeatedSession, (await register(repeatedSession, 'phone')).id);
  await db.deleteFrom('users').where('id', '=', ana.id).execute();
  assert.is(await count(), 0);
});

test.run();
