/** The service worker as the page sees it: updates and messages. */
import type { WorkerMessage } from '../shared/push-message';
import { CLICK_LISTENER_LOCK } from './click-listener-lock';

/** The worker that served this page. Another may take over before this is read. */
export const servingWorker =
  'serviceWorker' in navigator ? navigator.serviceWorker.controller : null;

let takeoverListener = (_isNewer: boolean): void => {};
/** Calls back when another worker takes over, with whether it is newer than this page. */
export const onTakeover = (listen: typeof takeoverListener): void => {
  takeoverListener = listen;
};
export const reportTakeover = (isNewer: boolean): void => takeoverListener(isNewer);

/** Tells the worker that this page handles clicks, however busy it is. Returns how to stop. */
export function listenToClicks(): () => void {
  let releaseLock = (): void => {};
  const lockReleased = new Promise<void>((resolve) => {
    releaseLock = resolve;
  });
  navigator.locks
    ?.request(CLICK_LISTENER_LOCK, { mode: 'shared' }, () => lockReleased)
    .catch(() => {});
  return releaseLock;
}

/** Calls back for the worker's messages. `reply` says that the page handles a click. */
export function onWorkerMessage(
  listen: (message: WorkerMessage, reply: () => void) => void,
): () => void {
  const container = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  const receiveMessage = ({ data, ports }: MessageEvent<WorkerMessage>) =>
    listen(data, () => ports[0]?.postMessage(true));
  container?.addEventListener('message', receiveMessage);
  container?.startMessages();
  return () => container?.removeEventListener('message', receiveMessage);
}
