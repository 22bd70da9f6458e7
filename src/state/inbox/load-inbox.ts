/** Loads a person's messages, and stores the messages for use offline. */
import { call } from '../../api/call';
import { ApiError } from '../../api/error';
import { inboxMessageSchema, inboxPageSchema } from '../../shared/contract/inbox' with {
  type: 'example',
};
import {
  isOfPerson,
  keepMessages,
  readReceived,
  replaceMessages,
  readPendingReceipts,
} from '../../platform/storage/received';
import { readOfflineData, writeOfflineData } from '../../platform/storage/database';
import type { ResponseOf, InboxMessage, InboxQuery, Receipt } from '../../shared/contract';
import { applyRights } from '../rights';
import { sessionClaims } from '../session';
import {
  confirmReceipts,
  dropPending,
  isSameReceipt,
  noteIfUnrecorded,
  knownMessages,
  mergeMessages,
  listedMessageIds,
  inboxLoading,
  unsavedAnswers,
  hasOlderMessages,
  nextRequestNumber,
  inboxShownAsOf,
  serverUnreadCount,
  pendingReceipts,
} from './inbox-state';

const READ_MESSAGES = 'GET /api/notifications/messages';
type InboxPage = ResponseOf<typeof READ_MESSAGES> & { requestNumber: number };

export const INBOX_PAGE_SIZE = 20;
/** The server's limit. */
const MAX_PAGE_SIZE = 100;
export const INBOX_FAILED = 'Failed to load messages.';
/** Stores when the server last responded, until the session ends. */
const TIME_OFFLINE_KEY = 'messages_as_of';

async function requestPage(query: InboxQuery): Promise<InboxPage> {
  const requestNumber = nextRequestNumber();
  const page = await call(READ_MESSAGES, {
    query,
    fallback: INBOX_FAILED,
    like: inboxPageSchema,
  });
  return { ...page, requestNumber };
}

/** The highest `seq` that the server has reported. */
let newestSeq = 0;

/**
 * Reads new messages, or the newest page if other messages changed. Reads run one at a time, so an
 * old response never replaces a newer response.
 */
export function refreshInbox(): Promise<void> {
  nextRead ??= currentRead.then(() => {
    nextRead = undefined;
    currentRead = readNewMessages();
    return currentRead;
  });
  return nextRead;
}
let currentRead = Promise.resolve();
let nextRead: Promise<void> | undefined;

async function readNewMessages(): Promise<void> {
  const person = sessionClaims.value?.id;
  if (person === undefined) return;
  try {
    if (inboxLoading.value.kind !== 'ready') {
      if (!listedMessageIds.value.length) inboxLoading.value = { kind: 'loading' };
      await showKeptMessages();
      applyNewestPage(await requestPage({ limit: INBOX_PAGE_SIZE }));
    } else await readMessagesAfterNewest();
    inboxLoading.value = { kind: 'ready' };
    inboxShownAsOf.value = null;
    void writeOfflineData(TIME_OFFLINE_KEY, Date.now());
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === 'stale') return;
    const { length } = listedMessageIds.value;
    if (error.code !== 'unreachable' || !length)
      inboxLoading.value = { kind: 'failed', message: error.message };
    else inboxShownAsOf.value = (await readOfflineData<number>(TIME_OFFLINE_KEY)) ?? Date.now();
  }
}

async function readMessagesAfterNewest(): Promise<void> {
  let expectedUnread = serverUnreadCount.value;
  for (;;) {
    const page = await requestPage({ after: newestSeq, limit: MAX_PAGE_SIZE });
    const lastSeq = page.messages.at(-1)?.seq ?? 0;
    // Ends the loop even if the server repeats itself.
    const isLast = page.messages.length < MAX_PAGE_SIZE || lastSeq <= newestSeq;
    expectedUnread += page.messages.filter(({ readAt }) => readAt === null).length;
    // Fewer messages than before mean that the server was restored from a backup. A different
    // count of unread messages means that another device read some.
    if (page.newest < newestSeq || (isLast && page.unread !== expectedUnread))
      return applyNewestPage(await requestPage({ limit: INBOX_PAGE_SIZE }));
    listPage(page, false);
    newestSeq = Math.max(newestSeq, lastSeq);
    serverUnreadCount.value = page.unread;
    if (!isLast) continue;
    const closedCount = sumNewestPage(
      ({ state, revision = 1, allClearAt }) =>
        (state === 'sent' ? 0 : 1) + (allClearAt ? revision : revision - 1),
    );
    const answeredCount = sumNewestPage(({ answer }) => (answer === null ? 0 : 1));
    // A known message was canceled, resolved, corrected, or answered on another device.
    if (
      (page.closed ?? closedCount) !== closedCount ||
      (page.answered ?? answeredCount) !== answeredCount
    )
      applyNewestPage(await requestPage({ limit: INBOX_PAGE_SIZE }));
    return;
  }
}

const sumNewestPage = (count: (message: InboxMessage) => number): number =>
  listedMessageIds.value.slice(0, INBOX_PAGE_SIZE).reduce((sum, id) => {
    const message = knownMessages.value.get(id);
    return sum + (message ? count(message) : 0);
  }, 0);

/** Discards the list if the server was restored from a backup, or if a gap would appear. */
function applyNewestPage(page: InboxPage): void {
  applyRights(page);
  const lowestSeq = page.messages.at(-1)?.seq ?? 0;
  const isReplaced = page.newest < newestSeq || lowestSeq > newestSeq + 1;
  if (isReplaced) listedMessageIds.value = [];
  listPage(page, isReplaced);
  newestSeq = page.newest;
  serverUnreadCount.value = page.unread;
}

function listPage({ messages, requestNumber }: InboxPage, isReplaced: boolean): void {
  const person = sessionClaims.value?.id;
  if (person === undefined) return;
  mergeMessages(messages, requestNumber);
  const getSeq = (id: string) => knownMessages.value.get(id)?.seq ?? 0;
  listedMessageIds.value = [
    ...new Set([...listedMessageIds.value, ...messages.map(({ id }) => id)]),
  ].sort((a, b) => getSeq(b) - getSeq(a));
  hasOlderMessages.value = getSeq(listedMessageIds.value.at(-1) ?? '') > 1;
  const mergedMessages = messages.map((message) => knownMessages.value.get(message.id) ?? message);
  void (isReplaced ? replaceMessages : keepMessages)(person, mergedMessages);
}

/**
 * Lists the next page of older messages.
 * @throws {ApiError}
 */
export async function loadOlderMessages(): Promise<void> {
  const before = knownMessages.value.get(listedMessageIds.value.at(-1) ?? '')?.seq;
  const page = await requestPage({ ...(before && { before }), limit: INBOX_PAGE_SIZE });
  listPage(page, false);
  if (!isFullPage(page.messages)) hasOlderMessages.value = false; // the server removed older messages
}

/** @throws {ApiError} */
export async function refreshInboxMessage(id: string): Promise<void> {
  const person = sessionClaims.value?.id;
  const options = { params: { id }, fallback: INBOX_FAILED, like: inboxMessageSchema };
  const requestNumber = nextRequestNumber();
  const message = await call('GET /api/notifications/messages/:id', options);
  const before = knownMessages.value.get(id);
  mergeMessages([message], requestNumber);
  // The stored messages have no gaps, so only a listed message may change.
  if (person === undefined || before === undefined || !listedMessageIds.value.includes(id)) return;
  if (before.readAt === null && knownMessages.value.get(id)?.readAt) serverUnreadCount.value--;
  void keepMessages(person, [knownMessages.value.get(id) ?? message]);
}

/**
 * A page of messages that contain the words, older than `before`.
 * @throws {ApiError}
 */
export async function findMessages(
  query: string,
  before?: number,
): Promise<readonly InboxMessage[]> {
  const { messages, requestNumber } = await requestPage({
    query,
    limit: INBOX_PAGE_SIZE,
    ...(before && { before }),
  });
  mergeMessages(messages, requestNumber);
  return messages;
}
export const isFullPage = ({ length }: readonly unknown[]) => length === INBOX_PAGE_SIZE;

/** Shows the stored messages if the list is empty. */
export async function showKeptMessages(): Promise<void> {
  const person = sessionClaims.value?.id;
  if (person === undefined || listedMessageIds.value.length) return;
  const { messages, receipts, unsaved = [] } = await readReceived(person);
  if (sessionClaims.value?.id !== person) return;
  unsavedAnswers.value = new Map([...unsaved, ...unsavedAnswers.value]);
  if (listedMessageIds.value.length) return;
  // Messages known only by push may follow others that never came.
  newestSeq = messages.find(({ pushed }) => !pushed)?.seq ?? 0;
  mergeMessages(messages.map((message) => withoutAnswer(message, receipts)));
  listedMessageIds.value = messages.map(({ id }) => id);
  hasOlderMessages.value = (messages.at(-1)?.seq ?? 0) > 1;
  serverUnreadCount.value = messages.filter(({ readAt }) => readAt === null).length;
  addWaitingReceipts(receipts);
}

/**
 * The kept copy carries the waiting answer, which can still be withdrawn; not with a later comment.
 */
const withoutAnswer = (message: InboxMessage, receipts: readonly Receipt[]): InboxMessage =>
  receipts.some(
    (candidate) =>
      isSameReceipt(candidate, { messageId: message.id, kind: 'acknowledged' }) &&
      candidate.at === message.acknowledgedAt,
  )
    ? { ...message, answer: null, acknowledgedAt: null, comment: null }
    : message;

/** Adds receipts that wait on this device: from this page, another one, or the worker. */
function addWaitingReceipts(receipts: readonly Receipt[]): void {
  const newReceipts = receipts.filter(
    (candidate) =>
      isOfPerson(candidate) &&
      !pendingReceipts.value.some(
        ({ receipt }) => isSameReceipt(candidate, receipt) && candidate.answer === receipt.answer,
      ),
  );
  dropPending(newReceipts); // a newer answer replaces the waiting answer
  pendingReceipts.value = [
    ...pendingReceipts.value,
    ...newReceipts.map((receipt) => ({ receipt: { at: '', ...receipt }, queued: true })),
  ];
}

/** Settles receipts that no longer wait: a page or the worker has sent them. */
export async function settlePendingReceipts(): Promise<void> {
  const person = sessionClaims.value?.id;
  if (person === undefined) return;
  const before = pendingReceipts.value.filter(({ queued }) => queued).map(({ receipt }) => receipt);
  const storedReceipts = await readPendingReceipts(person);
  if (sessionClaims.value?.id !== person) return;
  const settledReceipts = before.filter(
    (candidate) => !storedReceipts.some((other) => isSameReceipt(candidate, other)),
  );
  addWaitingReceipts(storedReceipts);
  for (const receipt of settledReceipts) {
    if (receipt.kind === 'read') confirmReceipts([receipt]);
    // Another device may have answered first; only the server knows.
    else await refreshAndSettle(receipt);
  }
}

/** The receipt stays pending if the message cannot be read. */
const refreshAndSettle = (receipt: Receipt) =>
  refreshInboxMessage(receipt.messageId).then(
    () => {
      noteIfUnrecorded(receipt);
      dropPending([receipt]);
    },
    () => undefined,
  );

/** The receipt is pending while the worker holds it; after that, the server's state counts. */
export async function applyWorkerReceipt(person: number, receipt: Receipt): Promise<void> {
  if (sessionClaims.value?.id !== person) return;
  await settlePendingReceipts();
  const message = knownMessages.value.get(receipt.messageId);
  const isWaiting = pendingReceipts.value.some(({ receipt: candidate }) =>
    isSameReceipt(candidate, receipt),
  );
  if (!message || isWaiting || sessionClaims.value?.id !== person) return;
  const isOtherAnswer =
    message.answer !== receipt.answer ||
    (message.answerRevision ?? Infinity) < (receipt.revision ?? 0);
  if (receipt.kind === 'read' ? message.readAt === null : isOtherAnswer)
    await refreshAndSettle(receipt);
}
