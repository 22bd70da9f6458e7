/**
 * The service worker at the site's root. Listeners only wire; `receive.ts` and `open.ts` do the work, and the pure
 * functions of `push-message.ts` decide what is shown and where a click goes.
 */
import { cleanupOutdatedCaches, createHandlerBoundToURL, precacheAndRoute } from 'workbox-precaching';
import { NavigationRoute, registerRoute } from 'workbox-routing';
import { keepAsset } from './assets';
import { open } from './open';
import { receive } from './receive';

declare const self: ServiceWorkerGlobalScope & { __WB_MANIFEST: { url: string; revision: string | null }[] };

// Nobody else may show this push: the messaging SDK, which listens later, would show some pushes a second time and
// garbage not at all, and a browser takes the permission away from sites whose pushes show nothing.
self.addEventListener('push', (event) => {
  event.stopImmediatePropagation();
  event.waitUntil(receive(self, event.data));
});

// Listen before the SDK here, too: it stops clicks that it recognises from reaching later listeners, and would focus
// any tab of ours, whatever page it shows.
self.addEventListener('notificationclick', (event) => {
  event.stopImmediatePropagation();
  event.notification.close();
  event.waitUntil(open(self, (event.notification.data as { link?: string } | null)?.link));
});

self.addEventListener('message', (event) => {
  if (event.data === 'version') event.ports[0]?.postMessage(VERSION);
  if (event.data === 'skip-waiting') void self.skipWaiting();
});

// The first worker takes over the pages that are already open, so that they can be told about pushes.
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

cleanupOutdatedCaches();
precacheAndRoute(self.__WB_MANIFEST);
registerRoute(new NavigationRoute(createHandlerBoundToURL('/index.html'), { denylist: [/^\/api\//, /\.\w+$/] }));
registerRoute(({ sameOrigin, url }) => sameOrigin && url.pathname.startsWith('/assets/'), keepAsset);
