import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Device, DeviceRegistration, OwnDevice } from '../../../../src/shared/contract';
import { writeStored } from '../../../../src/platform/storage/storage';
import { ownDevices } from '../../../../src/state/device/own-devices';
import { discardSession } from '../../../../src/state/session';
import { registerThisDevice } from '../../../../src/state/device/register-device';
import { enableNotifications } from '../../../../src/state/device/registration';
import { clock, fakeApi } from '../../../support/app/app';
import { breakStorage } from '../../../support/app/broken-storage';
import { createOwnDevice, createOwnDeviceReach } from '../../../support/app/own-device';
import { endSession, signInAs } from '../../../support/app/session';
import { eventually } from '../../../support/eventually';
import { fakePush } from '../../../support/push-services/fake-push';

const test = suite('errors of a registration');
const DEVICES = 'GET /api/notifications/devices';
const UNREGISTER = 'DELETE /api/notifications/unregister-device';
const REGISTER = 'POST /api/notifications/register-device';

let devices: OwnDevice[] = [];
const real = { ...console };
test.before.each(() => {
  console.warn = console.info = () => {};
  clock.install();
  fakeApi.install();
  fakePush.install('granted');
  signInAs('TECHNICIAN');
  devices = [];
  fakeApi.reply(DEVICES, () => devices);
  fakeApi.reply('GET /api/notifications/vapid-key', { publicKey: 'BAAB' });
  fakeApi.reply(REGISTER, ({ body }) => ({
    ...(body as Device),
    id: 5,
    createdAt: '',
    lastSeenAt: '',
    deviceKey: 'key',
  }));
});
test.after.each(() => {
  for (const name of ['userAgentData', 'standalone']) Reflect.deleteProperty(navigator, name);
  endSession();
  fakePush.remove();
  fakeApi.remove();
  clock.remove();
  Object.assign(console, real);
});

const registrations = () =>
  fakeApi.requestsTo(REGISTER).map(({ body }) => body as DeviceRegistration);
/** Simulates another start: the server does not list the device. */
async function registerAtNextStart(): Promise<DeviceRegistration> {
  devices = [];
  await registerThisDevice();
  return registrations().at(-1)!;
}
const reportModel = (getHighEntropyValues: (hints: string[]) => unknown) =>
  Object.assign(navigator, { userAgentData: { getHighEntropyValues } });

test('enables notifications only after the server has registered the device', async () => {
  let isEnabled = false;
  const release = fakeApi.holdReplies(REGISTER);
  const enabling = enableNotifications().then(() => (isEnabled = true));
  await eventually(() => registrations().length, 'the device to be registered');
  assert.is(isEnabled, false);
  release();
  await enabling;
});

test('keeps the installation in every session, until everything is removed', async () => {
  const { installationId: first } = await registerAtNextStart();
  assert.match(first ?? '', /^[\w-]{20,64}$/);
  assert.is((await registerAtNextStart()).installationId, first);
  endSessionAlone();
  signInAs('CUSTOMER', { id: 9 });
  assert.is((await registerAtNextStart()).installationId, first);
  localStorage.clear(); // as Reset App does
  signInAs('CUSTOMER', { id: 9 });
  assert.not.equal((await registerAtNextStart()).installationId, first);
});

function endSessionAlone(): void {
  const installationId = localStorage.getItem('installation_id')!;
  endSession();
  localStorage.setItem('installation_id', installationId);
}

for (const damaged of ['', 'x'.repeat(65), 'a b', '<img>'])
  test(`replaces the installation "${damaged.slice(0, 10)}"`, async () => {
    localStorage.setItem('installation_id', damaged);
    const { installationId } = await registerAtNextStart();
    assert.match(installationId ?? '', /^[\w-]{20,64}$/);
    assert.is(localStorage.getItem('installation_id'), installationId);
  });

test('sends no installation where nothing can be stored', async () => {
  const repair = breakStorage();
  try {
    assert.is((await registerAtNextStart()).installationId, undefined);
  } finally {
    repair();
    // Values that the app held in memory.
    for (const name of ['device_token', 'device_token_since', 'installation_id'])
      writeStored(name, null);
  }
});

test('hides a registration that ends in the next person’s session', async () => {
  localStorage.setItem('device_token', 'an old one');
  fakeApi.reply(UNREGISTER, { message: '' });
  const release = fakeApi.holdReplies(UNREGISTER);
  devices = [createOwnDevice({ deviceToken: 'of the person before' })];
  const registered = registerThisDevice();
  await eventually(() => fakeApi.requestsTo(UNREGISTER).length, 'the old one to be unregistered');
  endSession();
  signInAs('TECHNICIAN', { id: 8 });
  release();
  assert.is(await registered, null);
  assert.is(ownDevices.value, null);
});

const subscription = async () =>
  (await navigator.serviceWorker.getRegistration('/'))?.pushManager.getSubscription();

test('does not subscribe if the session ends before it starts', async () => {
  endSession();
  assert.is(await registerThisDevice(), null);
  assert.is(await subscription(), null);
});

test('removes the subscription when the session ends while the push service responds', async () => {
  fakeApi.reply('GET /api/notifications/vapid-key', () => {
    endSession();
    return { publicKey: 'BAAB' };
  });
  assert.is(await registerThisDevice(), null);
  assert.is(await subscription(), null);
  assert.equal(registrations(), []);
});

test('keeps a registered device when its session expires at the next start', async () => {
  await registerAtNextStart();
  const before = await subscription();
  assert.ok(before);
  fakeApi.reply('GET /api/notifications/vapid-key', () => {
    discardSession('the server rejected it');
    return { publicKey: 'BAAB' };
  });
  assert.is(await registerThisDevice(), null);
  assert.is(await subscription(), before);
});

test('gives the next person no device while the browser looks up the model', async () => {
  let tell: ((told: object) => void) | undefined;
  reportModel(() => new Promise((resolve) => (tell = resolve)));
  const registered = registerThisDevice();
  await eventually(() => tell, 'the model to be asked for');
  endSession();
  signInAs('TECHNICIAN', { id: 8 });
  tell?.({ model: 'SM-A047F' });
  assert.is(await registered, null);
  assert.is(registrations().length, 0);
});

test('sends the model where available, cut to the server’s limit', async () => {
  const requestedHints: unknown[] = [];
  reportModel(async (hints) => {
    requestedHints.push(hints);
    return { model: 'SM-A047F' };
  });
  assert.is((await registerAtNextStart()).model, 'SM-A047F');
  assert.equal(requestedHints, [['model']]);
  reportModel(async () => ({ model: 'M'.repeat(1000) }));
  assert.is((await registerAtNextStart()).model, 'M'.repeat(64));
});

for (const [what, reply] of [
  ['has no such question', undefined],
  ['refuses', () => Promise.reject(new DOMException('No', 'NotAllowedError'))],
  [
    'throws',
    () => {
      throw new Error('broken');
    },
  ],
  ['answers with something else', async () => ({ model: { toString: () => 'x' } })],
  ['answers nothing', async () => undefined],
  ['knows none', async () => ({ model: '' })],
] as const)
  test(`registers a browser that ${what} without a model`, async () => {
    if (reply) reportModel(reply);
    const body = await registerAtNextStart();
    assert.is('model' in body, false);
    assert.is(body.deviceToken, fakePush.token());
  });

test('waits at most one second for the phone’s model', async () => {
  let isModelRequested = false;
  reportModel(() => {
    isModelRequested = true;
    return new Promise(() => {});
  });
  const registered = registerThisDevice();
  await eventually(() => isModelRequested, 'the model to be asked for');
  await clock.advance(990);
  assert.is(registrations().length, 0);
  await clock.advance(20);
  await registered;
  assert.is(registrations().length, 1);
});

test('sends whether the app is installed', async () => {
  assert.is((await registerAtNextStart()).installed, false);
  Object.assign(navigator, { standalone: true });
  assert.is((await registerAtNextStart()).installed, true);
});

test('reports a later installation once, and keeps it despite another tab', async () => {
  const known = (installed: boolean | null): OwnDevice => ({
    id: 5,
    deviceToken: fakePush.token(),
    deviceType: 'web',
    userAgent: '',
    createdAt: '',
    lastSeenAt: '',
    reach: createOwnDeviceReach({ installed }),
  });
  const start = async (installed: boolean | null) => {
    devices = [known(installed)];
    await registerThisDevice();
    return registrations().length;
  };
  await registerAtNextStart();
  assert.is(await start(null), 2);
  assert.is(await start(false), 2);
  Object.assign(navigator, { standalone: true });
  assert.is(await start(false), 3);
  assert.is(registrations().at(-1)?.installed, true);
  assert.is(await start(true), 3);
  Object.assign(navigator, { standalone: false });
  assert.is(await start(true), 3);
});

test.run();
