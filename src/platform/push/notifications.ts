/** The browser's notifications: support, permission, and the kind of device. */
import type { DeviceType } from '../../shared/contract';
import { onReturn } from '../network';

/** Features that push needs and this browser lacks, by searchable names. */
export function missingFeatureNames(): string[] {
  return [
    ['service workers', 'serviceWorker' in navigator],
    ['push messages', 'PushManager' in window],
    ['notifications', 'Notification' in window],
    ['fetch', 'fetch' in window],
    ['IndexedDB', hasDatabase()],
  ]
    .filter(([, isThere]) => !isThere)
    .map(([name]) => String(name));
}

/** Whether IndexedDB exists. The messaging SDK and offline data need it. */
export function hasDatabase(): boolean {
  try {
    return Boolean(window.indexedDB); // reading the permission throws where site data is blocked
  } catch {
    return false;
  }
}

/** `default`: not asked yet. */
export const currentPermission = (): NotificationPermission =>
  'Notification' in window ? Notification.permission : 'denied';

/**
 * Call it from a press.
 * @throws {Error} with the sentence to show
 */
export async function askPermission(): Promise<NotificationPermission> {
  if (!('Notification' in window)) throw new Error('Notifications are not supported');
  try {
    return await Notification.requestPermission();
  } catch (error) {
    console.warn('The permission could not be requested', error);
    throw new Error('Failed to request notification permission');
  }
}

/** Calls back when the setting changes, and on every return to the page. */
export function watchPermission(onChange: () => void): void {
  onReturn(onChange); // Safari never fires the event below
  navigator.permissions?.query({ name: 'notifications' }).then(
    (status) => status.addEventListener('change', onChange),
    () => {},
  );
}

/** Reads the user agent. iPads claim to be Macs, but have touch points. */
export function guessDeviceType(
  userAgent = navigator.userAgent,
  touchPoints = navigator.maxTouchPoints,
): DeviceType {
  if (/android/i.test(userAgent)) return 'android';
  if (/iphone|ipad|ipod/i.test(userAgent) || (/macintosh/i.test(userAgent) && touchPoints > 1))
    return 'ios';
  return 'web';
}
