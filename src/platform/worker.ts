/** The service worker, as the page hears of it: another version, and messages. */
import type { WorkerMessage } from '../shared/push-message';
import { LISTENING } from './listening';

/**
 * The worker that this page came by. Another may have taken over before anybody looks, as that
 * waits for an idle moment.
 */
export const controller = 'serviceWorker' in navigator ? navigator.serviceWorker.controller : null;

let listener = (_newer: boolean): void => {};
/** Calls back when another worker has taken over, with whether it is newer than this page. */
export const onTakeover = (listen: typeof listener): void => {
  listener = listen;
};
export const tellTakeover = (newer: boolean): void => listener(newer);

/**
 * Lets the worker know that this page sees to clicks on notifications, however busy it is. Returns
 * how to end that.
 */
export function listenToClicks(): () => void {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  navigator.locks?.request(LISTENING, { mode: 'shared' }, () => ended).catch(() => {});
  return end;
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
