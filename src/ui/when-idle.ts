// Postpones work until the browser is idle.
/** Browsers report idle time between rendering and painting, too early for slow work. */
export const PAINTED_MS = 200;
/** A busy phone may have no idle moment for long, and a background tab none at all. */
const IDLE_MS = 3000;

/**
 * When the browser is idle.
 * @param fallbackMs milliseconds where it cannot tell (Safari)
 */
export const whenIdle = (act: () => void, fallbackMs = PAINTED_MS): unknown =>
  'requestIdleCallback' in window
    ? requestIdleCallback(() => act(), { timeout: IDLE_MS })
    : setTimeout(act, fallbackMs);

const RETRY_MS = 10_000;

/** Retries until it succeeds. Returns how to stop. */
export function retryUntilLoaded<T>(fetch: () => Promise<T>, take: (value: T) => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  let stopped = false;
  const attemptWork = (): unknown =>
    fetch().then(
      (value) => stopped || take(value),
      () => {
        if (!stopped) timer = setTimeout(attemptWork, RETRY_MS);
      },
    );
  attemptWork();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
