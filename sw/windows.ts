import type { WorkerMessage } from '../src/shared/push-message';

/** The app's open windows, last used first, including those from before the worker. */
export const openWindows = (worker: ServiceWorkerGlobalScope) =>
  worker.clients.matchAll({ type: 'window', includeUncontrolled: true });

export async function postToWindows(
  worker: ServiceWorkerGlobalScope,
  message: WorkerMessage,
): Promise<void> {
  for (const window of await openWindows(worker)) window.postMessage(message);
}
