import type { WorkerMessage } from '../src/shared/push-message';

/** The app's open windows, last used first, including those from before the worker. */
export const windows = (worker: ServiceWorkerGlobalScope) =>
  worker.clients.matchAll({ type: 'window', includeUncontrolled: true });

export async function tell(
  worker: ServiceWorkerGlobalScope,
  message: WorkerMessage,
): Promise<void> {
  for (const window of await windows(worker)) window.postMessage(message);
}
