// Registers and updates the service worker after the first screen: it would delay the first list on
// a slow phone.
import { controller, tellTakeover } from './worker';
import { withTimeout } from './with-timeout';

const SCRIPT = '/firebase-messaging-sw.js';
/** Our CSP requires Trusted Types: the worker's URL comes from this policy only. */
const { trustedTypes } = globalThis as {
  trustedTypes?: {
    createPolicy(name: 'worker', rules: object): { createScriptURL(input: ''): string };
  };
};
const script =
  trustedTypes?.createPolicy('worker', { createScriptURL: () => SCRIPT }).createScriptURL('') ??
  SCRIPT;
/** How long a new worker may take (S9.15), and the pause afterwards (S9.16). */
const ACTIVATION_MS = 10_000;
const SETTLE_MS = 1000;

/** Runs `work` once for all callers; a failure is retried by the next call. */
export function runOnce<T>(work: () => Promise<T>): () => Promise<T> {
  let begun: Promise<T> | undefined;
  return () =>
    (begun ??= work().catch((error: unknown) => {
      begun = undefined;
      throw error;
    }));
}

export const worker = runOnce(() => registerWorker(navigator.serviceWorker, controller));

/**
 * Reuses our worker, or registers it at scope `/`. Unregisters workers of other scripts: they would
 * take our pushes.
 * @param first the page's controller at the start
 * @throws {Error} if there can be none, or it is not active within 10 s
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
  await withTimeout(ACTIVATION_MS, container.ready, 'The service worker didn’t start in time');
  if (!existing) await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  return registration;
}

/** Activates a new version at once; otherwise it waits until no page uses the old one. */
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
  // The first worker is no new version, even if it does not control a page that loaded meanwhile or
  // bypassed it. The next one is.
  let controlled = container.controller !== null || registration.active?.state === 'activated';
  container.addEventListener('controllerchange', () => {
    tellTakeover(controlled);
    controlled = true;
  });
}
