/** Whether this device is registered for push; registers and unregisters it. */
import { withLock } from '../../platform/lock';
import { readStored, writeStored } from '../../platform/storage/storage';
import type { Claims, Device } from '../../shared/contract';
import {
  isNotifyingAllowed,
  onPermissionChange,
  notificationPermission,
  requestPermission,
} from './permission';
import { personalSignal } from '../personal-signal';
import { ownRights } from '../rights';
import { sessionClaims, DEVICE_STORAGE_KEY, isSignedIn, unregisterToken } from '../session';

/** This device as the server knows it; null while this device is not registered. */
export const currentDevice = personalSignal<Device | null>(null);
/** Why the registration failed; empty if it succeeded. */
export const registrationError = personalSignal('');

onPermissionChange(() => void syncRegistration());

/**
 * Call it from a press.
 * @throws {Error} with the sentence to show
 */
export async function enableNotifications(): Promise<void> {
  await requestPermission();
  await registerIfAllowed();
}

/** Starts the worker (also needed offline) and registers this device if it is allowed. */
export const startInBackground = (): Promise<void> =>
  import('../after-first-screen').then(({ beginAfterFirstScreen }) =>
    beginAfterFirstScreen(
      syncRegistration,
      () => void (registrationError.peek() && registerIfAllowed()),
    ),
  );

/** The permission may have been revoked while the app was closed. */
const syncRegistration = () =>
  notificationPermission.value === 'granted' ? registerIfAllowed() : unregisterIfUnneeded(false);

let pendingRegistration: { session: Claims | null; done: Promise<void> } | undefined;

/** Once at a time and per session. A failure goes to `registrationError`; the app works on. */
export function registerIfAllowed(): Promise<void> {
  const session = sessionClaims.value;
  if (pendingRegistration?.session === session) return pendingRegistration.done;
  const nextRegistration = {
    session,
    done: Promise.resolve(pendingRegistration?.done).then(attemptRegistration),
  };
  pendingRegistration = nextRegistration;
  void nextRegistration.done.then(() => {
    if (pendingRegistration === nextRegistration) pendingRegistration = undefined;
  });
  return nextRegistration.done;
}

async function attemptRegistration(): Promise<void> {
  const session = sessionClaims.value;
  if (!isNotifyingAllowed.value || !session) return;
  try {
    const { registerThisDevice } = await import('./register-device');
    currentDevice.value = await registerThisDevice();
    registrationError.value = '';
  } catch (error) {
    console.warn('This device could not be registered for push', error);
    if (sessionClaims.value === session)
      registrationError.value = `Failed to initialize PWA: ${error instanceof Error ? error.message : 'unknown error'}`;
  }
}

/**
 * Runs on leaving the notification screen. The device stays registered while anything can be
 * delivered: a reminder of a check-in reaches people without topics, too.
 * @param isWanted whether any topic is enabled
 */
export async function unregisterIfUnneeded(isWanted: boolean): Promise<void> {
  const isNeeded = isWanted || ownRights.value.includes('check-in');
  if (isNeeded && notificationPermission.value === 'granted') return;
  await withLock(DEVICE_STORAGE_KEY, async () => {
    const deviceToken = readStored(DEVICE_STORAGE_KEY);
    if (!deviceToken || !isSignedIn.value) return;
    writeStored(DEVICE_STORAGE_KEY, null);
    currentDevice.value = null;
    const isBlocked = notificationPermission.value !== 'granted';
    const { code } = await unregisterToken(deviceToken, isBlocked ? 'blocked' : undefined);
    // The next start reports the reason: otherwise administrators would see none.
    if (isBlocked && code === 'unreachable') writeStored(DEVICE_STORAGE_KEY, deviceToken);
  });
}
