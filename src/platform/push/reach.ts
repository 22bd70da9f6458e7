/** What a page can find out about being notified without the server. */
import { within } from '../within';

/** So long a worker may take to answer. It has to be started for it. */
const WORKER_MS = 5000;
/** Some browsers ask the person, who may not answer. */
const STORAGE_MS = 5000;
const NO_ANSWER = 'The browser did not answer.';

/**
 * Asks the browser to keep what is stored here, and with it the worker and its subscription, when
 * it runs out of room. Never rejects; false also where nobody answers.
 */
export async function keepStorage(): Promise<boolean> {
  try {
    const { storage } = navigator;
    if (await storage.persisted()) return true;
    return await within(STORAGE_MS, storage.persist(), NO_ANSWER);
  } catch {
    return false;
  }
}

/**
 * The worker as it is at this moment: something else may have removed it since the page started.
 * Rejects after 5 s.
 */
export const presentWorker = (): Promise<ServiceWorkerRegistration | undefined> =>
  within(WORKER_MS, navigator.serviceWorker.getRegistration('/'), NO_ANSWER);

/** The subscription of a worker, if it has one. Rejects after 5 s. */
export const presentSubscription = ({
  pushManager,
}: ServiceWorkerRegistration): Promise<PushSubscription | null> =>
  within(WORKER_MS, pushManager.getSubscription(), NO_ANSWER);

/** The version that a worker answers. Rejects after 5 s (S9.17). */
export async function versionOf({ active }: ServiceWorkerRegistration): Promise<string> {
  const { port1, port2 } = new MessageChannel();
  try {
    const answer = new Promise<MessageEvent>((resolve) => (port1.onmessage = resolve));
    active?.postMessage('version', [port2]);
    const { data } = await within(WORKER_MS, answer, 'Service worker version request timed out');
    return String(data);
  } finally {
    port1.close();
  }
}

/** Whether the worker answers a message in time. Never rejects. */
export const isAlive = (registration: ServiceWorkerRegistration): Promise<boolean> =>
  versionOf(registration).then(
    () => true,
    () => false,
  );

/** The token of a subscription, as the server has it. Its code is loaded when push is on. */
export const loadTokenOf = (subscription: PushSubscription): Promise<string> =>
  import('./web-push').then((module) => module.tokenOf(subscription));
