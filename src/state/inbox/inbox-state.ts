// A person's messages: from the server or this device, overlaid with receipts that the server has
// not confirmed.
import { computed, effect, signal } from '@preact/signals-react';
import { CHECK_IN_PAGE } from '../../shared/check-in-page';
import type { InboxMessage, Receipt } from '../../shared/contract';
import type { TopicsLoading } from '../subscriptions/load-topics';
import { inboxSummary } from './inbox-summary';
import { personalSignal } from '../personal-signal';
import { sessionClaims, isAdmin } from '../session';
import { storeUnsaved, type UnsavedAnswer } from '../../platform/storage/received';

/** A message overlaid with unconfirmed receipts. */
export interface InboxItem extends InboxMessage, UnsavedAnswer {
  /** State of the answer; `queued` waits until the server is reachable. */
  sent: 'yes' | 'sending' | 'queued';
}

/** A receipt that the server has not confirmed. */
export interface PendingReceipt {
  receipt: Receipt & { at: string };
  /** The receipt waits for a connection; otherwise the receipt is in flight. */
  queued: boolean;
}

export const inboxLoading = personalSignal<TopicsLoading>({ kind: 'idle' });
/** When the server was last asked, while it is unreachable; otherwise null. */
export const inboxShownAsOf = personalSignal<number | null>(null);
/** All messages seen in this session, by id. */
export const knownMessages = personalSignal<ReadonlyMap<string, InboxMessage>>(new Map());
/** The list's messages, newest first, without a gap. */
export const listedMessageIds = personalSignal<readonly string[]>([]);
/** Whether the server may have older messages. */
export const hasOlderMessages = signal(false);
/** The server's unread count. */
export const serverUnreadCount = personalSignal(0);
export const pendingReceipts = personalSignal<readonly PendingReceipt[]>([]);
/** Unsaved answers by message id. The device stores them until the person signs out. */
export const unsavedAnswers = personalSignal<ReadonlyMap<string, UnsavedAnswer>>(new Map());

export const inboxRows = computed(() => toInboxRows(listedMessageIds.value));

export const toInboxRows = (ids: readonly string[]): InboxItem[] =>
  ids.flatMap((id) => {
    const message = knownMessages.value.get(id);
    return message ? [withPending(message)] : [];
  });

/** Messages without pending receipts keep the same row objects, so they are not rendered again. */
const plainRows = new WeakMap<InboxMessage, InboxItem>();

function withPending(message: InboxMessage): InboxItem {
  const row: InboxItem = plainRows.get(message) ?? { ...message, sent: 'yes' };
  plainRows.set(message, row);
  const receiptsOfMessage = pendingReceipts.value.filter(
    ({ receipt }) => receipt.messageId === message.id,
  );
  const unsavedAnswer = unsavedAnswers.value.get(message.id);
  if (!receiptsOfMessage.length && !unsavedAnswer) return row;
  return applyPending({ ...row, ...unsavedAnswer }, receiptsOfMessage);
}

function applyPending(row: InboxItem, receipts: readonly PendingReceipt[]): InboxItem {
  for (const { receipt, queued } of receipts) {
    row.readAt ??= receipt.at;
    if (receipt.kind !== 'acknowledged') continue;
    delete row.unrecordedAnswer;
    Object.assign(row, changedComment(row, receipt));
    if (row.answer !== null && !receipt.changes) continue;
    row.answer = receipt.answer ?? null;
    row.acknowledgedAt = receipt.at;
    if (receipt.revision) row.answerRevision = receipt.revision;
    row.sent = queued ? 'queued' : 'sending';
  }
  return row;
}

/** The words belong to their answer: another answer has only its own. */
const changedComment = (
  { answer: formerAnswer }: InboxMessage,
  { answer, comment, changes }: Receipt,
): Pick<InboxMessage, 'comment'> => {
  if (comment !== undefined) return { comment };
  return changes && answer !== formerAnswer ? { comment: '' } : {};
};

/**
 * Whether the answer that counts belongs to an earlier text. Older servers and copies do not say.
 */
export const isToEarlierText = ({ answer, answerRevision, revision }: InboxMessage): boolean =>
  answer !== null && (answerRevision ?? Infinity) < (revision ?? 1);

/** Whether this person may give an answer, which is late after the message expired. */
export const isAnswerable = ({ answers, answer, state }: InboxMessage): boolean =>
  answers.length > 0 && answer === null && state === 'sent';

/** An answer can change until the message ends. */
export const isChangeable = ({ allClearAt, expiresAt, state }: InboxMessage): boolean =>
  state === 'sent' && !allClearAt && Date.parse(expiresAt) > Date.now();

/** Moves on while the inbox is followed: messages expire, and `Today` becomes `Yesterday`. */
export const inboxTime = signal(Date.now());

export const hasExpired = ({ expiresAt }: InboxMessage): boolean =>
  Date.parse(expiresAt) <= inboxTime.value;

/** Whether the message waits for this person's answer. */
export const waitsForAnswer = (message: InboxMessage): boolean =>
  isAnswerable(message) && !hasExpired(message);

/** An unanswered urgent message stands above the others in every list. */
export const waitsUrgently = (message: InboxMessage): boolean =>
  message.priority === 'urgent' && waitsForAnswer(message);

/** An earlier reminder of a check-in asks what the newest one asks. */
export const isNewestOfCheckIn = (
  row: InboxItem,
  index: number,
  rows: readonly InboxItem[],
): boolean =>
  row.link !== CHECK_IN_PAGE || rows.findIndex(({ link }) => link === CHECK_IN_PAGE) === index;

let requestCount = 0;
/** The request from which each message is known. */
const changedAt = new Map<string, number>();
/** Call it before the request is sent. */
export const nextRequestNumber = (): number => ++requestCount;

/**
 * Ignores responses older than the known messages: pressed buttons would reappear.
 * @param requestNumber from `nextRequestNumber`
 */
export function mergeMessages(
  messages: readonly InboxMessage[],
  requestNumber = nextRequestNumber(),
): void {
  const newerMessages = messages.filter(({ id }) => (changedAt.get(id) ?? 0) <= requestNumber);
  for (const { id } of newerMessages) changedAt.set(id, requestNumber);
  knownMessages.value = new Map([
    ...knownMessages.value,
    ...newerMessages.map((message) => [message.id, message] as const),
  ]);
}

/**
 * Compares a sent answer with the message read since: the server may have another one, or have it
 * for a text that was corrected meanwhile.
 */
export function noteIfUnrecorded({
  messageId,
  kind,
  answer = '',
  comment,
  revision: answeredRevision,
}: Receipt): void {
  const message = knownMessages.value.get(messageId);
  if (kind !== 'acknowledged' || !message) return;
  const recorded =
    message.formerAnswers?.find(({ revision }) => revision === answeredRevision) ?? message;
  keepUnsaved(messageId, {
    unrecordedAnswer: recorded.answer === answer ? undefined : answer,
    ...(comment && recorded.comment !== comment && { unsavedComment: comment }),
  });
}

/** Changes only what `change` contains; undefined removes it. */
export function keepUnsaved(messageId: string, change: UnsavedAnswer): void {
  const answers = new Map(unsavedAnswers.value);
  const answer = { ...answers.get(messageId), ...change };
  answers.delete(messageId);
  if (Object.values(answer).some((text) => text !== undefined)) answers.set(messageId, answer);
  unsavedAnswers.value = answers;
  if (sessionClaims.value) void storeUnsaved(sessionClaims.value.id, answers);
}

/** Applies receipts that the server has recorded. */
export function confirmReceipts(receipts: readonly Receipt[]): void {
  for (const receipt of receipts) {
    const { messageId, kind, answer = null, at = null, changes, revision } = receipt;
    const message = knownMessages.value.get(messageId);
    if (!message) continue;
    if (message.readAt === null) serverUnreadCount.value--;
    const isAnswered = kind === 'acknowledged' && (changes || message.answer === null);
    if (isAnswered) keepUnsaved(messageId, { unrecordedAnswer: undefined });
    mergeMessages([
      {
        ...message,
        readAt: message.readAt ?? at,
        ...(isAnswered && { answer, acknowledgedAt: at }),
        ...(isAnswered && revision && { answerRevision: revision }),
        ...(kind === 'acknowledged' && changedComment(message, receipt)),
      },
    ]);
  }
  dropPending(receipts);
}

export function dropPending(receipts: readonly Receipt[]): void {
  pendingReceipts.value = pendingReceipts.value.filter(
    ({ receipt }) => !receipts.some((other) => isSameReceipt(other, receipt)),
  );
}

export const isSameReceipt = (one: Receipt, other: Receipt): boolean =>
  one.messageId === other.messageId && one.kind === other.kind;

const waitingAnswers = computed(
  () =>
    pendingReceipts.value.filter(({ queued, receipt }) => queued && receipt.kind === 'acknowledged')
      .length,
);
/** Messages that are unread on the server and read here. */
const readSince = computed(() => {
  const ids = new Set(pendingReceipts.value.map(({ receipt }) => receipt.messageId));
  return [...ids].filter((id) => knownMessages.value.get(id)?.readAt === null).length;
});

export const unreadCount = computed(() => Math.max(0, serverUnreadCount.value - readSince.value));

effect(() => {
  const answers = waitingAnswers.value;
  inboxSummary.value = {
    unread: isAdmin.value ? 0 : unreadCount.value, // administrators' Messages are the sent messages
    urgent: inboxRows.value.some(waitsUrgently),
    waiting: answers ? ` ${answers} answer${answers === 1 ? '' : 's'} not sent yet.` : '',
    asOf: inboxShownAsOf.value,
    known: true,
  };
});
