const RETRY_MS = 10_000;

/** Retries until it succeeds. Returns how to stop. */
export function untilThere<T>(fetch: () => Promise<T>, take: (value: T) => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  let stopped = false;
  const attempt = (): unknown =>
    fetch().then(
      (value) => stopped || take(value),
      () => {
        if (!stopped) timer = setTimeout(attempt, RETRY_MS);
      },
    );
  attempt();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
