/**
 * The browser's notifications: whether there are any, whether they are allowed, and what this
 * device is.
 */
import type { DeviceType } from '../../shared/contract';
import { onReturn } from '../network';

/**
 * What push needs and this browser lacks, by the names that people find when they search for them.
 */
export function missingFeatureNames(): string[] {
  return [
    ['service workers', 'serviceWorker' in navigator],
    ['push messages', 'PushManager' in window],
    ['notifications', 'Notification' in window],
    ['fetch', 'fetch' in window],
    ['IndexedDB', hasDatabase()],
  ]
    .filter(([, there]) => !there)
    .map(([name]) => String(name));
}

/** Whether there is IndexedDB, which the messaging SDK and everything kept for offline use need. */
export function hasDatabase(): boolean {
  try {
    return Boolean(window.indexedDB); // reading it throws where site data is blocked
  } catch {
    return false;
  }
}

/** What the person decided. `default`: not asked yet. */
export const currentPermission = (): NotificationPermission =>
  'Notification' in window ? Notification.permission : 'denied';

/**
 * Asks the person, which browsers allow only while a press is being handled.
 * @throws {Error} with the sentence to show, where there are no notifications or the question
 * cannot be asked
 */
export async function askPermission(): Promise<NotificationPermission> {
  if (!('Notification' in window)) throw new Error('Notifications are not supported');
  try {
    return await Notification.requestPermission();
  } catch (error) {
    console.warn('The permission could not be asked for', error);
    throw new Error('Failed to request notification permission');
  }
}

/**
 * Calls back when the decision is changed in the browser's settings, and whenever the person comes
 * back to the page.
 */
export function watchPermission(changed: () => void): void {
  onReturn(changed); // Safari never fires the event below
  navigator.permissions?.query({ name: 'notifications' }).then(
    (status) => status.addEventListener('change', changed),
    () => {},
  );
}

/**
 * Which kind of device a browser's identification string tells of. iPads call themselves Macs, but
 * have fingers.
 */
export function guessDeviceType(
  userAgent = navigator.userAgent,
  touchPoints = navigator.maxTouchPoints,
): DeviceType {
  if (/android/i.test(userAgent)) return 'android';
  if (/iphone|ipad|ipod/i.test(userAgent) || (/macintosh/i.test(userAgent) && touchPoints > 1))
    return 'ios';
  return 'web';
}
