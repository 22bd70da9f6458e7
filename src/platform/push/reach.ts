/** What a page can check about its notifications without the server. */
import { withTimeout } from '../with-timeout';

/** The worker may have to start first. */
const WORKER_TIMEOUT_MS = 5000;
/** Some browsers ask the person, who may not answer. */
const STORAGE_TIMEOUT_MS = 5000;
const NO_REPLY_TEXT = 'The browser didn’t respond.';

/** Asks the browser never to evict storage and worker. Resolves with false without a reply. */
export async function requestPersistentStorage(): Promise<boolean> {
  try {
    const { storage } = navigator;
    if (await storage.persisted()) return true;
    return await withTimeout(STORAGE_TIMEOUT_MS, storage.persist(), NO_REPLY_TEXT);
  } catch {
    return false;
  }
}

/** The worker now: something may have removed it since the page started. Rejects after 5 s. */
export const currentRegistration = (): Promise<ServiceWorkerRegistration | undefined> =>
  withTimeout(WORKER_TIMEOUT_MS, navigator.serviceWorker.getRegistration('/'), NO_REPLY_TEXT);

/** Rejects after 5 s. */
export const currentSubscription = ({
  pushManager,
}: ServiceWorkerRegistration): Promise<PushSubscription | null> =>
  withTimeout(WORKER_TIMEOUT_MS, pushManager.getSubscription(), NO_REPLY_TEXT);

/** The worker's version. Rejects after 5 s (S9.17). */
export async function readWorkerVersion({ active }: ServiceWorkerRegistration): Promise<string> {
  const { port1, port2 } = new MessageChannel();
  try {
    const reply = new Promise<MessageEvent>((resolve) => (port1.onmessage = resolve));
    active?.postMessage('version', [port2]);
    const { data } = await withTimeout(
      WORKER_TIMEOUT_MS,
      reply,
      'Service worker version request timed out',
    );
    return String(data);
  } finally {
    port1.close();
  }
}

/** The promise never rejects. */
export const isWorkerAlive = (registration: ServiceWorkerRegistration): Promise<boolean> =>
  readWorkerVersion(registration).then(
    () => true,
    () => false,
  );

/** A subscription's token, as the server stores it. Loads the push code. */
export const loadSubscriptionToken = (subscription: PushSubscription): Promise<string> =>
  import('./web-push').then((module) => module.subscriptionToken(subscription));
