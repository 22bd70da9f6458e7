const ASSET_CACHE = 'assets-on-demand';

/** Serves hashed files that are not precached, such as admin screens: they never change. */
export async function cacheAsset({ request }: { request: Request }): Promise<Response> {
  const cache = await caches.open(ASSET_CACHE);
  const cachedResponse = await cache.match(request);
  if (cachedResponse) return cachedResponse;
  const response = await fetch(request);
  if (response.ok && response.type === 'basic') {
    await cache.put(request, response.clone()).catch(() => {}); // storage full
  }
  return response;
}

/** A new version has other files, and nothing else would remove the old ones. */
export const deleteCachedAssets = () => caches.delete(ASSET_CACHE);
