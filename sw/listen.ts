import { forgetAssets } from './assets';
import { open } from './open';
import { receive } from './receive';
import { renew } from './renew';

/**
 * Wires the worker's events, except for what it answers to requests. Pushes of both transports come here: the messaging
 * SDK has a part for workers, too, but that would show some pushes a second time and garbage not at all (a browser takes
 * the permission away from sites whose pushes show nothing), focus any tab of ours on a click, and renew a token of
 * which our server would not hear.
 */
export function listen(worker: ServiceWorkerGlobalScope, version: string): void {
  worker.addEventListener('push', (event) => event.waitUntil(receive(worker, event.data)));

  worker.addEventListener('notificationclick', (event) => {
    event.notification.close();
    event.waitUntil(open(worker, (event.notification.data as { link?: string } | null)?.link));
  });

  worker.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renew(worker, event)));

  worker.addEventListener('message', (event) => {
    if (event.data === 'version') event.ports[0]?.postMessage(version);
    if (event.data === 'skip-waiting') void worker.skipWaiting();
  });

  // The first worker takes over the pages that are already open, so that they can be told about pushes.
  worker.addEventListener('activate', (event) => event.waitUntil(Promise.all([worker.clients.claim(), forgetAssets()])));
}
