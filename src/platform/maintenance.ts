/** What the person can do when something is wrong: see which worker runs, and remove everything. */
import { within, worker } from './worker';

/** Limit of the specification, section 9. */
const VERSION_MS = 5000;

/** The version of the active worker. Rejects after 5 s. */
export async function workerVersion(): Promise<string> {
  const registration = await worker();
  const channel = new MessageChannel();
  const answer = new Promise<string>((resolve) => {
    channel.port1.onmessage = ({ data }) => resolve(String(data));
  });
  registration.active?.postMessage('version', [channel.port2]);
  return within(VERSION_MS, answer, 'Service worker version request timed out');
}

/** Removes every trace of the app from this browser: workers, caches, local and session storage, our databases. */
export async function reset(): Promise<void> {
  const registrations = await navigator.serviceWorker?.getRegistrations();
  await Promise.all((registrations ?? []).map((registration) => registration.unregister()));
  await Promise.all((await caches.keys()).map((name) => caches.delete(name)));
  for (const name of ['keyval-store', 'firebase-messaging-database', 'firebase-installations-database', 'firebase-heartbeat-database']) indexedDB.deleteDatabase(name);
  localStorage.clear();
  sessionStorage.clear();
}
