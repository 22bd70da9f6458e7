/**
 * Answering messages, and sending queued answers. `opened-message.ts` does what only a message's own screen
 * needs.
 */
import { call } from '../../api/call';
import { ApiError } from '../../api/error';
import { recordedSchema as recordedExample } from '../../shared/contract/inbox' with {
  type: 'example',
};
import { dropReceipts, keepMessages, queueReceipt } from '../../platform/storage/received';
import { closeNotifications } from '../../shared/check-in-page';
import type { Receipt } from '../../shared/contract';
import { sessionClaims } from '../session';
import {
  confirmReceipts,
  dropPending,
  isToEarlierText,
  keepUnsaved,
  knownMessages,
  toInboxRows,
  inboxShownAsOf,
  pendingReceipts,
  type PendingReceipt,
} from './inbox-state';
import { settlePendingReceipts } from './load-inbox';

/** This is a separate chunk, which administrators load without the inbox. */
const loadReceiptCode = () => import('../after-first-screen').catch(() => undefined);

/** Another person may have signed in while the code was loading. */
export async function reportReceipts(person: number | undefined, receipt: Receipt): Promise<void> {
  const code = await loadReceiptCode();
  if (sessionClaims.value?.id === person) await code?.reportReceipt(receipt);
}

export const ANSWER_FAILED = 'Failed to send your answer.';

/** The text that the person has seen. */
const getRevision = ({ messageId }: Receipt): Pick<Receipt, 'revision'> => {
  const { revision } = knownMessages.value.get(messageId) ?? {};
  return revision ? { revision } : {};
};

export const stampReceipt = (receipt: Receipt): PendingReceipt['receipt'] => ({
  ...receipt,
  ...getRevision(receipt),
  at: new Date().toISOString(),
});

/**
 * Queues the answer if the server is unreachable.
 * @param changes whether it replaces an earlier one; otherwise the first answer counts
 * @throws {ApiError} with the message as it was, if the server rejects
 */
export async function answerMessage(
  messageId: string,
  text: string,
  changes?: true,
): Promise<void> {
  const person = sessionClaims.value?.id;
  const [row] = toInboxRows([messageId]);
  if (person === undefined || !row) return;
  const isAlreadyGiven = changes
    ? row.answer === text && !isToEarlierText(row)
    : row.answer !== null;
  if (isAlreadyGiven) return;
  // The words stay in the field, to be saved with this answer or not.
  if (row.comment && row.answer !== text)
    keepUnsaved(messageId, { unsavedComment: row.unsavedComment ?? row.comment });
  const receipt: Receipt = { messageId, kind: 'acknowledged', answer: text };
  await sendAnswer(person, stampReceipt({ ...receipt, ...(changes && { changes }) }));
}

/** A notification that stays after the answer would ask again. */
const closeShown = (messageId: string): void =>
  void navigator.serviceWorker?.getRegistration('/').then(
    (tray) => closeNotifications(tray, ({ id }) => id === messageId),
    () => {},
  );

/** @throws {ApiError} */
export async function sendAnswer(
  person: number,
  receipt: PendingReceipt['receipt'],
): Promise<void> {
  dropPending([receipt]); // the same one without this comment
  pendingReceipts.value = [
    ...pendingReceipts.value,
    { receipt, queued: inboxShownAsOf.value !== null },
  ];
  // The receipt is queued before it is sent, because the page may close meanwhile.
  const isQueued = await queueReceipt(person, receipt);
  closeShown(receipt.messageId);
  try {
    const { recorded } = await call('POST /api/notifications/receipts', {
      body: { receipts: [receipt], sentAt: new Date().toISOString() },
      fallback: ANSWER_FAILED,
      like: recordedExample,
    });
    await dropReceipts(person, [receipt]);
    if (recorded) return confirmReceipts([receipt]);
    markAsQueued(receipt); // another device was first, and only the server can say with what
    await settlePendingReceipts();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === 'stale') return;
    if (error.code === 'unreachable') {
      markAsQueued(receipt);
      if (!isQueued) await reportReceipts(person, receipt);
      return;
    }
    await withdrawAnswer(person, receipt);
    throw error;
  }
}

function markAsQueued(receipt: Receipt): void {
  pendingReceipts.value = pendingReceipts.value.map((pending) =>
    pending.receipt === receipt ? { ...pending, queued: true } : pending,
  );
}

export async function withdrawAnswer(person: number, receipt: Receipt): Promise<void> {
  // The device's receipt goes first: otherwise the app would read the receipt from there again.
  await dropReceipts(person, [receipt]);
  dropPending([receipt]);
  const message = knownMessages.value.get(receipt.messageId);
  if (message) await keepMessages(person, [message]); // the message without the answer
}

export async function sendPendingReceipts(): Promise<void> {
  await (await loadReceiptCode())?.sendReceipts();
  await settlePendingReceipts();
}
