/** What goes on behind the screens, once the first of them is there. */
import { worker } from '../platform/worker-start';
import { beginReceipts } from './receipts';
import { renewToken } from './device/renewal';
import './session-end';

// One file with what it brings along: the inbox fetches it by this name, too.
export { reportReceipt, sendReceipts } from './receipts';

/**
 * Call once the person is known. @param syncRegistration registers this device, or ends that: with
 * the worker, before what the worker noted is told
 */
export async function beginAfterFirstScreen(syncRegistration: () => Promise<void>): Promise<void> {
  if ('serviceWorker' in navigator)
    await worker().catch((error: unknown) =>
      console.warn('The service worker could not be registered', error),
    );
  await syncRegistration();
  await Promise.all([beginReceipts(), renewToken()]);
}
