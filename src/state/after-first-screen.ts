/** Starts the background work once the first screen is shown. */
import { onReconnect } from '../platform/network';
import { startWorker } from '../platform/worker-start';
import { beginReceipts } from './receipts';
import { renewToken } from './session-lifetime';

// Exported here so that the inbox loads the same chunk.
export { reportReceipt, sendReceipts } from './receipts';

let stopRetrying: (() => void) | undefined;

/**
 * Call once the person is known. Registers the device before it sends the worker's receipts.
 * @param retryRegistration called whenever the device goes online
 */
export async function beginAfterFirstScreen(
  syncRegistration: () => Promise<void>,
  retryRegistration: () => void,
): Promise<void> {
  stopRetrying?.();
  stopRetrying = onReconnect(retryRegistration);
  if ('serviceWorker' in navigator)
    await startWorker().catch((error: unknown) =>
      console.warn('The service worker could not be registered', error),
    );
  await syncRegistration();
  await Promise.all([beginReceipts(), renewToken()]);
}
