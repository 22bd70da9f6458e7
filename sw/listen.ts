import { answerPress } from './answer';
import { forgetAssets } from './assets';
import { payloadOf, receive } from './receive';
import { leaveToSdk, renewSubscription } from './renew';
import { sendWaitingReceipts } from './report';

/**
 * Wires the worker's events, except for what it answers to requests. Pushes and clicks of both
 * transports end here: in a build with FCM the messaging SDK listens, too, but later (see
 * `worker-fcm.ts`), and would show some pushes a second time and garbage not at all (a browser
 * takes the permission away from sites whose pushes show nothing), and focus any tab of ours on a
 * click, whatever page it shows.
 */
export function listenToWorkerEvents(worker: ServiceWorkerGlobalScope, version: string): void {
  worker.addEventListener('push', (event) => {
    event.stopImmediatePropagation();
    event.waitUntil(receive(worker, payloadOf(event)));
  });

  worker.addEventListener('notificationclick', (event) => {
    event.stopImmediatePropagation();
    event.waitUntil(answerPress(worker, event));
  });

  worker.addEventListener('pushsubscriptionchange', (event) =>
    FCM ? leaveToSdk(worker, event) : event.waitUntil(renewSubscription(worker, event)),
  );

  // Where the worker is still alive. Background Sync is no help: Chromium registers none without a
  // window (WICG/background-sync 147).
  worker.addEventListener('online', () => void sendWaitingReceipts());

  worker.addEventListener('message', (event) => {
    if (event.data === 'version') event.ports[0]?.postMessage(version);
    if (event.data === 'skip-waiting') void worker.skipWaiting();
  });

  // The first worker takes over the pages that are already open, so that they can be told about
  // pushes.
  worker.addEventListener('activate', (event) =>
    event.waitUntil(Promise.all([worker.clients.claim(), forgetAssets()])),
  );
}
