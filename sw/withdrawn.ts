/** Notifications that have to go, because the person had answered before their push came. */
import { sharedNotificationOptions } from './notification';
import type { NotificationData } from './notification-data';

const withdrawnIds = new Set<string>();

export const noteWithdrawn = (ids: readonly string[]): void =>
  ids.forEach((id) => withdrawnIds.add(id));

/** Browsers require a notification for every push, so a silent one takes the place of each. */
export async function replaceWithdrawn({ registration }: ServiceWorkerGlobalScope): Promise<void> {
  for (const notification of await registration.getNotifications()) {
    const data = notification.data as NotificationData | null;
    if (!withdrawnIds.delete(data?.id as string)) continue;
    await registration.showNotification('No answer needed', {
      ...sharedNotificationOptions(),
      // The next one replaces this one. With the question's own tag, closing that could close this.
      tag: 'withdrawn',
      silent: true,
      data,
    });
    notification.close();
  }
}
