import { readPushMessage, type Shown } from '../src/shared/push-message';
import { tell } from './windows';

/**
 * Shows one notification for a push, whatever is in it, and tells the open windows. A repeat takes
 * the place of what is shown, silently. One that was dismissed meanwhile comes back: browsers
 * demand that every push shows something, and the server repeats only what it was interrupted in.
 */
export async function receive(
  worker: ServiceWorkerGlobalScope,
  data: PushMessageData | null,
): Promise<void> {
  const shown = readPushMessage(parse(data));
  try {
    await worker.registration.showNotification(shown.title, notificationOptions(shown));
  } finally {
    await tell(worker, { type: 'shown', shown }); // even if the system cannot show it, the app says it
  }
}

function parse(data: PushMessageData | null): unknown {
  try {
    return data?.json();
  } catch {
    return undefined; // not JSON: shown with the defaults
  }
}

/**
 * `image` and `timestamp` are shown where the system can (Chromium); TypeScript's library leaves
 * them out.
 */
type Options = NotificationOptions & { image?: string; timestamp?: number };

export function notificationOptions(shown: Shown): Options {
  return {
    body: shown.body,
    icon: '/icon-192.png',
    badge: '/badge-96.png',
    data: { link: shown.link },
    ...(shown.tag !== undefined && { tag: shown.tag }),
    ...(shown.image !== undefined && { image: shown.image }),
    ...(shown.timestamp !== undefined && { timestamp: shown.timestamp }),
  };
}
