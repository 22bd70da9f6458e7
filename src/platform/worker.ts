/** The service worker, seen from the page: registration, updates and messages. */
import type { WorkerMessage } from '../shared/push-message';

const SCRIPT = '/firebase-messaging-sw.js';
/**
 * Where Trusted Types are known, our CSP demands them: a worker's address comes from this policy,
 * and from nowhere else.
 */
const { trustedTypes } = globalThis as {
  trustedTypes?: {
    createPolicy(name: 'worker', rules: object): { createScriptURL(input: ''): string };
  };
};
const script =
  trustedTypes?.createPolicy('worker', { createScriptURL: () => SCRIPT }).createScriptURL('') ??
  SCRIPT;
/** How long a new worker may take (S9.15), and how long is waited after that (S9.16). */
const ACTIVATION_MS = 10_000;
const SETTLE_MS = 1000;

/** Told whether a newer worker has taken over than the one that this page came by. */
let tell = (_newer: boolean): void => {};
export const onTakeover = (listen: typeof tell): void => {
  tell = listen;
};

/**
 * The worker that this page came by. Another may have taken over before anybody looks, as that
 * waits for an idle moment.
 */
const controller = 'serviceWorker' in navigator ? navigator.serviceWorker.controller : null;

/** Does the work once, however many ask; a failure is tried again by the next call. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let begun: Promise<T> | undefined;
  return () =>
    (begun ??= work().catch((error: unknown) => {
      begun = undefined;
      throw error;
    }));
}

/** Our worker, active: see `registerWorker`. Done once for each page. */
export const worker = once(() => registerWorker(navigator.serviceWorker, controller));

/**
 * An existing worker of ours is reused; otherwise one is registered at scope `/`. Workers of other
 * scripts are unregistered first: they would take our pushes.
 * @param first the page's controller when it started
 * @throws {Error} if there can be none here, or it is not active within 10 s
 */
export async function registerWorker(
  container: ServiceWorkerContainer,
  first: ServiceWorker | null,
): Promise<ServiceWorkerRegistration> {
  const registrations = await container.getRegistrations();
  const isOurs = (one: ServiceWorkerRegistration) =>
    [one.active, one.waiting, one.installing].some(
      (state) => state && new URL(state.scriptURL).pathname === SCRIPT,
    );
  await Promise.all(registrations.filter((one) => !isOurs(one)).map((one) => one.unregister()));
  const existing = registrations.find(isOurs);
  const registration =
    existing ?? (await container.register(script, { scope: '/', updateViaCache: 'none' }));
  followUpdates(registration, container);
  if (first && first !== container.controller) tell(true);
  await within(ACTIVATION_MS, container.ready, 'The service worker did not start in time');
  if (!existing) await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  return registration;
}

/** A new version waits until no page uses the old one; it is told not to. */
function followUpdates(
  registration: ServiceWorkerRegistration,
  container: ServiceWorkerContainer,
): void {
  const skipWaiting = () => registration.waiting?.postMessage('skip-waiting');
  skipWaiting();
  registration.addEventListener('updatefound', () => {
    const { installing } = registration;
    installing?.addEventListener('statechange', () => {
      if (installing.state === 'installed' && container.controller) skipWaiting();
    });
  });
  // The first worker ever is no new version. A page that was loading when that one took over is not
  // controlled by it, nor is one that was reloaded past it: for these, too, the next is one.
  let controlled = container.controller !== null || registration.active?.state === 'activated';
  container.addEventListener('controllerchange', () => {
    tell(controlled);
    controlled = true;
  });
}

/**
 * Calls back for what the worker tells. For a click, `answer` says that the page sees to it.
 * Returns how to stop.
 */
export function onWorkerMessage(
  listen: (message: WorkerMessage, answer: () => void) => void,
): () => void {
  const container = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  const receive = ({ data, ports }: MessageEvent<WorkerMessage>) =>
    listen(data, () => ports[0]?.postMessage(true));
  container?.addEventListener('message', receive);
  container?.startMessages();
  return () => container?.removeEventListener('message', receive);
}

/** The promise, or a rejection with `message` after `milliseconds`. */
export function within<T>(milliseconds: number, promise: Promise<T>, message: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout>;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), milliseconds);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
