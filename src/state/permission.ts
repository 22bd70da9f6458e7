/** What this browser lets the app do: notifications (asked, refused, impossible), and whether this device is registered. */
import { computed, effect, signal } from '@preact/signals-react';
import { call } from '../api';
import type { Claims, Device } from '../contract';
import { askPermission, currentPermission, deviceType, missing, watchPermission } from '../platform/notifications';
import { pushTransport } from '../platform/push';
import { read, write } from '../platform/storage';
import { within, worker } from '../platform/worker';
import { DEVICE, claims, signedIn } from './session';

export { deviceType } from '../platform/notifications';
export { install, installation, watchInstallation } from '../platform/install';
export { onWorkerMessage, updated } from '../platform/worker';

/** When the token was first registered, milliseconds since 1970. */
const SINCE = 'device_token_since';
/** A token older than this is renewed (specification, section 9). */
const OLD_MS = 7 * 24 * 3600_000;
/** A token that is not there by then will not come: the person is told instead of left waiting. */
const TOKEN_MS = 15_000;
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
  if (!supported.value || permission.value !== 'granted' || !signedIn.value) return;
  try {
    // Tabs take turns: two that renew a token at once would leave the server with one that is dead already.
    await navigator.locks.request(DEVICE, registerDevice);
    trouble.value = '';
  } catch (error) {
    console.warn('This device could not be registered for push', error);
    trouble.value = `Failed to initialize PWA: ${error instanceof Error ? error.message : 'unknown error'}`;
  }
}

async function registerDevice(): Promise<void> {
  const person = claims.value?.id;
  const deviceToken = await token();
  if (claims.value?.id !== person) return;
  const devices = await call('GET /api/notifications/devices', { fallback: 'Your devices could not be read.' });
  device.value = devices.find((known) => known.deviceToken === deviceToken) ?? (await registerToken(deviceToken));
  const old = read(DEVICE);
  if (old !== deviceToken) write(SINCE, String(Date.now()));
  write(DEVICE, deviceToken);
  if (old && old !== deviceToken) await unregister(old);
}

const registerToken = (deviceToken: string) =>
  call('POST /api/notifications/register-device', {
    body: { deviceToken, deviceType: deviceType(), userAgent: navigator.userAgent },
    fallback: 'The server could not register this device.',
  });

/** The push token, asked for a second time if the first attempt fails: a worker that has just started often refuses. */
async function token(): Promise<string> {
  const [transport, registration] = await within(TOKEN_MS, Promise.all([pushTransport(), worker()]), 'The service worker did not start in time');
  const serverKey = async () => (await call('GET /api/notifications/vapid-key', { fallback: 'The server’s push key could not be read.' })).publicKey;
  const renew = Date.now() - Number(read(SINCE) ?? Date.now()) > OLD_MS;
  const once = () => transport.getToken(registration, serverKey, renew);
  return within(TOKEN_MS, once().catch(once), 'The push service did not answer in time.');
}

async function unregister(deviceToken: string): Promise<void> {
  await call('DELETE /api/notifications/unregister-device', { body: { deviceToken }, fallback: 'The server was not told.' }).catch((error: unknown) => {
    console.warn('The old device could not be unregistered', error);
  });
}

/**
 * The notification screen is left. The device stays registered as long as something can be delivered to it: otherwise
 * a person who opens another screen would silently stop being reached.
 * @param wanted whether any topic is enabled
 */
export async function leave(wanted: boolean): Promise<void> {
  const deviceToken = read(DEVICE);
  if (!deviceToken || !signedIn.value || (wanted && permission.value === 'granted')) return;
  write(DEVICE, null);
  device.value = null;
  await unregister(deviceToken);
}
