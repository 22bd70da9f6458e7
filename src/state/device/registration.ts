/** Whether this device is registered for push, and all that registers and unregisters it. */
import { signal } from '@preact/signals-react';
import { withLock } from '../../platform/lock';
import { readStored, writeStored } from '../../platform/storage/storage';
import type { Claims, Device } from '../../shared/contract';
import { allowed, onPermissionChange, permission, requestPermission } from './permission';
import { claims, DEVICE, onOtherPerson, signedIn, unregister } from '../session';

/** This browser as the server knows it, or null while it is not registered. */
export const device = signal<Device | null>(null);
/** Why this device could not be registered, as a sentence; empty when all is well. */
export const registrationError = signal('');

onPermissionChange(() => void syncRegistration());
onOtherPerson(() => {
  device.value = null;
  registrationError.value = '';
});

/**
 * Asks the person for the permission, then registers this device. Call it from a press.
 * @throws {Error} with the sentence to show
 */
export async function enable(): Promise<void> {
  await requestPermission();
  await register();
}

/**
 * Starts what needs no person: the worker (for working offline, too) and, where it is allowed, this
 * device's registration.
 */
export const start = (): Promise<void> =>
  import('../after-first-screen').then(({ beginAfterFirstScreen }) =>
    beginAfterFirstScreen(syncRegistration),
  );

/** What was allowed is used, what was revoked (perhaps while the app was closed) is told. */
const syncRegistration = () =>
  permission.value === 'granted' ? register() : unregisterIfUnneeded(false);

let registering: { session: Claims | null; done: Promise<void> } | undefined;

/**
 * Registers this device if the permission is there: safe to repeat, one at a time, and one for each
 * session. A failure is logged and put into `registrationError`: the app goes on without push.
 */
export function register(): Promise<void> {
  const session = claims.value;
  if (registering?.session === session) return registering.done;
  const mine = { session, done: Promise.resolve(registering?.done).then(attempt) };
  registering = mine;
  void mine.done.then(() => {
    if (registering === mine) registering = undefined;
  });
  return mine.done;
}

async function attempt(): Promise<void> {
  const session = claims.value;
  if (!allowed.value || !session) return;
  try {
    const { registerDevice } = await import('./register-device');
    device.value = await registerDevice();
    registrationError.value = '';
  } catch (error) {
    console.warn('This device could not be registered for push', error);
    if (claims.value === session)
      registrationError.value = `Failed to initialize PWA: ${error instanceof Error ? error.message : 'unknown error'}`;
  }
}

/**
 * The notification screen is left. The device stays registered as long as something can be
 * delivered to it: otherwise a person who opens another screen would silently stop being reached.
 * @param wanted whether any topic is enabled
 */
export async function unregisterIfUnneeded(wanted: boolean): Promise<void> {
  if (wanted && permission.value === 'granted') return;
  await withLock(DEVICE, async () => {
    const deviceToken = readStored(DEVICE);
    if (!deviceToken || !signedIn.value) return;
    writeStored(DEVICE, null);
    device.value = null;
    const blocked = permission.value !== 'granted';
    const { code } = await unregister(deviceToken, blocked ? 'blocked' : undefined);
    // Told at the next start, if it could not be now: without that an administrator sees no reason.
    if (blocked && code === 'unreachable') writeStored(DEVICE, deviceToken);
  });
}
