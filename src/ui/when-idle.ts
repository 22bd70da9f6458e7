// Postpones work until the browser is idle.
/** Browsers report idle time between rendering and painting, too early for slow work. */
export const PAINT_DELAY_MS = 200;
/** A busy phone may have no idle moment for long, and a background tab none at all. */
const MAX_IDLE_WAIT_MS = 3000;

/**
 * When the browser is idle.
 * @param fallbackMs milliseconds where it cannot tell (Safari)
 */
export const whenIdle = (callback: () => void, fallbackMs = PAINT_DELAY_MS): unknown =>
  'requestIdleCallback' in window
    ? requestIdleCallback(() => callback(), { timeout: MAX_IDLE_WAIT_MS })
    : setTimeout(callback, fallbackMs);

const RETRY_DELAY_MS = 10_000;

/** Retries until it succeeds. Returns how to stop. */
export function retryUntilLoaded<T>(
  load: () => Promise<T>,
  onLoaded: (value: T) => void,
): () => void {
  let timer: ReturnType<typeof setTimeout>;
  let isStopped = false;
  const attempt = (): unknown =>
    load().then(
      (value) => isStopped || onLoaded(value),
      () => {
        if (!isStopped) timer = setTimeout(attempt, RETRY_DELAY_MS);
      },
    );
  attempt();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
