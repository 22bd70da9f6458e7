import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  keepDevice,
  keepPush,
  readPendingReceipts,
} from '../../../../src/platform/storage/received';
import type { Device, DeviceRegistration, RegisteredDevice } from '../../../../src/shared/contract';
import {
  currentDevice,
  registerIfAllowed,
  registrationError,
  startInBackground,
} from '../../../../src/state/device/registration';
import { readStored } from '../../../../src/platform/storage/storage';
import { DEVICE_STORAGE_KEY } from '../../../../src/state/session';
import { clock, fakeApi } from '../../../support/app/app';
import { fakeDatabase } from '../../../support/app/fake-database';
import { failImports } from '../../../support/app/broken-imports';
import { endSession, signInAs } from '../../../support/app/session';
import { eventually } from '../../../support/eventually';
import { fakePush } from '../../../support/push-services/fake-push';

const test = suite('registering this device');
const REGISTER = 'POST /api/notifications/register-device';
const RECEIPTS = 'POST /api/notifications/receipts';
const real = { ...console };
let last = 4;

test.before.each(() => {
  console.warn = console.info = () => {};
  last = 4;
  clock.install();
  fakeApi.install();
  fakeDatabase.install();
  fakePush.install('granted');
  signInAs('TECHNICIAN', { id: 7, sid: 'now' });
  fakeApi.reply('GET /api/notifications/devices', []);
  fakeApi.reply('GET /api/notifications/vapid-key', { publicKey: 'BAAB' });
  fakeApi.reply('DELETE /api/notifications/unregister-device', { message: '' });
  replyRegistration();
});
test.after.each(() => {
  endSession();
  fakePush.remove();
  fakeDatabase.remove();
  fakeApi.remove();
  clock.remove();
  Object.assign(console, real);
});

const replyRegistration = () =>
  fakeApi.reply(REGISTER, ({ body }) => ({
    ...(body as DeviceRegistration),
    id: ++last,
    createdAt: '',
    lastSeenAt: '',
    deviceKey: 'key',
  }));
const registrationCount = () => fakeApi.requestsTo(REGISTER).length;

test('registers a device once for all who ask, and again for the next', async () => {
  const registrations = [registerIfAllowed(), registerIfAllowed(), registerIfAllowed()];
  assert.is(new Set(registrations).size, 1);
  await Promise.all(registrations);
  assert.equal([registrationCount(), currentDevice.value?.id], [1, 5]);
  await registerIfAllowed();
  assert.equal(
    [registrationCount(), currentDevice.value?.id],
    [2, 6],
    'the server did not list it',
  );
});

test('registers once with a server that only knows the specification', async () => {
  const listed: Device[] = [];
  fakeApi.reply('GET /api/notifications/devices', () => listed);
  fakeApi.reply(REGISTER, ({ body }) => {
    const { deviceToken, deviceType, userAgent } = body as DeviceRegistration;
    const made = { deviceToken, deviceType, userAgent, id: 9, createdAt: '', lastSeenAt: '' };
    listed.push(made);
    return made as RegisteredDevice;
  });
  await registerIfAllowed();
  await registerIfAllowed();
  endSession();
  signInAs('TECHNICIAN', { id: 7 });
  await registerIfAllowed();
  assert.equal(
    [registrationCount(), currentDevice.value?.id, readStored(DEVICE_STORAGE_KEY)],
    [1, 9, listed[0]?.deviceToken],
  );
});

test('registers for the next person after a registration in flight', async () => {
  const release = fakeApi.holdReplies(REGISTER);
  const first = registerIfAllowed();
  await eventually(registrationCount, 'the device to be registered');
  endSession();
  signInAs('TECHNICIAN', { id: 8, sid: 'next' });
  const second = registerIfAllowed();
  assert.is.not(first, second);
  assert.is(second, registerIfAllowed());
  replyRegistration();
  release();
  await first;
  assert.is(currentDevice.value, null, 'the previous person’s does not count');
  await second;
  const people = fakeApi
    .requestsTo(REGISTER)
    .map(({ headers }) => JSON.parse(atob(headers.get('authorization')!.split('.')[1]!)).id);
  assert.equal(people, [7, 8]);
  assert.is((currentDevice.value as Device | null)?.id, last);
});

test('keeps a failed registration’s reason until one succeeds', async () => {
  for (const reason of ['The server is full.', 'It still is.']) {
    fakeApi.reject(REGISTER, 403, reason);
    await registerIfAllowed();
    assert.is(registrationError.value, `Failed to initialize PWA: ${reason}`);
    assert.is(currentDevice.value, null);
  }
  replyRegistration();
  await registerIfAllowed();
  assert.is(registrationError.value, '');
  assert.ok(currentDevice.value);
  endSession();
  assert.is(currentDevice.value, null);
});

test('registers first at a start, then reports what the device noted', async () => {
  await keepDevice({ person: 7, key: 'k', sid: 'before' });
  await keepPush(7, undefined, { messageId: 'm1', kind: 'displayed' });
  fakeApi.reply(RECEIPTS, { recorded: 1 });
  await startInBackground();
  assert.equal(await readPendingReceipts(7), []);
  assert.equal(
    [registrationCount(), fakeApi.requestsTo(RECEIPTS).length, registrationError.value],
    [1, 1, ''],
  );
});

test('reports missing registration code, and registers once it loads', async () => {
  const repair = failImports('./register-device');
  await registerIfAllowed();
  repair();
  assert.match(registrationError.value, /^Failed to initialize PWA: Failed to fetch /);
  await registerIfAllowed();
  assert.equal([registrationError.value, registrationCount()], ['', 1]);
});

test.run();
