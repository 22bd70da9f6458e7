/**
 * Does the work when no other tab is at work under this name. Work that cannot wait says how long,
 * in milliseconds: then it is done out of turn, as it is where there are no locks (pages without
 * https, or whose storage is blocked).
 */
export async function withLock<T>(
  name: string,
  work: () => Promise<T>,
  limit?: number,
): Promise<T> {
  let begun = false;
  const begin = () => {
    begun = true;
    return work();
  };
  try {
    return await navigator.locks.request(
      name,
      limit ? { signal: AbortSignal.timeout(limit) } : {},
      begin,
    );
  } catch (error) {
    if (begun) throw error;
    return work();
  }
}
