import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { writeOfflineData } from '../../../../src/platform/storage/database';
import type { OwnDevice } from '../../../../src/shared/contract';
import {
  ownDevicesAsOf,
  readOwnDevices,
  followOwnDevices,
  areOwnDevicesFresh,
  loadOwnDevices,
  ownDevices,
  ownDevicesError,
  showOwnDevices,
  setOwnDevices,
  thisDevice,
} from '../../../../src/state/device/own-devices';
import { DEVICE_STORAGE_KEY } from '../../../../src/state/session';
import { clock, fakeApi, waitFor } from '../../../support/app/app';
import { fakeDatabase } from '../../../support/app/fake-database';
import { createOwnDevice, createSucceededTest } from '../../../support/app/own-device';
import { endSession, signInAs } from '../../../support/app/session';

const test = suite('your devices');
const DEVICES = 'GET /api/notifications/devices';
const HOUR_MS = 3600_000;
const { now } = Date;
/** A person per test, so that earlier work cannot interfere. */
let person = 1300;

test.before.each(() => {
  fakeApi.install();
  fakeDatabase.install();
  clock.install();
  signInAs('TECHNICIAN', { id: ++person });
});
test.after.each(() => {
  Date.now = now;
  endSession();
  clock.remove();
  fakeDatabase.remove();
  fakeApi.remove();
});

const requestCount = () => fakeApi.requestsTo(DEVICES).length;

test('accepts a device without valid reach', async () => {
  const lastTest = createSucceededTest();
  const { reach, ...older } = createOwnDevice();
  fakeApi.reply(DEVICES, [
    older,
    { ...older, reach: { state: 7 } } as unknown as OwnDevice,
    { ...older, reach: { ...reach, lastTest: { id: 't' } } } as unknown as OwnDevice,
    { ...older, reach: { ...reach!, lastTest } },
  ]);
  assert.equal(
    (await readOwnDevices()).map((one) => [one.id, one.reach?.lastTest]),
    [
      [5, undefined],
      [5, undefined],
      [5, null],
      [5, lastTest],
    ],
  );
});

test('reuses responses for a minute unless the clock was set back', async () => {
  fakeApi.reply(DEVICES, [createOwnDevice()]);
  await loadOwnDevices();
  const startedAt = Date.now();
  for (const [passed, fresh] of [
    [59_000, true],
    [61_000, false],
    [-59_000, true],
    [-2 * HOUR_MS, false],
  ] as const) {
    Date.now = () => startedAt + passed;
    assert.is(areOwnDevicesFresh(), fresh, String(passed));
    followOwnDevices()();
    assert.is(requestCount(), fresh ? 1 : 2);
    if (fresh) continue;
    await waitFor(() => assert.is(ownDevicesAsOf.value, startedAt + passed));
    setOwnDevices(ownDevices.value!);
    Date.now = () => startedAt;
    setOwnDevices(ownDevices.value!);
    fakeApi.install();
    fakeApi.reply(DEVICES, [createOwnDevice()]);
    await loadOwnDevices();
  }
});

test('hides slowly read devices of one person from the next', async () => {
  await writeOfflineData('own_devices', { person, asOf: 1, devices: [createOwnDevice()] });
  const release = fakeDatabase.holdTransactions();
  const showing = showOwnDevices();
  endSession();
  signInAs('TECHNICIAN', { id: ++person });
  release();
  await showing;
  assert.is(ownDevices.value, null);
});

test('identifies this device by registration or token, for each person separately', () => {
  localStorage.setItem(DEVICE_STORAGE_KEY, 'token-6');
  const devices = [5, 6, 7].map((id) => createOwnDevice({ id, deviceToken: `token-${id}` }));
  setOwnDevices(devices);
  assert.is(thisDevice.value?.id, 6);
  setOwnDevices(devices, 7);
  assert.is(thisDevice.value?.id, 7);
  setOwnDevices(devices);
  assert.is(thisDevice.value?.id, 7, 'it still is');
  signInAs('TECHNICIAN', { id: ++person });
  setOwnDevices(devices);
  assert.is(thisDevice.value?.id, 6);
  setOwnDevices(devices.slice(0, 1));
  assert.is(thisDevice.value, undefined);
});

test('keeps the reason of a failure until it is resolved, never for the next person', async () => {
  for (const end of [
    async () => {
      fakeApi.reply(DEVICES, []);
      await loadOwnDevices();
    },
    async () => void signInAs('TECHNICIAN', { id: ++person }),
  ]) {
    fakeApi.reject(DEVICES, 500, 'The database is away.');
    await loadOwnDevices();
    assert.is(ownDevicesError.value, 'The database is away.');
    await end();
    assert.is(ownDevicesError.value, '');
  }
  assert.is(ownDevices.value, null);
});

test('ignores a failure after a later response', async () => {
  fakeApi.loseRequests(DEVICES);
  const fail = fakeApi.holdReplies(DEVICES);
  const early = loadOwnDevices();
  fakeApi.reply(DEVICES, [createOwnDevice()]);
  await loadOwnDevices();
  fail();
  await early;
  assert.equal([ownDevices.value?.length, ownDevicesError.value], [1, '']);
});

test('dates devices by the server’s clock, and never replaces newer ones by stored ones', async () => {
  localStorage.setItem('clock_skew', String(2 * HOUR_MS));
  setOwnDevices([createOwnDevice()]);
  const loadedAt = ownDevicesAsOf.value;
  assert.ok(Math.abs(loadedAt - now() - 2 * HOUR_MS) < 60_000);
  const before = person;
  await showOwnDevices();
  signInAs('TECHNICIAN', { id: ++person });
  await showOwnDevices();
  assert.is(ownDevices.value, null, 'they belong to another person');
  signInAs('TECHNICIAN', { id: before });
  const showing = showOwnDevices();
  setOwnDevices([]);
  await showing;
  assert.equal(ownDevices.value, []);
});

test.run();
