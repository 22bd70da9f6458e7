/**
 * Starts the service worker, once the first screen is there: registration and updates. Earlier its
 * start and its downloads would delay the first list on a slow phone.
 */
import { controller, tellTakeover } from './worker';
import { within } from './within';

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
  if (first && first !== container.controller) tellTakeover(true);
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
    tellTakeover(controlled);
    controlled = true;
  });
}
