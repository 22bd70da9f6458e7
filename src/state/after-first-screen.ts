/** Starts the background work once the first screen is shown. */
import { worker } from '../platform/worker-start';
import { beginReceipts } from './receipts';
import { renewToken } from './session-lifetime';

// Exported here so that the inbox loads the same chunk.
export { reportReceipt, sendReceipts } from './receipts';

/** Call once the person is known. Registers the device before it sends the worker's receipts. */
export async function beginAfterFirstScreen(syncRegistration: () => Promise<void>): Promise<void> {
  if ('serviceWorker' in navigator)
    await worker().catch((error: unknown) =>
      console.warn('The service worker could not be registered', error),
    );
  await syncRegistration();
  await Promise.all([beginReceipts(), renewToken()]);
}
