/**
 * Leads out of a version of the app that does not start, or whose code is gone. It is a script by
 * itself, which imports nothing, so that it works whatever else is broken. Its address and its two
 * functions stay the same in every version: an old page asks for it when all of its own code is
 * gone. The worker is never unregistered here: it goes on to notify.
 */

/** When the page last started again by itself, and as what. */
const RELOADED = 'reloaded';
/**
 * Code that is gone was deployed over, which happens rarely; a version that does not start would go
 * on for ever.
 */
const MINUTE_MS = 60_000;
const RESCUE_MS = 10 * MINUTE_MS;
/** A server that has not answered by then is not reached. */
const LIMIT_MS = 10_000;

/**
 * What the server has: nothing that can be reached, a page of another version than this one, or the
 * same.
 */
type Found = { is: 'nothing' | 'another' | 'same'; page?: string };

/**
 * For code that cannot be had. Resolves with what to tell the person, or never, because the page
 * starts again.
 */
export async function recover(): Promise<string> {
  const found = await look();
  if (found.is === 'nothing')
    return `${unreached()}, and this page was never opened on this device. Open it when you are connected.`;
  if (await startAgain(found, MINUTE_MS)) return new Promise(() => {});
  return 'This page could not be loaded.';
}

/** For an app that did not start: it starts again once, and after that the person says when. */
export async function rescue(): Promise<void> {
  if (document.getElementById('rescue')) return;
  const found = await look();
  // A page that is still loading is slow, perhaps: the person may know better.
  if (
    found.is !== 'nothing' &&
    document.readyState === 'complete' &&
    (await startAgain(found, RESCUE_MS))
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
  button.onclick = () => void press();
  const help =
    found.is === 'nothing'
      ? `${unreached()}. Reload when you are connected.`
      : 'Reload to try again. If that does not help, try later: what is wrong is wrong with the app, and not with your device.';
  note.append(`The app did not start. ${help} `, button);
  document.body.prepend(note);
  const started = setInterval(() => {
    if (window.onload) return;
    note.remove();
    clearInterval(started);
  }, 500);
}

/**
 * The person wants to try again: what is kept here may be what is wrong, as long as there is
 * something to take its place.
 */
async function press(): Promise<void> {
  const { is, page } = await look();
  if (is === 'same') await empty();
  else if (is === 'another') await takeOver(page);
  location.reload();
}

const unreached = () => (navigator.onLine ? 'The server cannot be reached' : 'You are offline');

/**
 * Asks past the worker, which answers only for addresses without a search. A page of somebody
 * else's is none.
 */
async function look(): Promise<Found> {
  try {
    const response = await fetch(`/?fresh=${Date.now()}`, {
      cache: 'no-store',
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const page = await response.text();
    if (!response.ok || !page.includes('<div id="app">')) return { is: 'nothing' };
    // Together the scripts of a page name all the code that it begins with.
    const mine = [...document.querySelectorAll('head script')].map(
      (script) => script.getAttribute('src') ?? script.textContent,
    );
    return { is: mine.every((part) => page.includes(part)) ? 'same' : 'another', page };
  } catch {
    return { is: 'nothing' };
  }
}

/**
 * Starts the page again, as what the server has now, unless that was tried less than `between`
 * milliseconds ago or cannot be remembered.
 */
async function startAgain({ is, page }: Found, between: number): Promise<boolean> {
  if (is === 'another') await takeOver(page);
  const version = String(page?.match(/assets\/[\w.-]+/g));
  try {
    const [time, last] = (sessionStorage.getItem(RELOADED) ?? '').split(' ');
    if (last === version && Date.now() - Number(time) < between) return false;
    sessionStorage.setItem(RELOADED, `${Date.now()} ${version}`);
  } catch {
    return false; // better a message than a loop
  }
  location.reload();
  return true;
}

/**
 * Sees to it that the next start is what the server has now: by its worker, or by nothing that is
 * kept of the old one.
 */
async function takeOver(page?: string): Promise<void> {
  try {
    const limit = new Promise((_, late) => setTimeout(late, LIMIT_MS));
    await Promise.race([nextWorker(), limit]);
  } catch {
    // It has to do without one.
  }
  const kept =
    'caches' in globalThis
      ? await caches.match('/index.html', { ignoreSearch: true }).catch(() => undefined)
      : undefined;
  if (kept && (await kept.text()) !== page) await empty();
}

/**
 * Installs the server's worker, if it is another, and lets it take over. Rejects if it cannot be
 * installed.
 */
async function nextWorker(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration('/');
  await registration?.update();
  const next = registration?.installing ?? registration?.waiting;
  if (!next) return;
  await new Promise<void>((resolve, reject) => {
    const follow = () => {
      if (next.state === 'installed') next.postMessage('skip-waiting');
      if (next.state === 'activated') resolve();
      if (next.state === 'redundant') reject(new Error('It could not be installed.'));
    };
    next.addEventListener('statechange', follow);
    follow();
  });
}

/** The worker then asks the server for everything, until the next version fills its cache again. */
async function empty(): Promise<void> {
  if ('caches' in globalThis)
    for (const name of await caches.keys().catch(() => []))
      await caches.delete(name).catch(() => false);
}
