/** Keeps the inbox fresh while somebody looks at the app. */
import { signal } from '@preact/signals-react';
import { onReconnect, onReturn } from '../../platform/network';
import { onWorkerMessage } from '../../platform/worker';
import { sendWaiting } from './answers';
import { shownAsOf } from './known';
import { refresh } from './read';

/** So often the server is asked while the app is looked at: a push may not have come. */
const EVERY_MS = 60_000;
/** And so often while it cannot be reached. */
const RETRY_MS = 10_000;

/** The present day as `toDateString` writes it: at midnight `Today` becomes `Yesterday`. */
export const today = signal('');

let followers = 0;
let end: () => void;

/** Follows what comes until the returned function is called, however many ask for it. */
export function follow(): () => void {
  if (followers++ === 0) end = begin();
  return () => {
    if (--followers === 0) end();
  };
}

function begin(): () => void {
  let timer: ReturnType<typeof setTimeout>;
  let ended = false;
  /** Asks now, unless nobody looks, and again in a while. */
  async function check(): Promise<void> {
    today.value = new Date().toDateString();
    again(EVERY_MS);
    if (document.hidden) return;
    await Promise.all([refresh(), sendWaiting()]);
    if (shownAsOf.peek() !== null && !ended) again(RETRY_MS);
  }
  const ask = () => void check();
  const again = (milliseconds: number): void => {
    clearTimeout(timer);
    timer = setTimeout(ask, milliseconds);
  };
  const stops = [
    onReconnect(ask),
    onWorkerMessage(({ type }) => {
      if (type === 'shown') ask();
    }),
    onReturn(ask),
  ];
  ask();
  return () => {
    ended = true;
    clearTimeout(timer);
    stops.forEach((stop) => stop());
  };
}
