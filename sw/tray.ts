// Android silently drops an app's 25th notification; before that, the oldest are replaced by one
// that counts them.

import { sharedNotificationOptions } from './notification';
import type { NotificationData } from './notification-data';

const MAX_SHOWN_NOTIFICATIONS = 20;
/** The tag of the counting notification; never a message's id. */
const COUNTING_TAG = 'more';
/** The tag of all tests: the next replaces the last, and none is counted. */
export const TEST_TAG = 'fieldbell-test';
/** The vibration pattern of urgent notifications, in milliseconds. */
export const URGENT_VIBRATION_MS = [400, 200, 400, 200, 400];

interface CountingData extends NotificationData {
  more?: number;
}

/** Closes the oldest notifications. One run at a time. */
export function limitShownNotifications(worker: ServiceWorkerGlobalScope): Promise<void> {
  lastRun = lastRun.catch(() => undefined).then(() => closeOldest(worker));
  return lastRun;
}
let lastRun = Promise.resolve();

async function closeOldest({ registration }: ServiceWorkerGlobalScope): Promise<void> {
  const notifications = (await registration.getNotifications()).filter(
    ({ tag }) => tag !== TEST_TAG,
  );
  if (notifications.length <= MAX_SHOWN_NOTIFICATIONS) return;
  const countingNotifications = notifications.filter(({ tag }) => tag === COUNTING_TAG);
  const otherNotifications = notifications
    .filter(({ tag }) => tag !== COUNTING_TAG)
    .sort((a, b) => getShownTime(a) - getShownTime(b));
  const oldest = otherNotifications.slice(0, 1 - MAX_SHOWN_NOTIFICATIONS);
  const hiddenCount = Math.max(0, ...countingNotifications.map(getHiddenCount)) + oldest.length;
  for (const notification of oldest) notification.close();
  await registration.showNotification(`${hiddenCount} more in the inbox`, {
    ...sharedNotificationOptions(),
    tag: COUNTING_TAG,
    silent: true,
    data: { link: '/messages', more: hiddenCount } satisfies CountingData,
  });
  // On iOS, notifications with equal tags do not replace each other. Closing the old one before
  // could close the new one, too.
  for (const notification of await registration.getNotifications({ tag: COUNTING_TAG }))
    if (getHiddenCount(notification) < hiddenCount) notification.close();
}

const getHiddenCount = ({ data }: Notification) => (data as CountingData | null)?.more ?? 0;

/** If there is no time, the browser's order counts. */
const getShownTime = ({ data }: Notification) => (data as NotificationData | null)?.at ?? 0;
