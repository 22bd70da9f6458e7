// The service worker at the site's root: its caching, and its listeners. `receive.ts`,
// `open-page.ts` and `renew.ts` do the work; pure functions in `push-message.ts` decide.
import {
  cleanupOutdatedCaches,
  createHandlerBoundToURL,
  precacheAndRoute,
} from 'workbox-precaching';
import { NavigationRoute, registerRoute } from 'workbox-routing';
import { cacheAsset } from './assets';
import { keptFiles, pagePath } from './language';
import { listenToWorkerEvents } from './listen';

declare const self: ServiceWorkerGlobalScope;

listenToWorkerEvents(self, VERSION);

cleanupOutdatedCaches();
precacheAndRoute(keptFiles);
const ownPage = createHandlerBoundToURL(pagePath);
registerRoute(new NavigationRoute(ownPage, { denylist: [/^\/api\//, /^[^?]*\.\w+(\?|$)/] }));
// The page of another language, which was just chosen. Its own worker will keep it.
registerRoute(
  ({ request, url }) => request.mode === 'navigate' && /^\/index\.\w+\.html$/.test(url.pathname),
  async (options) => {
    const response = await fetch(options.request).catch(() => undefined);
    return response && response.status < 400 ? response : ownPage(options);
  },
);
registerRoute(
  ({ sameOrigin, url }) => sameOrigin && url.pathname.startsWith('/assets/'),
  cacheAsset,
);
