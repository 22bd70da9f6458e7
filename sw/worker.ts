// The service worker at the site's root: its caching, and its listeners. `receive.ts`, `open.ts`
// and `renew.ts` do the work; pure functions in `push-message.ts` decide.
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
