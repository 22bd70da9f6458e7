// Registers and updates the service worker after the first screen: it would delay the first list on
// a slow phone.
import { servingWorker, reportTakeover } from './worker';
import { withTimeout } from './with-timeout';

const WORKER_PATH = '/firebase-messaging-sw.js';
/** Each language has its own address of the script: another address is another worker. */
const WORKER_SCRIPT_PATH = LANGUAGE === 'en' ? WORKER_PATH : `${WORKER_PATH}?${LANGUAGE}`;
/** Our CSP requires Trusted Types: the worker's URL comes from this policy only. */
const { trustedTypes } = globalThis as {
  trustedTypes?: {
    createPolicy(name: 'worker', rules: object): { createScriptURL(input: ''): string };
  };
};
const workerScript =
  trustedTypes
    ?.createPolicy('worker', { createScriptURL: () => WORKER_SCRIPT_PATH })
    .createScriptURL('') ?? WORKER_SCRIPT_PATH;
/** How long a new worker may take (S9.15), and the pause afterwards (S9.16). */
const ACTIVATION_TIMEOUT_MS = 10_000;
const SETTLE_DELAY_MS = 1000;

/** Runs `startWork` once for all callers; a failure is retried by the next call. */
export function runOnce<T>(startWork: () => Promise<T>): () => Promise<T> {
  let pendingStart: Promise<T> | undefined;
  return () =>
    (pendingStart ??= startWork().catch((error: unknown) => {
      pendingStart = undefined;
      throw error;
    }));
}

export const startWorker = runOnce(() => registerWorker(navigator.serviceWorker, servingWorker));

/**
 * Reuses our worker, or registers it at scope `/`, where it replaces one of another language.
 * Unregisters workers of other scripts: they would take our pushes.
 * @param worker the page's controller at the start
 * @throws {Error} if there can be none, or it is not active within 10 s
 */
export async function registerWorker(
  container: ServiceWorkerContainer,
  worker: ServiceWorker | null,
): Promise<ServiceWorkerRegistration> {
  const registrations = await container.getRegistrations();
  const workerUrls = ({ active, waiting, installing }: ServiceWorkerRegistration) =>
    // The newest worker comes first, because it will take over.
    [installing, waiting, active].flatMap((state) => (state ? new URL(state.scriptURL) : []));
  const isOwnRegistration = (candidate: ServiceWorkerRegistration) =>
    workerUrls(candidate).some(({ pathname }) => pathname === WORKER_PATH);
  await Promise.all(
    registrations
      .filter((candidate) => !isOwnRegistration(candidate))
      .map((candidate) => candidate.unregister()),
  );
  const ownRegistration = registrations.find((candidate) => {
    const [newestUrl] = workerUrls(candidate);
    return newestUrl && newestUrl.pathname + newestUrl.search === WORKER_SCRIPT_PATH;
  });
  const registration =
    ownRegistration ??
    (await container.register(workerScript, { scope: '/', updateViaCache: 'none' }));
  followUpdates(registration, container, registrations.some(isOwnRegistration) && !ownRegistration);
  if (worker && worker !== container.controller) reportTakeover(true);
  await withTimeout(
    ACTIVATION_TIMEOUT_MS,
    container.ready,
    'The part of Fieldbell that runs in the background didn’t start in time',
  );
  if (!ownRegistration) await new Promise((resolve) => setTimeout(resolve, SETTLE_DELAY_MS));
  return registration;
}

/**
 * Activates a new version at once; otherwise it waits until no page uses the old one.
 * @param isForeign whether the worker so far is of another language than this page
 */
function followUpdates(
  registration: ServiceWorkerRegistration,
  container: ServiceWorkerContainer,
  isForeign: boolean,
): void {
  const skipWaiting = () => registration.waiting?.postMessage('skip-waiting');
  const activateUpdate = () => {
    const { installing } = registration;
    installing?.addEventListener('statechange', () => {
      if (installing.state === 'installed' && container.controller) skipWaiting();
    });
  };
  skipWaiting();
  if (isForeign) activateUpdate();
  registration.addEventListener('updatefound', activateUpdate);
  // The first worker is no new version, even if it does not control a page that loaded meanwhile or
  // bypassed it. The next one is. The first in this page's language brings no other page either.
  let hadController =
    !isForeign && (container.controller !== null || registration.active?.state === 'activated');
  container.addEventListener('controllerchange', () => {
    reportTakeover(hadController);
    hadController = true;
  });
}
