import { readPushMessage, type Shown, type WorkerMessage } from '../src/push-message';

/** Shows one notification for a push, whatever is in it, and tells the open windows. */
export async function receive(worker: ServiceWorkerGlobalScope, data: PushMessageData | null): Promise<void> {
  const shown = readPushMessage(parse(data));
  await worker.registration.showNotification(shown.title, notificationOptions(shown));
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  for (const window of windows) window.postMessage({ type: 'shown', shown } satisfies WorkerMessage);
}

function parse(data: PushMessageData | null): unknown {
  try {
    return data?.json();
  } catch {
    return undefined; // not JSON: shown with the defaults
  }
}

/** `image` and `timestamp` are shown where the system can (Chromium); TypeScript's library leaves them out. */
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
