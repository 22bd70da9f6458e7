/** Runs `work` while no other tab holds the lock; anyway after `limit` ms, or without locks. */
export async function withLock<T>(name: string, act: () => Promise<T>, limit?: number): Promise<T> {
  let begun = false;
  const begin = () => {
    begun = true;
    return act();
  };
  try {
    return await navigator.locks.request(
      name,
      limit ? { signal: AbortSignal.timeout(limit) } : {},
      begin,
    );
  } catch (error) {
    if (begun) throw error;
    return act();
  }
}
