/** Runs `work` while no other tab holds the lock; anyway after `limit` ms, or without locks. */
export async function withLock<T>(name: string, act: () => Promise<T>, limit?: number): Promise<T> {
  let hasStarted = false;
  const startWork = () => {
    hasStarted = true;
    return act();
  };
  try {
    return await navigator.locks.request(
      name,
      limit ? { signal: AbortSignal.timeout(limit) } : {},
      startWork,
    );
  } catch (error) {
    if (hasStarted) throw error;
    return act();
  }
}
