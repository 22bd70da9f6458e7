// Android silently drops an app's 25th notification; before that, the oldest are replaced by one
// that counts them.

import { ownNotification } from './notification';
import type { NotificationData } from './notification-data';

const MAX_SHOWN = 20;
/** The tag of the counting notification; never a message's id. */
const MORE = 'more';
/** The tag of all tests: the next replaces the last, and none is counted. */
export const TEST_TAG = 'fieldbell-test';
/** Of urgent notifications. Milliseconds. */
export const URGENT_VIBRATION = [400, 200, 400, 200, 400];

interface More extends NotificationData {
  more?: number;
}

/** Closes the oldest notifications. One run at a time. */
export function limitShownNotifications(worker: ServiceWorkerGlobalScope): Promise<void> {
  turn = turn.catch(() => undefined).then(() => clearOldest(worker));
  return turn;
}
let turn = Promise.resolve();

async function clearOldest({ registration }: ServiceWorkerGlobalScope): Promise<void> {
  const notifications = (await registration.getNotifications()).filter(
    ({ tag }) => tag !== TEST_TAG,
  );
  if (notifications.length <= MAX_SHOWN) return;
  const counting = notifications.filter(({ tag }) => tag === MORE);
  const others = notifications
    .filter(({ tag }) => tag !== MORE)
    .sort((a, b) => since(a) - since(b));
  const oldest = others.slice(0, Math.max(0, others.length - (MAX_SHOWN - 1)));
  const hiddenCount = Math.max(0, ...counting.map(countOf)) + oldest.length;
  for (const notification of oldest) notification.close();
  await registration.showNotification(`${hiddenCount} more in the inbox`, {
    ...ownNotification(),
    tag: MORE,
    silent: true,
    data: { link: '/messages', more: hiddenCount } satisfies More,
  });
  // On iOS equal tags do not replace each other. Elsewhere the old one is gone by now; closing it
  // earlier could close the new one too.
  for (const notification of await registration.getNotifications({ tag: MORE }))
    if (countOf(notification) < hiddenCount) notification.close();
}

const countOf = ({ data }: Notification) => (data as More | null)?.more ?? 0;

/** Without a time, the browser's order counts. */
const since = ({ data }: Notification) => (data as NotificationData | null)?.at ?? 0;
