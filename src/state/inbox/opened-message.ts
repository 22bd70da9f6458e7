/** What a person does on a message's own screen: opens it, changes a waiting answer, comments. */
import { sessionClaims } from '../session';
import { stampReceipt, reportReceipts, sendAnswer, withdrawAnswer } from './inbox-answers';
import {
  keepUnsaved,
  knownMessages,
  pendingReceipts,
  toInboxRows,
  type PendingReceipt,
} from './inbox-state';
import { refreshInboxMessage, settlePendingReceipts } from './load-inbox';

export const COMMENT_FAILED = 'Failed to save your comment.';

/** Marks a message as read. */
export async function markRead(messageId: string): Promise<void> {
  const [row] = toInboxRows([messageId]);
  if (!row || row.readAt !== null) return;
  const receipt = stampReceipt({ messageId, kind: 'read' });
  pendingReceipts.value = [...pendingReceipts.value, { receipt, queued: true }];
  await reportReceipts(sessionClaims.value?.id, receipt);
  await settlePendingReceipts();
}

/**
 * Marks the message as read even if the app cannot reload it.
 * @throws {ApiError} if it cannot
 */
export async function openMessage(id: string): Promise<void> {
  const person = sessionClaims.value?.id;
  void markRead(id);
  try {
    await refreshInboxMessage(id);
  } finally {
    if (sessionClaims.value?.id === person) void markRead(id); // the message may belong to another person
  }
}

/** Withdraws an answer that has not been sent. Its comment stays, to be saved with the next one. */
export async function changeAnswer(messageId: string): Promise<void> {
  const person = sessionClaims.value?.id;
  const unconfirmed = findUnconfirmed(messageId);
  if (person === undefined || !unconfirmed?.queued) return;
  const { receipt } = unconfirmed;
  if (receipt.comment) keepUnsaved(messageId, { unsavedComment: receipt.comment });
  await withdrawAnswer(person, receipt);
}

/** An answer, or a changed comment, that the server has not confirmed. */
export const findUnconfirmed = (messageId: string): PendingReceipt | undefined =>
  pendingReceipts.value.find(
    ({ receipt }) => receipt.messageId === messageId && receipt.kind === 'acknowledged',
  );

/**
 * Queues the comment if the server is unreachable: with its answer, if that is still queued.
 * Resolves with whether it is saved or queued.
 * @throws {ApiError}
 */
export async function saveComment(messageId: string, text: string): Promise<boolean> {
  const person = sessionClaims.value?.id;
  const [row] = toInboxRows([messageId]);
  if (person === undefined || !row || row.answer === null) return false;
  const { receipt: unconfirmedReceipt } = findUnconfirmed(messageId) ?? {};
  const comment = text.trim();
  const { answer } = row;
  await sendAnswer(person, {
    ...(unconfirmedReceipt ?? stampReceipt({ messageId, kind: 'acknowledged', answer })),
    comment,
  });
  return findUnconfirmed(messageId) !== undefined || getComment(messageId) === comment;
}

/** The message may have expired, or another device may have given another answer. */
const getComment = (messageId: string): string => knownMessages.value.get(messageId)?.comment ?? '';
