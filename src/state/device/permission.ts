/** Whether this browser can be notified, and whether the person allows it. */
import { computed, signal } from '@preact/signals-react';
import {
  askPermission,
  currentPermission,
  missingFeatureNames,
  watchPermission,
} from '../../platform/push/notifications';

/** What a press on Enable Notifications can end in besides success (S8.23, S8.29). */
const OUTCOMES = {
  denied: 'The notification permission was not granted and blocked instead.',
  default: 'Notification permission is required',
};

export const permission = signal<NotificationPermission>(currentPermission());
/** What this browser lacks for push; empty where it can. */
export const missingFeatures = signal<readonly string[]>(missingFeatureNames());
export const supported = computed(() => missingFeatures.value.length === 0);

/** Whether this device may be notified. */
export const allowed = computed(() => supported.value && permission.value === 'granted');

/**
 * Asks the person. Call it from a press.
 * @throws {Error} with the sentence to show, unless it is granted
 */
export async function requestPermission(): Promise<void> {
  permission.value = await askPermission();
  if (permission.value !== 'granted') throw new Error(OUTCOMES[permission.value]);
}

/** Calls back when it was changed in the browser's settings while the app is open. */
export const onPermissionChange = (changed: () => void): void =>
  watchPermission(() => {
    if (permission.value === currentPermission()) return;
    permission.value = currentPermission();
    changed();
  });
