/**
 * The devices of the person who is signed in, as the server last told: with how well each can be
 * reached, and which of them is this one. Kept on the device, so that it is known without a network.
 */
import { computed, signal, untracked } from '@preact/signals-react';
import { call } from '../../api/call';
import { ApiError } from '../../api/error';
import { fits } from '../../api/fits';
import { onReconnect, onReturn } from '../../platform/network';
import { readKept, writeKept } from '../../platform/storage/database';
import { readStored } from '../../platform/storage/storage';
import type { OwnDevice, ReachDevice } from '../../shared/contract';
import { devices as devicesExample } from '../../shared/contract/devices' with { type: 'example' };
import { deviceTest } from '../../shared/contract/tests' with { type: 'example' };
import { now } from '../clock';
import { latestOnly } from '../latest';
import { claims, DEVICE, onOtherPerson } from '../session';

const DEVICES = 'GET /api/notifications/devices';
const LOAD_FAILED = 'Your devices could not be read.';
export const DEVICE_SIGN_OUT_FAILED = 'The device could not be signed out.';

/** The fields that are read: a reach that is told in another way is as good as none. */
const REACH_FIELDS = { state: '', browser: '', model: '' };

/** What the server told of the devices, and when, in milliseconds since 1970 by its clock. */
interface Known {
  person: number;
  asOf: number;
  devices: readonly OwnDevice[];
}
const KEPT = 'own_devices';

const known = signal<Known | null>(null);
/** This device's id, once it is registered in this session. */
const here = signal<number | null>(null);

/** All of them; null while nothing is known. */
export const ownDevices = computed(() => known.value?.devices ?? null);
/** When the server told them, in milliseconds since 1970 by its clock. */
export const asOf = computed(() => known.value?.asOf ?? 0);
/** Why they could not be read; empty if they could. */
export const ownDevicesError = signal('');
/** This one, if the server knows it. */
export const thisDevice = computed(() => {
  const devices = known.value?.devices;
  return (
    devices?.find(({ id }) => id === here.value) ??
    devices?.find(({ deviceToken }) => deviceToken === readStored(DEVICE))
  );
});

onOtherPerson(() => {
  known.value = here.value = null;
  ownDevicesError.value = '';
});

const ask = latestOnly();

/** Asks the server. @throws {ApiError} */
export const fetchOwnDevices = async (): Promise<readonly OwnDevice[]> =>
  (await call(DEVICES, { fallback: LOAD_FAILED, like: devicesExample })).map(legible);

/** Nothing that cannot be read as reach hinders what can be done with a device. */
function legible({ reach, ...device }: OwnDevice): OwnDevice {
  if (!fits(reach, REACH_FIELDS)) return device;
  const { lastTest } = reach as ReachDevice;
  const test = lastTest && fits(lastTest, deviceTest) ? lastTest : null;
  return { ...device, reach: { ...(reach as ReachDevice), lastTest: test } };
}

/** Takes over what the server told, and which device this is, if that is known now. */
export function takeOwnDevices(devices: readonly OwnDevice[], id = here.peek()): void {
  const present = claims.peek()?.id;
  if (present === undefined) return;
  ask();
  here.value = id;
  known.value = { person: present, asOf: now(), devices };
  ownDevicesError.value = '';
  void writeKept(KEPT, known.peek());
}

/**
 * Reads them. Without a network what was kept is shown, and for as long as there is nothing newer.
 * Never rejects.
 */
export async function loadOwnDevices(): Promise<void> {
  const isLatest = ask();
  if (claims.peek() === null) return;
  void showOwnDevices();
  try {
    const devices = await fetchOwnDevices();
    if (isLatest()) takeOwnDevices(devices);
  } catch (error) {
    if (isLatest()) ownDevicesError.value = (error as ApiError).message;
  }
}

/** Shows what was kept of them, where nothing is known yet. Never rejects. */
export async function showOwnDevices(): Promise<void> {
  const present = claims.peek()?.id;
  if (present === undefined || known.peek()) return;
  const old = await readKept<Known>(KEPT);
  if (old?.person === present && claims.peek()?.id === present && !known.peek()) known.value = old;
}

/** By itself the server is not asked again for so long. */
const FRESH_MS = 60_000;

/** Whether what is known was told in this minute. */
export const isFresh = (): boolean => Math.abs(now() - asOf.value) <= FRESH_MS;

/**
 * Reads them now unless that was just done, and when the person comes back or is connected again,
 * until the returned function is called.
 */
export function followOwnDevices(): () => void {
  const look = () => {
    if (!untracked(isFresh) || ownDevicesError.peek()) void loadOwnDevices();
  };
  const stops = [onReturn(look), onReconnect(look)];
  look();
  return () => stops.forEach((stop) => stop());
}

/**
 * Signs one of them out: it is no longer notified, and the app there forgets this person. One that
 * is gone already is as good as done.
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
  const rest = ownDevices.peek()?.filter((one) => one.id !== id);
  if (rest) takeOwnDevices(rest);
  void loadOwnDevices();
}
