/** Keeps the inbox fresh while a person looks at the app. */
import { signal } from '@preact/signals-react';
import { onReconnect, onReturn } from '../../platform/network';
import { onWorkerMessage } from '../../platform/worker';
import { sendPendingReceipts } from './inbox-answers';
import {
  waitsForAnswer,
  listedIds,
  toInboxRows,
  inboxShownAsOf,
  pendingReceipts,
} from './inbox-state';
import { INBOX_PAGE, refreshInboxMessage, refreshInbox, applyWorkerReceipt } from './load-inbox';

/** How often to ask the server: a push may be lost. */
const EVERY_MS = 60_000;
/** How often to ask while the server is unreachable or a receipt waits. */
const RETRY_MS = 10_000;

/** The date from `toDateString`. It changes at midnight, when `Today` becomes `Yesterday`. */
export const today = signal('');

let followers = 0;
let end: () => void;
/** The message shown on its own screen. */
let open: string | undefined;

/**
 * Refreshes the inbox until the returned function is called. Callers share one timer.
 * @param id an open message: other devices may answer it
 */
export function followInbox(id?: string): () => void {
  if (followers++ === 0) end = begin();
  open = id ?? open;
  return () => {
    if (id === open) open = undefined;
    if (--followers === 0) end();
  };
}

/** Refreshing the list covers only its newest page. */
async function readOpen(): Promise<void> {
  const [row] = open === undefined ? [] : toInboxRows([open]);
  if (!row || !waitsForAnswer(row) || listedIds.value.slice(0, INBOX_PAGE).includes(row.id)) return;
  await refreshInboxMessage(row.id).catch(() => undefined); // known messages stay
}

function begin(): () => void {
  let timer: ReturnType<typeof setTimeout>;
  let ended = false;
  /** Refreshes unless the page is hidden, and schedules the next. */
  async function check(): Promise<void> {
    today.value = new Date().toDateString();
    again(EVERY_MS);
    if (document.hidden) return;
    await Promise.all([refreshInbox().then(readOpen), sendPendingReceipts()]);
    if (inboxShownAsOf.peek() !== null) again(RETRY_MS);
    retryWaiting();
  }
  /** The worker sends waiting receipts only with its next event, which may be hours away. */
  function retryWaiting(): void {
    if (pendingReceipts.peek().some(({ queued }) => queued)) again(RETRY_MS);
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
        void applyWorkerReceipt(message.person, message.receipt).then(retryWaiting);
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
