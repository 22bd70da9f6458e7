/** One installation of the app is one device, whatever its token. */
import * as assert from 'uvu/assert';
import type { DeviceRegistration } from '../../../src/shared/contract';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('installations');
let ana: Person;

test.before.each(async () => {
  ana = await server.createPerson('TECHNICIAN');
});

const tryTo = (deviceToken: string, reported: Partial<DeviceRegistration> = {}, as: Person = ana) =>
  server.call('POST /api/notifications/register-device', {
    as,
    body: { deviceToken, deviceType: 'web', userAgent: '', ...reported },
  });
async function register(...given: Parameters<typeof tryTo>) {
  const { status, body } = await tryTo(...given);
  assert.is(status, 200);
  return body;
}
const devices = async (as = ana) =>
  (await server.call('GET /api/notifications/devices', { as })).body;
const tokens = async (as = ana): Promise<string[]> =>
  (await devices(as)).map(({ deviceToken }) => deviceToken).sort();
const PHONE = { installationId: 'phone-1' };

test('keeps device, key and switches when an installation gets a new token', async () => {
  const topic = await server.createTopic();
  await server.services.db
    .insertInto('subscriptions')
    .values({ user_id: ana.id, topic_id: topic, created_at: 0 })
    .execute();
  const before = await register('old', PHONE);
  await server.setDevicePreference(ana, before.id, topic, false);
  server.clock.now += 60_000;
  const after = await register('new', PHONE);
  const lastSeenAt = new Date(server.clock.now).toISOString();
  assert.equal(after, { ...before, deviceToken: 'new', lastSeenAt });
  assert.equal(await tokens(), ['new']);
  const { body } = await server.call('GET /api/notifications/preferences/:id', {
    as: ana,
    params: { id: after.id },
  });
  assert.equal(body, [{ topicId: topic, enabled: false }]);
  assert.equal(await register('new', PHONE), after, 'once more');
});

test('registers another device for another installation, or none', async () => {
  await register('one', PHONE);
  await register('two', { installationId: 'phone-2' });
  await register('three');
  await register('four');
  assert.equal(await tokens(), ['four', 'one', 'three', 'two']);
});

test("leaves another person's device of the same installation alone", async () => {
  const ben = await server.createPerson('CUSTOMER');
  const bensDevice = await register('ben', PHONE, ben);
  await register('ana', PHONE);
  assert.equal(await tokens(ben), ['ben']);
  assert.is((await register('ben', PHONE, ben)).deviceKey, bensDevice.deviceKey);
  await register('ben', PHONE);
  assert.equal([await tokens(), await tokens(ben)], [['ben'], []], 'its token moves as ever');
});

test('keeps the device that has the token, and removes older ones of the installation', async () => {
  const stale = await register('stale', PHONE);
  const current = await register('current');
  const after = await register('current', PHONE);
  assert.equal([after.id, after.deviceKey], [current.id, current.deviceKey]);
  assert.is.not(after.id, stale.id);
  assert.equal(await tokens(), ['current']);
});

test('keeps one device when an installation registers many tokens at once', async () => {
  const responses = await Promise.all(
    Array.from({ length: 12 }, (_, nth) => register(`token-${nth}`, PHONE)),
  );
  assert.is(new Set(responses.map(({ id }) => id)).size, 1);
  assert.is((await devices()).length, 1);
});

test('keeps twenty installations, and removes none for a new token', async () => {
  for (let nth = 0; nth < 21; nth += 1) {
    server.clock.now += 1000;
    await register(`token-${nth}`, { installationId: `phone-${nth}` });
  }
  await register('again', { installationId: 'phone-1' });
  const storedTokens = await tokens();
  assert.is(storedTokens.length, 20);
  assert.ok(storedTokens.includes('again') && storedTokens.includes('token-2'));
  assert.not(storedTokens.includes('token-1') || storedTokens.includes('token-0'));
});

test('forgets rejections when a device gets a new token', async () => {
  const { db } = server.services;
  const { id, deviceKey } = await register('old', PHONE);
  const state = async () => (await devices())[0]?.reach?.state;
  const now = server.clock.now;
  const rejectedReach = { refused_at: now, refused_reason: 'refused', refusals: 3 };
  const displayed = { accepted_at: now, displayed_at: now, displayed_accepted_at: now };
  await db
    .insertInto('device_reach')
    .values({ device_id: id, ...displayed, ...rejectedReach })
    .execute();
  await register('old', PHONE);
  assert.is(await state(), 'failing', 'the same token');
  await register('new', PHONE);
  assert.is(await state(), 'reachable');
  await db.updateTable('device_reach').set(rejectedReach).execute();
  await server.renewDeviceToken({ token: deviceKey }, 'newest');
  assert.equal([await state(), (await devices())[0]?.reach?.refusals], ['reachable', 0]);
});

test('keeps installed and model when a later registration omits them', async () => {
  await register('token', { ...PHONE, installed: false, model: 'SM-A047F' });
  const readInstallation = async () => {
    const [device] = await devices();
    return [device?.reach?.installed, device?.reach?.model];
  };
  assert.equal(await readInstallation(), [false, 'SM-A047F']);
  await register('token');
  assert.equal(await readInstallation(), [false, 'SM-A047F']);
  await register('other', { ...PHONE, installed: true, model: '' });
  assert.equal(await readInstallation(), [true, '']);
  await register('other');
  assert.equal(await readInstallation(), [true, '']);
});

test('cuts and cleans a model, and never rejects it', async () => {
  for (const [model, expected] of [
    ['  SM-A047F\n', 'SM-A047F'],
    ['x'.repeat(5000), 'x'.repeat(64)],
    ['\0\u202eevil\uD800\u2028', 'evil'],
    ['📱'.repeat(100), '📱'.repeat(64)],
    ['<b>bold</b>', '<b>bold</b>'],
  ] as const) {
    await register('token', { model });
    assert.is((await devices())[0]?.reach?.model, expected);
  }
});

test('rejects an invalid installation id', async () => {
  await register('token', { installationId: 'x'.repeat(64) });
  for (const installationId of ['', 'x'.repeat(65), 'a b', 'ä', "'--", '\0'])
    assert.equal(
      (await tryTo('token', { installationId })).error,
      [{ message: 'Installation id is invalid.', path: 'installationId' }],
      installationId,
    );
  for (const body of [{ installationId: 1 }, { installed: 'yes' }, { model: {} }])
    assert.is((await tryTo('token', body as never)).status, 400);
});

test.run();
