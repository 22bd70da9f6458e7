/** Keeps the inbox fresh while somebody looks at the app. */
import { signal } from '@preact/signals-react';
import { onReconnect } from '../../platform/network';
import { onWorkerMessage } from '../../platform/worker';
import { claims } from '../session';
import { sendWaiting } from './answers';
import { loading, shownAsOf, wishes } from './known';
import { catchUp, load } from './read';

/** So often the server is asked while the app is looked at: a push may not have come. */
const EVERY_MS = 60_000;
/** And so often while it cannot be reached. */
const RETRY_MS = 10_000;

/** The present day as `toDateString` writes it: at midnight `Today` becomes `Yesterday`. */
export const today = signal(new Date().toDateString());

let followers = 0;
let stop: () => void;

/** Follows what comes until the returned function is called, however many ask for it. */
export function follow(): () => void {
  if (followers++ === 0) stop = begin();
  return () => {
    if (--followers === 0) stop();
  };
}

function begin(): () => void {
  let timer: ReturnType<typeof setTimeout>;
  let ended = false;
  const check = (): void => {
    today.value = new Date().toDateString();
    clearTimeout(timer);
    timer = setTimeout(tick, shownAsOf.peek() === null ? EVERY_MS : RETRY_MS);
    if (claims.peek() === null) return;
    if (wishes.peek().some(({ queued }) => queued)) void sendWaiting();
    void (loading.peek().is === 'ready' ? catchUp() : load()).then(() => {
      if (shownAsOf.peek() === null || ended) return;
      clearTimeout(timer);
      timer = setTimeout(tick, RETRY_MS);
    });
  };
  const tick = (): void => {
    if (document.hidden) timer = setTimeout(tick, EVERY_MS);
    else check();
  };
  const back = () => document.hidden || check();
  const ends = [
    onReconnect(check),
    onWorkerMessage(({ type }) => {
      if (type === 'shown') check();
    }),
    () => {
      ended = true;
      clearTimeout(timer);
    },
  ];
  for (const event of ['focus', 'visibilitychange']) {
    addEventListener(event, back);
    ends.push(() => removeEventListener(event, back));
  }
  void load().then(sendWaiting);
  timer = setTimeout(tick, EVERY_MS);
  return () => ends.forEach((end) => end());
}
