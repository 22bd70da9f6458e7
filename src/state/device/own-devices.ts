// The signed-in person's devices, how reachable each is, and which one this is. Kept for offline
// use.
import { computed, untracked } from '@preact/signals-react';
import { call } from '../../api/call';
import { ApiError } from '../../api/error';
import { matchesExample } from '../../api/matches-example';
import { onReconnect, onReturn } from '../../platform/network';
import { readOfflineData, writeOfflineData } from '../../platform/storage/database';
import { readStored } from '../../platform/storage/storage';
import type { OwnDevice, ReachDevice } from '../../shared/contract';
import { devicesSchema as devicesExample } from '../../shared/contract/devices' with {
  type: 'example',
};
import { deviceTestSchema } from '../../shared/contract/device-tests' with { type: 'example' };
import { serverNow } from '../clock';
import { latestOnly } from '../latest-only';
import { personalSignal } from '../personal-signal';
import { sessionClaims, DEVICE_STORAGE_KEY } from '../session';

const READ_DEVICES = 'GET /api/notifications/devices';
const OWN_DEVICES_FAILED = 'Failed to load your devices.';
export const DEVICE_SIGN_OUT_FAILED = 'Failed to sign out the device.';

/** Fields that the app reads. A reach without them is dropped. */
const REACH_FIELDS = { state: '', browser: '', model: '' };

/** `asOf` is in milliseconds since 1970, by the server's clock. */
interface StoredDevices {
  person: number;
  asOf: number;
  devices: readonly OwnDevice[];
}
const DEVICES_OFFLINE_KEY = 'own_devices';

const ownDeviceList = personalSignal<StoredDevices | null>(null);
/** The id of this device, once the device is registered in this session. */
const thisDeviceId = personalSignal<number | null>(null);

/** The list is null while it is unknown. */
export const ownDevices = computed(() => ownDeviceList.value?.devices ?? null);
/** The list's age: milliseconds since 1970 on the server's clock. */
export const ownDevicesAsOf = computed(() => ownDeviceList.value?.asOf ?? 0);
export const ownDevicesError = personalSignal('');
/** This device in the list; undefined unless the server knows this device. */
export const thisDevice = computed(() => {
  const devices = ownDeviceList.value?.devices;
  return (
    devices?.find(({ id }) => id === thisDeviceId.value) ??
    devices?.find(({ deviceToken }) => deviceToken === readStored(DEVICE_STORAGE_KEY))
  );
});

const startRequest = latestOnly();

/** @throws {ApiError} */
export const readOwnDevices = async (): Promise<readonly OwnDevice[]> =>
  (await call(READ_DEVICES, { fallback: OWN_DEVICES_FAILED, like: devicesExample })).map(
    dropUnreadableFields,
  );

/** Drops a reach or test that the app cannot read: the device itself stays usable. */
function dropUnreadableFields({ reach, ...device }: OwnDevice): OwnDevice {
  if (!matchesExample(reach, REACH_FIELDS)) return device;
  const { lastTest } = reach as ReachDevice;
  const test = lastTest && matchesExample(lastTest, deviceTestSchema) ? lastTest : null;
  return { ...device, reach: { ...(reach as ReachDevice), lastTest: test } };
}

export function setOwnDevices(devices: readonly OwnDevice[], id = thisDeviceId.peek()): void {
  const userId = sessionClaims.peek()?.id;
  if (userId === undefined) return;
  startRequest();
  thisDeviceId.value = id;
  ownDeviceList.value = { person: userId, asOf: serverNow(), devices };
  ownDevicesError.value = '';
  void writeOfflineData(DEVICES_OFFLINE_KEY, ownDeviceList.peek());
}

/** Loads the devices, or shows the stored ones offline. The promise never rejects. */
export async function loadOwnDevices(): Promise<void> {
  const isLatest = startRequest();
  if (sessionClaims.peek() === null) return;
  void showOwnDevices();
  try {
    const devices = await readOwnDevices();
    if (isLatest()) setOwnDevices(devices);
  } catch (error) {
    if (isLatest()) ownDevicesError.value = (error as ApiError).message;
  }
}

/** Shows the stored devices if no others are known yet. The promise never rejects. */
export async function showOwnDevices(): Promise<void> {
  const userId = sessionClaims.peek()?.id;
  if (userId === undefined || ownDeviceList.peek()) return;
  const stored = await readOfflineData<StoredDevices>(DEVICES_OFFLINE_KEY);
  if (stored?.person === userId && sessionClaims.peek()?.id === userId && !ownDeviceList.peek())
    ownDeviceList.value = stored;
}

/** How long a response counts as fresh. */
const MAX_FRESH_AGE_MS = 60_000;

export const areOwnDevicesFresh = (): boolean =>
  Math.abs(serverNow() - ownDevicesAsOf.value) <= MAX_FRESH_AGE_MS;

/** Reloads the devices on return and on reconnect, until the returned function is called. */
export function followOwnDevices(): () => void {
  const refresh = () => {
    if (!untracked(areOwnDevicesFresh) || ownDevicesError.peek()) void loadOwnDevices();
  };
  const stopFunctions = [onReturn(refresh), onReconnect(refresh)];
  refresh();
  return () => stopFunctions.forEach((stop) => stop());
}

/**
 * The device gets no more notifications, and its app forgets this person. A 404 is success.
 * @throws {ApiError} if it is still there
 */
export async function signOutDevice(id: number): Promise<void> {
  try {
    await call('DELETE /api/notifications/devices/:id', {
      params: { id },
      fallback: DEVICE_SIGN_OUT_FAILED,
    });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
  }
  const otherDevices = ownDevices.peek()?.filter((candidate) => candidate.id !== id);
  if (otherDevices) setOwnDevices(otherDevices);
  void loadOwnDevices();
}
