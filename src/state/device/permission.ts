/** Whether this browser supports notifications, and whether the person allows them. */
import { computed, signal } from '@preact/signals-react';
import {
  askPermission,
  currentPermission,
  missingFeatureNames,
  watchPermission,
} from '../../platform/push/notifications';

/** Failures of a press on Enable Notifications (S8.23, S8.29). */
const REJECTION_TEXTS = {
  denied: 'The notification permission was not granted and blocked instead.',
  default: 'Notification permission is required',
};

export const notificationPermission = signal<NotificationPermission>(currentPermission());
export const missingFeatures = signal<readonly string[]>(missingFeatureNames());
export const isPushSupported = computed(() => missingFeatures.value.length === 0);

export const isNotifyingAllowed = computed(
  () => isPushSupported.value && notificationPermission.value === 'granted',
);

/**
 * Call it from a press.
 * @throws {Error} with the sentence to show, unless it is granted
 */
export async function requestPermission(): Promise<void> {
  notificationPermission.value = await askPermission();
  for (const changed of permissionWatchers) changed();
  if (notificationPermission.value !== 'granted')
    throw new Error(REJECTION_TEXTS[notificationPermission.value]);
}

const permissionWatchers: (() => void)[] = [];

/** Calls back when the person changes the permission, on a page or in the browser's settings. */
export function onPermissionChange(onChange: () => void): void {
  permissionWatchers.push(onChange);
  watchPermission(() => {
    if (notificationPermission.value === currentPermission()) return;
    notificationPermission.value = currentPermission();
    onChange();
  });
}
