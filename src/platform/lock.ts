/** Runs `work` while no other tab holds the lock. After `maxWaitMs`, or without locks, runs it anyway. */
export async function withLock<T>(
  name: string,
  work: () => Promise<T>,
  maxWaitMs?: number,
): Promise<T> {
  let hasStarted = false;
  const startWork = () => {
    hasStarted = true;
    return work();
  };
  try {
    return await navigator.locks.request(
      name,
      maxWaitMs ? { signal: AbortSignal.timeout(maxWaitMs) } : {},
      startWork,
    );
  } catch (error) {
    if (hasStarted) throw error;
    return work();
  }
}
