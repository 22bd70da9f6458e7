/** The timeouts of the requests that `work` makes, in milliseconds. */
export async function recordTimeouts(work: () => Promise<unknown>): Promise<number[]> {
  const { timeout } = AbortSignal;
  const limits: number[] = [];
  AbortSignal.timeout = (limit) => {
    limits.push(limit);
    return timeout.call(AbortSignal, limit);
  };
  try {
    await work();
  } finally {
    AbortSignal.timeout = timeout;
  }
  return limits;
}
