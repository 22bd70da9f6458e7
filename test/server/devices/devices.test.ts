import { createECDH, randomBytes } from 'node:crypto';
import * as assert from 'uvu/assert';
import { createPushSubscriber } from '../../support/push-services/subscriber';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('devices');
let ana: Person;

test.before.each(async () => {
  ana = await server.createPerson('TECHNICIAN');
});

const register = (deviceToken: string, as = ana, userAgent = 'Firefox') =>
  server.call('POST /api/notifications/register-device', {
    as,
    body: { deviceToken, deviceType: 'web', userAgent },
  });
const readOwnDevices = async (as = ana) =>
  (await server.call('GET /api/notifications/devices', { as })).body;
/** Leaves out reach, which has its own tests. */
const readDevices = async (as = ana) =>
  (await readOwnDevices(as)).map(({ reach: _, ...device }) => device);

test('lists a device with its registered details', async () => {
  const { status, body } = await register('token');
  const at = new Date(server.clock.now).toISOString();
  assert.is(status, 200);
  const { deviceKey, ...device } = body;
  assert.equal(device, {
    id: body.id,
    deviceToken: 'token',
    deviceType: 'web',
    userAgent: 'Firefox',
    createdAt: at,
    lastSeenAt: at,
  });
  assert.type(deviceKey, 'string');
  assert.equal(await readDevices(), [device]);
});

test('updates the device when its token is registered again', async () => {
  const { body: first } = await register('token');
  server.clock.now += 60_000;
  const repeatedResponses = await Promise.all([
    register('token', ana, 'Chrome'),
    register('token', ana, 'Chrome'),
  ]);
  for (const { body } of repeatedResponses) {
    assert.equal(body, {
      ...first,
      userAgent: 'Chrome',
      lastSeenAt: new Date(server.clock.now).toISOString(),
    });
  }
  assert.is((await readDevices()).length, 1);
});

test('moves a token to the later of two accounts that register it at once', async () => {
  const ben = await server.createPerson('CUSTOMER');
  for (let round = 0; round < 20; round += 1) {
    const registrations = await Promise.all([
      register(`token-${round}`),
      register(`token-${round}`, ben),
    ]);
    assert.equal(
      registrations.map(({ status }) => status),
      [200, 200],
    );
    const [first, second] = registrations.map(({ body }) => body.id);
    assert.is.not(first, second, `round ${round}`);
    const held = [...(await readDevices()), ...(await readDevices(ben))].filter(
      ({ deviceToken }) => deviceToken === `token-${round}`,
    );
    assert.equal(
      held.map(({ id }) => id),
      [Math.max(first ?? 0, second ?? 0)],
    );
  }
});

test("unregisters a device, repeatedly, and never another person's", async () => {
  const ben = await server.createPerson('CUSTOMER');
  await register('token');
  const unregister = (as: Person) => server.unregisterDevice(as, 'token');
  assert.is((await unregister(ben)).status, 200);
  assert.is((await readDevices()).length, 1);
  assert.is((await unregister(ana)).status, 200);
  assert.equal(await readDevices(), []);
  assert.is((await unregister(ana)).status, 200);
});

test('replaces the device unseen for longest after twenty', async () => {
  for (let index = 0; index < 21; index += 1) {
    server.clock.now += 1000;
    await register(`token-${index}`);
  }
  const tokens = (await readDevices()).map(({ deviceToken }) => deviceToken);
  assert.is(tokens.length, 20);
  assert.equal([tokens[0], tokens.at(-1)], ['token-20', 'token-1']);
});

test('queues a device at its push service, also after its token moved', async () => {
  const { db } = server.services;
  const serviceOf = async () => {
    const row = await db
      .selectFrom('devices')
      .innerJoin('push_services', 'push_services.id', 'devices.service_id')
      .select('origin')
      .executeTakeFirstOrThrow();
    return row.origin;
  };
  await register('token');
  assert.is(await serviceOf(), 'fcm');
  await register('token', await server.createPerson('CUSTOMER'));
  assert.is(await serviceOf(), 'fcm');
});

test('requires a whole installation ID, or a complete Web Push subscription at an https address without credentials', async () => {
  const whole = {
    endpoint: 'https://push.example/abc',
    keys: {
      p256dh: createECDH('prime256v1').generateKeys('base64url'),
      auth: randomBytes(16).toString('base64url'),
    },
  };
  assert.is((await register(JSON.stringify(whole))).status, 200);
  assert.is((await register('fid:cLocalInstallationId00')).status, 200);
  assert.is((await register('fid:too-short')).status, 400);
  const offCurve = Buffer.from(whole.keys.p256dh, 'base64url');
  offCurve[64]! ^= 1;
  const compressed = createECDH('prime256v1').generateKeys('base64url', 'compressed');
  const broken = {
    'no endpoint': { keys: whole.keys },
    'plain http': { ...whole, endpoint: 'http://push.example/abc' },
    'no address': { ...whole, endpoint: 'push.example' },
    credentials: { ...whole, endpoint: 'https://user:secret@push.example/abc' },
    script: { ...whole, endpoint: 'javascript:alert(1)' },
    'no keys': { endpoint: whole.endpoint },
    'a compressed point': { ...whole, keys: { ...whole.keys, p256dh: compressed } },
    'a point beside the curve': {
      ...whole,
      keys: { ...whole.keys, p256dh: offCurve.toString('base64url') },
    },
    'a host that no name server knows': { ...whole, endpoint: `https://${'a.'.repeat(126)}ab/abc` },
    'a short secret': { ...whole, keys: { ...whole.keys, auth: 'AAAA' } },
    'keys that are no text': { ...whole, keys: { p256dh: 1, auth: null } },
  };
  for (const [caseName, subscription] of Object.entries(broken)) {
    const { status, error } = await register(JSON.stringify(subscription));
    assert.equal(
      [status, error],
      [
        400,
        [
          {
            message:
              'Device token must be a valid push subscription, FCM token or installation ID.',
            path: 'deviceToken',
          },
        ],
      ],
      caseName,
    );
  }
  for (const text of [
    '{',
    ` ${JSON.stringify({ endpoint: 'http://x' })}`,
    '',
    'x'.repeat(4097),
    '<x>',
    'a b',
    '"x"',
  ])
    assert.is((await register(text)).status, 400, text.slice(0, 20));
});

test('cuts a long user agent, and rejects an unknown device type', async () => {
  assert.is((await register('token', ana, 'x'.repeat(5000))).body.userAgent.length, 512);
  const body = JSON.stringify({ deviceToken: 'x', deviceType: 'fridge', userAgent: '' });
  const headers = { Authorization: `Bearer ${ana.token}`, 'Content-Type': 'application/json' };
  assert.is(
    (await server.request('/api/notifications/register-device', { method: 'POST', headers, body }))
      .status,
    400,
  );
});

test('serves the same valid Web Push key to everyone at every start', async () => {
  const { body } = await server.call('GET /api/notifications/vapid-key');
  assert.is(Buffer.from(body.publicKey, 'base64url').length, 65);
  const { loadVapidKeys } = await import('../../../server/delivery/web-push/vapid');
  const repeatedResponses = await Promise.all([
    loadVapidKeys(server.services.db),
    loadVapidKeys(server.services.db),
  ]);
  const pair = createECDH('prime256v1');
  for (const keys of repeatedResponses) {
    assert.is(keys.publicKey, body.publicKey);
    pair.setPrivateKey(keys.privateKey, 'base64url');
    assert.is(pair.getPublicKey('base64url'), body.publicKey);
  }
});

const listPushServices = async (): Promise<string[]> =>
  (await server.services.db.selectFrom('push_services').select('origin').execute())
    .map(({ origin }) => origin)
    .sort();
const { keys } = createPushSubscriber();
const tokenAt = (origin: string): string => JSON.stringify({ endpoint: `${origin}/1`, keys });

test('keeps no more invented push services of a person than devices', async () => {
  for (let index = 0; index < 25; index += 1) {
    server.clock.now += 1;
    assert.is((await register(tokenAt(`https://made-up-${index}.example`))).status, 200);
  }
  const last = Array.from({ length: 20 }, (_, index) => `https://made-up-${5 + index}.example`);
  assert.equal(await listPushServices(), last.sort());
  for (const { deviceToken } of await readDevices())
    await server.unregisterDevice(ana, deviceToken);
  assert.equal(await listPushServices(), []);
});

test('keeps twenty of thirty devices registered at once', async () => {
  const responses = await Promise.all(
    Array.from({ length: 30 }, (_, index) => register(`token-${index}`)),
  );
  for (const { status } of responses) assert.is(status, 200);
  assert.is((await readDevices()).length, 20);
});

test.run();
