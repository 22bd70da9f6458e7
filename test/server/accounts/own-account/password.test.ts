import { decodeJwt } from 'jose';
import * as assert from 'uvu/assert';
import type { RegisteredDevice } from '../../../../src/shared/contract';
import { createPushSubscriber } from '../../../support/push-services/subscriber';
import type { Person } from '../../../support/server/server';
import { useUpLimit } from '../../../support/server/rate-limits';
import { serverSuite } from '../../../support/server/server';

const { test, server } = serverSuite('your password');
const [PASSWORD, NEW] = ['correct horse battery', 'brown meadow lantern'];
const HOUR_MS = 60 * 60 * 1000;
type Session = { token: string };
let ana: Person;
test.before.each(async () => {
  ana = await server.createPerson('TECHNICIAN', {
    username: 'ana',
    email: 'ana@mail.example',
    password: PASSWORD,
  });
});

const signIn = async (password = PASSWORD, username = 'ana'): Promise<Session> =>
  (await server.signIn(username, password)).body;
const change = (as: Session, current = PASSWORD, password = NEW, from?: string) =>
  server.call('PUT /api/account/password', {
    as,
    body: { current, password },
    ...(from !== undefined && { from }),
  });
const read = (as: Session) => server.call('GET /api/account', { as });
const signOutEverywhere = (as: Session) =>
  server.call('POST /api/account/sign-out-everywhere', { as });
async function register(as: Session, deviceToken: string): Promise<RegisteredDevice> {
  const body = { deviceToken, deviceType: 'web', userAgent: '' } as const;
  return (await server.call('POST /api/notifications/register-device', { as, body })).body;
}
const codeOf = async ({ token }: Session): Promise<string | undefined> => {
  const headers = { Authorization: `Bearer ${token}` };
  const response = await server.request('/api/account', { headers });
  return ((await response.json()) as { code?: string }).code;
};
const receiptStatus = async ({ deviceKey }: RegisteredDevice): Promise<number> =>
  (await server.sendReceipts({ token: deviceKey }, [])).status;

test('shows people their own account', async () => {
  const { status, body } = await read(ana);
  assert.is(status, 200);
  const { id, username, email, role, createdAt } = ana;
  assert.equal(body, {
    ...{ id, username, email, role, createdAt },
    emailVerified: false,
    pendingEmail: null,
    hasPassword: true,
    language: null,
  });
});

test('signs out all other sessions with a new password, and keeps devices', async () => {
  const [ownSession, otherSession] = [await signIn(), await signIn()];
  const [phone, desk] = [await register(ownSession, 'phone'), await register(otherSession, 'desk')];
  const { status, body } = await change(ownSession);
  assert.is(status, 200);
  assert.equal(
    [(await read(ownSession)).status, (await read(otherSession)).status, (await read(ana)).status],
    [401, 401, 401],
  );
  assert.is(await codeOf(otherSession), undefined, 'the app there does not forget its person');
  const { body: devices } = await server.call('GET /api/notifications/devices', { as: body });
  assert.equal(devices.map(({ id }) => id).sort(), [phone.id, desk.id].sort());
  assert.equal([await receiptStatus(phone), await receiptStatus(desk)], [200, 200]);
  const [before, after] = [decodeJwt(ownSession.token), decodeJwt(body.token)];
  assert.equal([after.sid, after.auth_time], [before.sid, before.auth_time], 'the same session');
  assert.is((await signIn(PASSWORD)).token, undefined);
  assert.ok((await signIn(NEW)).token);
});

test('signs an administrator out twelve hours after the sign-in, also with a new password', async () => {
  await server.createPerson('ADMIN', { username: 'boss', password: PASSWORD });
  const session = await signIn(PASSWORD, 'boss');
  server.clock.now += 11 * HOUR_MS;
  const { body } = await change(session);
  const { body: signedOutSession } = await signOutEverywhere(body);
  server.clock.now += 59 * 60_000;
  assert.is((await read(signedOutSession)).status, 200);
  server.clock.now += 60_000;
  assert.is((await read(signedOutSession)).status, 401);
});

test('rejects a wrong current password with 403, and changes nothing', async () => {
  const { status, error } = await change(ana, 'wrong');
  assert.equal(
    [status, error],
    [403, [{ message: 'This is not your current password.', path: 'current' }]],
  );
  assert.is((await read(ana)).status, 200);
  assert.ok((await signIn()).token);
  assert.ok(server.log.some((line) => line.includes('password rejected: wrong')));
  assert.not.ok(server.log.some((line) => line.includes('wrong"')));
});

test('checks the right password forty times in 15 minutes per person', async () => {
  const limit = {
    key: ['own-password-all', String(ana.id)],
    max: 40,
    windowMs: HOUR_MS / 4,
  };
  await useUpLimit(39, limit, server.services);
  const [firstResponse, secondResponse] = [
    await change(ana),
    await change(await signIn(NEW), NEW, PASSWORD),
  ];
  assert.equal([firstResponse.status, secondResponse.status], [200, 429]);
  server.clock.now += HOUR_MS / 4;
  assert.is((await change(await signIn(NEW), NEW, PASSWORD)).status, 200);
});

test('blocks even the right password after ten wrong ones, and lets the person sign in', async () => {
  for (let wrong = 1; wrong <= 10; wrong += 1)
    assert.is((await change(ana, 'wrong', NEW, `192.0.2.${wrong}`)).status, 403);
  const rejectedResponse = await change(ana);
  assert.is(rejectedResponse.status, 429);
  assert.ok(Number(rejectedResponse.headers.get('Retry-After')) > 0);
  const other = { email: 'b@mail.example', password: PASSWORD };
  assert.is((await server.call('PUT /api/account/email', { as: ana, body: other })).status, 429);
  assert.ok((await signIn()).token);
  server.clock.now += 91_000;
  assert.is((await change(ana)).status, 200);
});

for (const [caseName, password] of Object.entries({
  'too short': 'short',
  'well-known': 'password123',
  'too long': 'x'.repeat(1025),
}))
  test(`rejects a new password that is ${caseName}, whatever the current one is`, async () => {
    for (const current of [PASSWORD, 'wrong'])
      assert.is((await change(ana, current, password)).status, 400);
  });

test('confirms no password for an account that has none', async () => {
  const passwordless = await server.createPerson('TECHNICIAN');
  assert.is((await change(passwordless, '')).status, 403);
});

test('lets one of two password changes at once win, and signs the other out', async () => {
  const [firstSession, secondSession] = [await signIn(), await signIn()];
  const statuses = await Promise.all(
    [
      change(firstSession, PASSWORD, NEW),
      change(secondSession, PASSWORD, 'yet another password'),
    ].map(async (changedResponse) => (await changedResponse).status),
  );
  assert.equal(statuses.sort(), [200, 401]);
});

test('signs out every session and device, and tells their apps to forget the person', async () => {
  const [ownSession, otherSession, desk] = [await signIn(), await signIn(), await signIn()];
  const { keys } = createPushSubscriber();
  const made = JSON.stringify({ endpoint: 'https://made-up.example/1', keys });
  const devices = [await register(ownSession, 'here'), await register(otherSession, made)];
  const services = async () =>
    (await server.services.db.selectFrom('push_services').select('origin').execute())
      .map(({ origin }) => origin)
      .sort();
  assert.equal(await services(), ['fcm', 'https://made-up.example']);
  const bystander = await server.createPerson('TECHNICIAN', { username: 'ben' });
  const bystandersDevice = await register(bystander, 'bens');
  const { status, body } = await signOutEverywhere(ownSession);
  assert.is(status, 200);
  assert.equal(
    [await codeOf(ownSession), await codeOf(otherSession), await codeOf(desk)],
    ['signed_out', 'signed_out', undefined],
  );
  assert.is((await read(desk)).status, 401, 'a session without a device');
  assert.equal(await Promise.all(devices.map(receiptStatus)), [401, 401]);
  const devicesResponse = await server.call('GET /api/notifications/devices', { as: body });
  assert.equal(
    [devicesResponse.status, devicesResponse.body],
    [200, []],
    'with the token of the answer',
  );
  assert.not.equal(decodeJwt(body.token).sid, decodeJwt(ownSession.token).sid);
  assert.is(await receiptStatus(bystandersDevice), 200, 'devices of other people stay signed in');
  const row = await server.services.db
    .selectFrom('users')
    .select('device_lost_why')
    .where('id', '=', ana.id)
    .executeTakeFirst();
  assert.is(row?.device_lost_why, 'signed_out');
  assert.equal(await services(), ['fcm'], 'a push service without devices is forgotten');
  const { status: again, body: next } = await signOutEverywhere(body);
  assert.is(again, 200, 'and once more');
  assert.ok((await register(next, 'here')).id, 'a device can be registered again');
});

test.run();
