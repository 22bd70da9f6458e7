/** Starts the background work once the first screen is shown. */
import { onReconnect } from '../platform/network';
import { watchWhileVisible } from '../platform/visibility';
import { startWorker } from '../platform/worker-start';
import { beginReceipts } from './receipts';
import { renewToken } from './session-lifetime';

// Exported here so that the inbox loads the same chunk.
export { reportReceipt, sendReceipts } from './receipts';

let stopRetrying: (() => void) | undefined;
const FIRST_RETRY_DELAY_MS = 10_000;
const MAX_RETRY_DELAY_MS = 160_000;

/**
 * Call once the person is known. Registers the device before it sends the worker's receipts.
 * @param retryRegistration called whenever the device goes online, and again and again: a weak
 *   network never goes offline
 */
export async function beginAfterFirstScreen(
  syncRegistration: () => Promise<void>,
  retryRegistration: () => void,
): Promise<void> {
  stopRetrying?.();
  const stopOnReconnect = onReconnect(retryRegistration);
  let retryDelay = FIRST_RETRY_DELAY_MS / 2;
  const watch = watchWhileVisible(async () => {
    retryRegistration();
    retryDelay = Math.min(retryDelay * 2, MAX_RETRY_DELAY_MS);
    return retryDelay;
  });
  stopRetrying = () => {
    stopOnReconnect();
    watch.stop();
  };
  if ('serviceWorker' in navigator)
    await startWorker().catch((error: unknown) =>
      console.warn('The service worker could not be registered', error),
    );
  await syncRegistration();
  await Promise.all([beginReceipts(), renewToken()]);
}
