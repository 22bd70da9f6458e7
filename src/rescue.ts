// Recovers from a version that does not start or whose files are gone. Imports nothing, so that it
// works whatever is broken. Old pages call it by its URL and two functions: never rename these. It
// never unregisters the worker, which keeps notifying.

/** The time and the version of the page's last automatic reload. */
const RELOADED_KEY = 'reloaded';
/** Files disappear only with a deployment, which is rare; a broken version would reload forever. */
const MINUTE_MS = 60_000;
const RESCUE_RELOAD_PAUSE_MS = 10 * MINUTE_MS;
const REQUEST_TIMEOUT_MS = 10_000;
/** The page's file: English is at every path. */
const PAGE_FILE = LANGUAGE === 'en' ? '/index.html' : `/index.${LANGUAGE}.html`;

/** What the server has: unreachable, another version than this page, or the same. */
type ServerCheck = { kind: 'nothing' | 'another' | 'same'; page?: string };

/** Handles code that failed to load: resolves with a sentence for the person, or reloads. */
export async function recoverFromLoadFailure(): Promise<string> {
  const server = await checkServer();
  if (server.kind === 'nothing')
    return navigator.onLine
      ? 'The server isn’t reachable, and this page isn’t saved on this device. Try again in a few minutes.'
      : 'You’re offline, and this page isn’t saved on this device. Try again when you’re back online.';
  if (await reloadOnce(server, MINUTE_MS)) return new Promise(() => {});
  return 'This page couldn’t be loaded.';
}

/** Reloads an app that did not start, once; after that, the person decides. */
export async function rescue(): Promise<void> {
  if (document.getElementById('rescue')) return;
  const server = await checkServer();
  // A page that still loads may just be slow.
  if (
    server.kind !== 'nothing' &&
    document.readyState === 'complete' &&
    (await reloadOnce(server, RESCUE_RELOAD_PAUSE_MS))
  )
    return;
  const note = document.createElement('p');
  note.id = 'rescue';
  note.className = 'note';
  note.dataset.tone = 'bad';
  note.setAttribute('role', 'alert');
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Reload';
  button.onclick = () => void retryByHand();
  const help =
    server.kind === 'nothing'
      ? navigator.onLine
        ? 'The server isn’t reachable. Reload in a few minutes.'
        : 'You’re offline. Reload when you’re back online.'
      : 'Reload to try again. If that doesn’t help, tell your administrator. The problem is in the app, not on your device.';
  note.append(`The app didn’t start. ${help} `, button);
  document.body.prepend(note);
  const timer = setInterval(() => {
    if (window.onload) return;
    note.remove();
    clearInterval(timer);
  }, 500);
}

/** A retry: the cache may be at fault, so clear it if the server can replace it. */
async function retryByHand(): Promise<void> {
  const { kind, page } = await checkServer();
  if (kind === 'same') await clearCaches();
  else if (kind === 'another') await takeServerVersion(page);
  location.reload();
}

/** Bypasses the worker, which ignores URLs with a query. Rejects a captive portal's page. */
async function checkServer(): Promise<ServerCheck> {
  try {
    let response = await fetchFresh(LANGUAGE === 'en' ? '/' : PAGE_FILE);
    // The server may no longer have this language.
    if (LANGUAGE !== 'en' && response.status === 404) response = await fetchFresh('/');
    const page = await response.text();
    if (!response.ok || !page.includes('<div id="app">')) return { kind: 'nothing' };
    // The scripts of a page together name all of the page's initial code.
    const ownScripts = [...document.querySelectorAll('head script')].map(
      (script) => script.getAttribute('src') ?? script.textContent,
    );
    return { kind: ownScripts.every((part) => page.includes(part)) ? 'same' : 'another', page };
  } catch {
    return { kind: 'nothing' };
  }
}

const fetchFresh = (file: string) =>
  fetch(`${file}?fresh=${Date.now()}`, {
    cache: 'no-store',
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });

/**
 * Reloads into the server's version, unless that was tried within `pauseMs` ms or storage fails.
 */
async function reloadOnce({ kind, page }: ServerCheck, pauseMs: number): Promise<boolean> {
  if (kind === 'another') await takeServerVersion(page);
  const version = String(page?.match(/assets\/[\w.-]+/g));
  try {
    const [time, lastVersion] = (sessionStorage.getItem(RELOADED_KEY) ?? '').split(' ');
    if (lastVersion === version && Date.now() - Number(time) < pauseMs) return false;
    sessionStorage.setItem(RELOADED_KEY, `${Date.now()} ${version}`);
  } catch {
    return false; // better a message than a loop
  }
  location.reload();
  return true;
}

/** Makes the next start use the server's version: by its worker, or without the old cache. */
async function takeServerVersion(page?: string): Promise<void> {
  try {
    const timeout = new Promise((_, timeOut) => setTimeout(timeOut, REQUEST_TIMEOUT_MS));
    await Promise.race([activateNewWorker(), timeout]);
  } catch {
    // Continue without a new worker.
  }
  const cachedPage =
    'caches' in globalThis
      ? await caches.match(PAGE_FILE, { ignoreSearch: true }).catch(() => undefined)
      : undefined;
  if (cachedPage && (await cachedPage.text()) !== page) await clearCaches();
}

/** Installs and activates the server's worker if it is new. Rejects if it cannot be installed. */
async function activateNewWorker(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration('/');
  await registration?.update();
  const newWorker = registration?.installing ?? registration?.waiting;
  if (!newWorker) return;
  await new Promise<void>((resolve, reject) => {
    const followState = () => {
      if (newWorker.state === 'installed') newWorker.postMessage('skip-waiting');
      if (newWorker.state === 'activated') resolve();
      if (newWorker.state === 'redundant')
        reject(new Error('The service worker could not be installed.'));
    };
    newWorker.addEventListener('statechange', followState);
    followState();
  });
}

/** The worker then fetches everything until the next version fills the cache. */
async function clearCaches(): Promise<void> {
  if ('caches' in globalThis)
    for (const name of await caches.keys().catch(() => []))
      await caches.delete(name).catch(() => false);
}
