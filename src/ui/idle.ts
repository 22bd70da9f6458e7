/** There is idle time even between rendering and painting, which is too early for what takes long. */
export const PAINTED_MS = 200;
/**
 * A busy phone may have no idle moment for a long time, and a tab in the background none at all.
 */
const IDLE_MS = 3000;

/**
 * Does what can wait until there is nothing else to do. @param otherwise in how many milliseconds
 * where the browser does not tell (Safari)
 */
export const whenIdle = (act: () => void, otherwise = PAINTED_MS): unknown =>
  'requestIdleCallback' in window
    ? requestIdleCallback(() => act(), { timeout: IDLE_MS })
    : setTimeout(act, otherwise);
