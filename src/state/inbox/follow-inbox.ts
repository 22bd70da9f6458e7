/** Keeps the inbox fresh while a person looks at the app. */
import { onReconnect, onReturn } from '../../platform/network';
import { onWorkerMessage } from '../../platform/worker';
import { sendPendingReceipts } from './inbox-answers';
import {
  inboxTime,
  isAnswerable,
  listedMessageIds,
  toInboxRows,
  inboxShownAsOf,
  pendingReceipts,
} from './inbox-state';
import {
  INBOX_PAGE_SIZE,
  refreshInboxMessage,
  refreshInbox,
  applyWorkerReceipt,
} from './load-inbox';

/** How often to ask the server: a push may be lost. */
const CHECK_INTERVAL_MS = 60_000;
/** How often to ask while the server is unreachable or a receipt waits. */
const RETRY_DELAY_MS = 10_000;

let followerCount = 0;
let stopFollowing: () => void;
/** The message shown on its own screen. */
let openMessageId: string | undefined;

/**
 * Refreshes the inbox until the returned function is called. Callers share one timer.
 * @param id an open message: other devices may answer it
 */
export function followInbox(id?: string): () => void {
  if (followerCount++ === 0) stopFollowing = startFollowing();
  openMessageId = id ?? openMessageId;
  return () => {
    if (id === openMessageId) openMessageId = undefined;
    if (--followerCount === 0) stopFollowing();
  };
}

/** Refreshing the list covers only its newest page. */
async function refreshOpenMessage(): Promise<void> {
  const [openRow] = openMessageId === undefined ? [] : toInboxRows([openMessageId]);
  if (
    !openRow ||
    !isAnswerable(openRow) ||
    listedMessageIds.value.slice(0, INBOX_PAGE_SIZE).includes(openRow.id)
  )
    return;
  await refreshInboxMessage(openRow.id).catch(() => undefined); // known messages stay
}

function startFollowing(): () => void {
  let checkTimer: ReturnType<typeof setTimeout>;
  let isStopped = false;
  /** Refreshes unless the page is hidden, and schedules the next. */
  async function check(): Promise<void> {
    inboxTime.value = Date.now();
    scheduleCheck(CHECK_INTERVAL_MS);
    if (document.hidden) return;
    await Promise.all([refreshInbox().then(refreshOpenMessage), sendPendingReceipts()]);
    if (inboxShownAsOf.peek() !== null) scheduleCheck(RETRY_DELAY_MS);
    scheduleReceiptRetry();
  }
  /** The worker sends waiting receipts only with its next event, which may be hours away. */
  function scheduleReceiptRetry(): void {
    if (pendingReceipts.peek().some(({ queued }) => queued)) scheduleCheck(RETRY_DELAY_MS);
  }
  const checkNow = () => void check();
  const scheduleCheck = (milliseconds: number): void => {
    clearTimeout(checkTimer);
    if (!isStopped) checkTimer = setTimeout(checkNow, milliseconds);
  };
  const stopFunctions = [
    onReconnect(checkNow),
    onWorkerMessage((message) => {
      if (message.type === 'shown') checkNow();
      if (message.type === 'pressed')
        void applyWorkerReceipt(message.person, message.receipt).then(scheduleReceiptRetry);
    }),
    onReturn(checkNow),
  ];
  checkNow();
  return () => {
    isStopped = true;
    clearTimeout(checkTimer);
    stopFunctions.forEach((stop) => stop());
  };
}
