/** What this browser lets the app do: notifications (asked, refused, impossible), and whether this device is registered. */
import { computed, effect, signal } from '@preact/signals-react';
import type { Claims, Device } from '../contract';
import { askPermission, currentPermission, missing, watchPermission } from '../platform/notifications';
import { read, write } from '../platform/storage';
import { inTurn } from '../platform/turn';
import { worker } from '../platform/worker';
import { claims, DEVICE, signedIn, unregister } from './session';

export { deviceType } from '../platform/notifications';
export { install, installation, watchInstallation } from '../platform/install';
export { onWorkerMessage, updated } from '../platform/worker';

/** What a press on Enable Notifications can end in besides success (specification, section 8). */
const OUTCOMES = {
  denied: 'The notification permission was not granted and blocked instead.',
  default: 'Notification permission is required',
};

export const permission = signal<NotificationPermission>(currentPermission());
/** What this browser lacks for push; empty where it can. */
export const lacking = signal<readonly string[]>(missing());
export const supported = computed(() => lacking.value.length === 0);
/** This browser as the server knows it, or null while it is not registered. */
export const device = signal<Device | null>(null);
/** Why this device could not be registered, as a sentence; empty when all is well. */
export const trouble = signal('');

// Changed in the browser's settings while the app is open.
watchPermission(() => {
  if (permission.value === currentPermission()) return;
  permission.value = currentPermission();
  void follow();
});
effect(() => {
  if (!signedIn.value) {
    device.value = null;
    trouble.value = '';
  }
});

/**
 * Asks the person for the permission, then registers this device. Call it from a press.
 * @throws {Error} with the sentence to show
 */
export async function enable(): Promise<void> {
  permission.value = await askPermission();
  if (permission.value !== 'granted') throw new Error(OUTCOMES[permission.value]);
  await register();
}

/** Starts what needs no person: the worker (for working offline, too) and, where it is allowed, this device's registration. */
export async function start(): Promise<void> {
  if ('serviceWorker' in navigator) await worker().catch((error: unknown) => console.warn('The service worker could not be registered', error));
  await follow();
}

/** What was allowed is used, what was revoked (perhaps while the app was closed) is told. */
const follow = () => (permission.value === 'granted' ? register() : leave(false));

let registering: { session: Claims | null; done: Promise<void> } | undefined;

/**
 * Registers this device if the permission is there: safe to repeat, one at a time, and one for each session. A failure
 * is logged and put into `trouble`: the app goes on without push.
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
  if (!supported.value || permission.value !== 'granted' || !session) return;
  try {
    const { registerDevice } = await import('./registration');
    device.value = await registerDevice();
    trouble.value = '';
  } catch (error) {
    console.warn('This device could not be registered for push', error);
    if (claims.value === session) trouble.value = `Failed to initialize PWA: ${error instanceof Error ? error.message : 'unknown error'}`;
  }
}

/**
 * The notification screen is left. The device stays registered as long as something can be delivered to it: otherwise
 * a person who opens another screen would silently stop being reached.
 * @param wanted whether any topic is enabled
 */
export async function leave(wanted: boolean): Promise<void> {
  if (wanted && permission.value === 'granted') return;
  await inTurn(DEVICE, async () => {
    const deviceToken = read(DEVICE);
    if (!deviceToken || !signedIn.value) return;
    write(DEVICE, null);
    device.value = null;
    await unregister(deviceToken);
  });
}
