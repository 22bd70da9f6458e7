import type { WorkerMessage } from '../src/shared/push-message';

/**
 * The app's open windows, the one used last first; also those that loaded before the worker was
 * there.
 */
export const windows = (worker: ServiceWorkerGlobalScope) =>
  worker.clients.matchAll({ type: 'window', includeUncontrolled: true });

/** Tells all of them. */
export async function tell(
  worker: ServiceWorkerGlobalScope,
  message: WorkerMessage,
): Promise<void> {
  for (const window of await windows(worker)) window.postMessage(message);
}
