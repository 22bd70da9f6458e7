/** Keeps the inbox fresh while somebody looks at the app. */
import { signal } from '@preact/signals-react';
import { onReconnect, onReturn } from '../../platform/network';
import { onWorkerMessage } from '../../platform/worker';
import { sendWaiting } from './answers';
import { isAsked, listed, rowsOf, inboxShownAsOf, wishes } from './known';
import { INBOX_PAGE, refreshInboxMessage, refreshInbox, takePress } from './read';

/** So often the server is asked while the app is looked at: a push may not have come. */
const EVERY_MS = 60_000;
/** And so often while it cannot be reached, or something waits to be told. */
const RETRY_MS = 10_000;

/** The present day as `toDateString` writes it: at midnight `Today` becomes `Yesterday`. */
export const today = signal('');

let followers = 0;
let end: () => void;
/** The message that is shown by itself. */
let open: string | undefined;

/**
 * Follows what comes until the returned function is called, however many ask for it.
 * @param id a message that is shown by itself: other devices may answer it
 */
export function followInbox(id?: string): () => void {
  if (followers++ === 0) end = begin();
  open = id ?? open;
  return () => {
    if (id === open) open = undefined;
    if (--followers === 0) end();
  };
}

/** Refreshing the list tells of its newest page alone. */
async function readOpen(): Promise<void> {
  const [row] = open === undefined ? [] : rowsOf([open]);
  if (!row || !isAsked(row) || listed.value.slice(0, INBOX_PAGE).includes(row.id)) return;
  await refreshInboxMessage(row.id).catch(() => undefined); // what is known stays
}

function begin(): () => void {
  let timer: ReturnType<typeof setTimeout>;
  let ended = false;
  /** Asks now, unless nobody looks, and again in a while. */
  async function check(): Promise<void> {
    today.value = new Date().toDateString();
    again(EVERY_MS);
    if (document.hidden) return;
    await Promise.all([refreshInbox().then(readOpen), sendWaiting()]);
    if (inboxShownAsOf.peek() !== null) again(RETRY_MS);
    retryWaiting();
  }
  /** The worker tells what waits with its next event alone, which may be far. */
  function retryWaiting(): void {
    if (wishes.peek().some(({ queued }) => queued)) again(RETRY_MS);
  }
  const ask = () => void check();
  const again = (milliseconds: number): void => {
    clearTimeout(timer);
    if (!ended) timer = setTimeout(ask, milliseconds);
  };
  const stops = [
    onReconnect(ask),
    onWorkerMessage((message) => {
      if (message.type === 'shown') ask();
      if (message.type === 'pressed')
        void takePress(message.person, message.receipt).then(retryWaiting);
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
