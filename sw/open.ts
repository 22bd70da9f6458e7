import { LISTENING } from '../src/platform/listening';
import { clickTarget, type WorkerMessage } from '../src/shared/push-message';
import { windows } from './windows';

/**
 * A window that shows the app answers at once; one that does not is still at the login form, busy,
 * or frozen.
 */
const ANSWER_MS = 500;

/**
 * Brings the person to where a notification leads. An open window is focused and asked to go there,
 * because it knows where it is (`url` may be the address that it was opened with) and whether
 * something is being typed in it; without one, a new window opens. A window is loaded again only if
 * no page listens: one that is busy hears it late, and goes there then.
 */
export async function openPage(
  worker: ServiceWorkerGlobalScope,
  link: string | undefined,
): Promise<void> {
  const target = clickTarget(link, worker.location.origin);
  const all = await windows(worker);
  const window = all.find(({ url }) => url === target) ?? all[0];
  if (!window) {
    await worker.clients.openWindow(target);
    return;
  }
  const focused = await window.focus().catch(() => window); // the browser may refuse: the window still goes there
  if ((await ask(focused, target)) || focused.url === target || (await isListened(worker))) return;
  await focused.navigate(target).catch(() => null);
}

/**
 * Whether any page sees to clicks. Which one cannot be told: a lock does not say whose window it
 * is, in all browsers.
 */
const isListened = async ({ navigator }: ServiceWorkerGlobalScope): Promise<boolean> => {
  const { held } = (await navigator?.locks?.query().catch(() => undefined)) ?? {};
  return held?.some(({ name }) => name === LISTENING) === true;
};

/** Whether the window says within its time that it sees to it. */
function ask(window: WindowClient, target: string): Promise<boolean> {
  const { pathname, search } = new URL(target);
  const channel = new MessageChannel();
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ANSWER_MS);
    channel.port1.onmessage = () => {
      clearTimeout(timer);
      resolve(true);
    };
    window.postMessage({ type: 'open', path: pathname + search } satisfies WorkerMessage, [
      channel.port2,
    ]);
  });
}
