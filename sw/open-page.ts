import { CLICK_LISTENER_LOCK } from '../src/platform/click-listener-lock';
import { clickTarget, type WorkerMessage } from '../src/shared/push-message';
import { openWindows } from './windows';

/** A window that does not reply within this time shows the login form, is busy, or frozen. */
const REPLY_TIMEOUT_MS = 500;

/**
 * An open window is asked to navigate, because only it knows its page and unsaved input. It is
 * reloaded only if no page listens: a busy one navigates later.
 */
export async function openPage(
  worker: ServiceWorkerGlobalScope,
  link: string | undefined,
): Promise<void> {
  const target = clickTarget(link, worker.location.origin);
  const windows = await openWindows(worker);
  const window = windows.find(({ url }) => url === target) ?? windows[0];
  if (!window) {
    await worker.clients.openWindow(target);
    return;
  }
  const focusedWindow = await window.focus().catch(() => window); // the browser may reject: the window still goes there
  if (
    (await askToOpen(focusedWindow, target)) ||
    focusedWindow.url === target ||
    (await hasClickListener(worker))
  )
    return;
  await focusedWindow.navigate(target).catch(() => null);
}

/** In some browsers, a lock does not say which window holds it. */
const hasClickListener = async ({ navigator }: ServiceWorkerGlobalScope): Promise<boolean> => {
  const { held } = (await navigator?.locks?.query().catch(() => undefined)) ?? {};
  return held?.some(({ name }) => name === CLICK_LISTENER_LOCK) === true;
};

/** Whether the window replies in time. */
function askToOpen(window: WindowClient, target: string): Promise<boolean> {
  const { pathname, search } = new URL(target);
  const channel = new MessageChannel();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, REPLY_TIMEOUT_MS, false);
    channel.port1.onmessage = () => {
      clearTimeout(timer);
      resolve(true);
    };
    window.postMessage({ type: 'open', path: pathname + search } satisfies WorkerMessage, [
      channel.port2,
    ]);
  });
}
