const CACHE = 'assets-on-demand';

/**
 * Answers a hashed file that is not precached, such as an admin screen: from the cache if it was
 * ever fetched, since its content can never change. Only answers that are whole and ours are kept.
 */
export async function keepAsset({ request }: { request: Request }): Promise<Response> {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(request);
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok && response.type === 'basic') {
    await cache
      .put(request, response.clone())
      .catch((error: unknown) => console.warn('Not kept', error)); // storage full
  }
  return response;
}

/** A new version has other files: those of the one before would lie there for ever. */
export const forgetAssets = () => caches.delete(CACHE);
