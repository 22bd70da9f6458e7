/** The device key lets a worker report while the app is closed. */
import * as assert from 'uvu/assert';
import { replacePassword } from '../../../server/accounts/operator';
import { claimDue } from '../../../server/db/outbox/claim-pushes';
import { recordOutcomes } from '../../../server/db/outbox/outcomes';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('device keys');
let ana: Person;

test.before.each(async () => {
  ana = await server.createPerson('TECHNICIAN', { username: 'ana' });
});

const register = async (deviceToken: string, as = ana) =>
  (
    await server.call('POST /api/notifications/register-device', {
      as,
      body: { deviceToken, deviceType: 'web', userAgent: 'Firefox' },
    })
  ).body;
const renew = (deviceKey: string, deviceToken: string) =>
  server.renewDeviceToken({ token: deviceKey }, deviceToken);
const countReported = async (deviceKey: string): Promise<number> =>
  (await server.sendReceipts({ token: deviceKey }, [])).status;
const listDevices = async (as = ana) =>
  (await server.call('GET /api/notifications/devices', { as })).body.map(
    ({ reach: _, ...device }) => device,
  );

test('gives a device the same key each time, and shows it in no list', async () => {
  const first = await register('token');
  assert.match(first.deviceKey, /^\d+\.[\w-]{43}$/);
  assert.is((await register('token')).deviceKey, first.deviceKey);
  assert.is.not((await register('other')).deviceKey.split('.')[1], first.deviceKey.split('.')[1]);
  assert.not.match(JSON.stringify(await listDevices()), /deviceKey|key_nonce/);
  assert.is(await countReported(first.deviceKey), 200);
});

test('gives two pages the same key that register a browser at once', async () => {
  const registrations = await Promise.all([register('token'), register('token')]);
  assert.is(registrations[0].deviceKey, registrations[1].deviceKey);
  assert.is(await countReported(registrations[0].deviceKey), 200);
});

test('neither stores nor logs a key', async () => {
  const { deviceKey } = await register('token');
  await countReported(deviceKey);
  const [, mac = ''] = deviceKey.split('.');
  const row = await server.services.db.selectFrom('devices').selectAll().executeTakeFirst();
  assert.not.ok(JSON.stringify(row).includes(mac));
  assert.not.ok(server.log.join('\n').includes(mac));
});

test('rejects a key that is forged, cut or of another device', async () => {
  const { id, deviceKey } = await register('token');
  const other = await register('other');
  const [, mac = ''] = deviceKey.split('.');
  const flipped = `${mac.slice(0, -2)}${mac.at(-2) === 'A' ? 'B' : 'A'}${mac.at(-1)}`;
  for (const forged of [
    `${id}.${flipped}`,
    `${other.id}.${mac}`,
    `999999.${mac}`,
    `0${deviceKey}`,
    `-${deviceKey}`,
    `99999999999999999999.${mac}`,
    `${id}.${mac.slice(0, -1)}`,
    `${id}.`,
    `.${mac}`,
    String(id),
    '',
  ]) {
    assert.is(await countReported(forged), 401, forged);
    assert.is((await renew(forged, 'stolen')).status, 401, forged);
  }
  assert.equal((await listDevices()).map(({ deviceToken }) => deviceToken).sort(), [
    'other',
    'token',
  ]);
});

/** What invalidates a key, given the device's id. */
const invalidations: Record<string, (id: number) => Promise<unknown>> = {
  'its browser registered for someone else': async () =>
    register('token', await server.createPerson('CUSTOMER')),
  'its browser signed out': () => server.unregisterDevice(ana, 'token'),
  'its push service rejected it': async () => {
    const { db } = server.services;
    const topic = await server.createTopic();
    await db
      .insertInto('subscriptions')
      .values({ user_id: ana.id, topic_id: topic, created_at: 0 })
      .execute();
    await server.sendToTopic(await server.createPerson('ADMIN'), topic, { message: 'Hello' });
    const { service_id } = await db
      .selectFrom('devices')
      .select('service_id')
      .executeTakeFirstOrThrow();
    const [claim] = await claimDue(db, server.engine, {
      now: server.clock.now,
      leaseMs: 1000,
      from: [{ service: service_id, limit: 1 }],
    });
    assert.ok(claim);
    const settlement = { claim, state: 'gone', reason: 'gone', attempted: true } as const;
    await recordOutcomes(db, [settlement], server.clock.now);
  },
  'its person got a new password': () =>
    replacePassword('ana', server.services.db, server.clock.now),
  'its person was deleted': async () =>
    server.deleteUser(await server.createPerson('ADMIN'), ana.id),
};

for (const [caseName, end] of Object.entries(invalidations)) {
  test(`rejects a key for good once ${caseName}`, async () => {
    await server.services.db
      .updateTable('users')
      .set({ password_hash: 'some' })
      .where('id', '=', ana.id)
      .execute();
    const { id, deviceKey } = await register('token');
    assert.is(await countReported(deviceKey), 200);
    await end(id);
    assert.is(await countReported(deviceKey), 401);
    const before = await server.services.db.selectFrom('devices').selectAll().execute();
    assert.is((await renew(deviceKey, 'another')).status, 401);
    assert.equal(await server.services.db.selectFrom('devices').selectAll().execute(), before);
  });
}

test('keeps device, key and switches when a worker renews its subscription', async () => {
  const { deviceKey, ...device } = await register('old');
  server.clock.now += 60_000;
  const { status, body } = await renew(deviceKey, 'new');
  assert.is(status, 200);
  const lastSeenAt = new Date(server.clock.now).toISOString();
  assert.equal(body, { ...device, deviceToken: 'new', lastSeenAt });
  assert.equal(await listDevices(), [body]);
  assert.is((await renew(deviceKey, 'new')).status, 200, 'once more, where the answer was lost');
  assert.is((await register('new')).deviceKey, deviceKey, 'the page finds the same device');
});

test('moves a renewed subscription from another account, and removes its old device', async () => {
  const ben = await server.createPerson('CUSTOMER');
  const former = await register('shared', ben);
  const { id, deviceKey } = await register('mine');
  assert.is((await renew(deviceKey, 'shared')).status, 200);
  assert.equal([(await listDevices()).map((one) => one.id), await listDevices(ben)], [[id], []]);
  assert.is(await countReported(former.deviceKey), 401);
});

test('unregisters a device by a token that its worker has replaced', async () => {
  const unregister = (deviceToken: string, as = ana) => server.unregisterDevice(as, deviceToken);
  const { deviceKey } = await register('old');
  await renew(deviceKey, 'second');
  await renew(deviceKey, 'third');
  await unregister('old', await server.createPerson('CUSTOMER'));
  assert.is((await listDevices()).length, 1, 'another person does not');
  await unregister('old');
  assert.equal(await listDevices(), []);
  assert.is((await renew(deviceKey, 'fourth')).status, 401, 'nor does the worker bring it back');
});

test('keeps one device when workers and pages register a subscription at once', async () => {
  const ben = await server.createPerson('CUSTOMER');
  const ownDevice = await register('mine');
  const otherDevice = await register('theirs', ben);
  for (let round = 0; round < 10; round += 1) {
    const token = `token-${round}`;
    const results = await Promise.all([
      renew(ownDevice.deviceKey, token),
      renew(otherDevice.deviceKey, token),
      register(token, ben).then(() => ({ status: 200 })),
    ]);
    // The first one may lose the device to the next.
    for (const { status } of results) assert.ok([200, 401].includes(status), String(status));
    const held = await server.services.db
      .selectFrom('devices')
      .select('id')
      .where('token', '=', token)
      .execute();
    assert.is(held.length, 1);
    await register('mine');
  }
});

test('rejects an invalid push subscription by its field', async () => {
  const { deviceKey } = await register('token');
  for (const deviceToken of ['', '{"endpoint":"http://insecure"}', 'with space', 'a'.repeat(5000)])
    assert.is((await renew(deviceKey, deviceToken)).status, 400, deviceToken.slice(0, 30));
  assert.equal(
    (await listDevices()).map(({ deviceToken }) => deviceToken),
    ['token'],
  );
});

test.run();
