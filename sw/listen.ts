import { handleNotificationPress } from './answer';
import { deleteCachedAssets } from './assets';
import { readPayload, receive } from './receive';
import { reportRenewalAfterSdk, renewSubscription } from './renew';
import { sendWaitingReceipts } from './report';
import { reportIfSent } from './unsent';

/**
 * Handles pushes and clicks of both transports. With FCM the messaging SDK's listeners come later
 * and never run: they would show some pushes twice and invalid ones not at all, which costs a site
 * its permission, and focus any tab on a click.
 */
export function listenToWorkerEvents(worker: ServiceWorkerGlobalScope, version: string): void {
  worker.addEventListener('push', (event) => {
    event.stopImmediatePropagation();
    event.waitUntil(receive(worker, readPayload(event)));
  });

  worker.addEventListener('notificationclick', (event) => {
    event.stopImmediatePropagation();
    event.waitUntil(handleNotificationPress(worker, event));
  });

  worker.addEventListener('pushsubscriptionchange', (event) =>
    FCM ? reportRenewalAfterSdk(worker, event) : event.waitUntil(renewSubscription(worker, event)),
  );

  // This event only reaches a live worker. Background Sync does not help: in Chromium it needs a
  // window (WICG/background-sync 147).
  worker.addEventListener(
    'online',
    () => void sendWaitingReceipts().then(() => reportIfSent(worker)),
  );

  worker.addEventListener('message', (event) => {
    if (event.data === 'version') event.ports[0]?.postMessage(version);
    if (event.data === 'skip-waiting') void worker.skipWaiting();
  });

  // The first worker claims open pages, so that it can tell them about pushes.
  worker.addEventListener('activate', (event) =>
    event.waitUntil(Promise.all([worker.clients.claim(), deleteCachedAssets()])),
  );
}
