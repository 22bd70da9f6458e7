/**
 * The service worker at the site's root: what it answers to requests, and its listeners, which only
 * wire. `receive.ts`,
 * `open.ts` and `renew.ts` do the work, and the pure functions of `push-message.ts` decide what is
 * shown and where a
 * click goes.
 */
import {
  cleanupOutdatedCaches,
  createHandlerBoundToURL,
  precacheAndRoute,
} from 'workbox-precaching';
import { NavigationRoute, registerRoute } from 'workbox-routing';
import { keepAsset } from './assets';
import { listenToWorkerEvents } from './listen';

declare const self: ServiceWorkerGlobalScope & {
  __WB_MANIFEST: { url: string; revision: string | null }[];
};

listenToWorkerEvents(self, VERSION);

cleanupOutdatedCaches();
precacheAndRoute(self.__WB_MANIFEST);
registerRoute(
  new NavigationRoute(createHandlerBoundToURL('/index.html'), {
    denylist: [/^\/api\//, /^[^?]*\.\w+(\?|$)/],
  }),
);
registerRoute(
  ({ sameOrigin, url }) => sameOrigin && url.pathname.startsWith('/assets/'),
  keepAsset,
);
