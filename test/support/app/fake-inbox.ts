/** The server's inbox of one person, behind `fakeApi`. */
import type { InboxMessage, Receipt } from '../../../src/shared/contract';
import { fakeApi } from './fake-api';

export const LIST_MESSAGES_CALL = 'GET /api/notifications/messages';
export const READ_MESSAGE_CALL = 'GET /api/notifications/messages/:id';
export const SEND_RECEIPTS_CALL = 'POST /api/notifications/receipts';

export function createMessage(seq: number, change: Partial<InboxMessage> = {}): InboxMessage {
  return {
    id: `m${seq}`,
    seq,
    title: `Title ${seq}`,
    message: `Text ${seq}.`,
    topic: { id: 1, title: 'Grid outages' },
    link: null,
    priority: 'normal',
    answers: [],
    state: 'sent',
    createdAt: new Date().toISOString(),
    expiresAt: new Date(Date.now() + 3600_000).toISOString(),
    readAt: null,
    acknowledgedAt: null,
    answer: null,
    ...change,
  };
}

export const createMessages = (count: number): InboxMessage[] =>
  Array.from({ length: count }, (_, index) => createMessage(index + 1));

let storedMessages: InboxMessage[] = [];

export const fakeInbox = {
  /** Installs the inbox, which accepts receipts by the rules of the contract. */
  install(messages: InboxMessage[] = []): void {
    storedMessages = messages;
    fakeApi.reply(LIST_MESSAGES_CALL, ({ query }) => {
      const { after, before, limit = 20, query: words = '' } = query;
      const newestFirst = [...storedMessages].sort((message, other) => other.seq - message.seq);
      const matchingMessages = newestFirst.filter(
        ({ seq, title, message }) =>
          (!after || seq > Number(after)) &&
          (!before || seq < Number(before)) &&
          `${title} ${message}`.toLowerCase().includes(words.toLowerCase()),
      );
      return {
        messages: (after === undefined ? matchingMessages : matchingMessages.reverse()).slice(
          0,
          Number(limit),
        ),
        unread: storedMessages.filter(({ readAt }) => readAt === null).length,
        newest: newestFirst[0]?.seq ?? 0,
        closed: newestFirst
          .slice(0, 20)
          .flatMap(({ state, revision = 1, allClearAt }) => [
            state === 'sent' ? 0 : 1,
            revision - 1,
            allClearAt ? 1 : 0,
          ])
          .reduce((sum, count) => sum + count, 0),
        answered: newestFirst.slice(0, 20).filter(({ answer }) => answer !== null).length,
      };
    });
    fakeApi.reply(
      READ_MESSAGE_CALL,
      ({ params }) => storedMessages.find(({ id }) => id === params.id)!,
    );
    fakeInbox.acceptReceipts();
  },
  acceptReceipts(): void {
    fakeApi.reply(SEND_RECEIPTS_CALL, ({ body }) => ({
      recorded: (body as { receipts: Receipt[] }).receipts.filter(recordReceipt).length,
    }));
  },
  addMessage(message: InboxMessage): void {
    storedMessages = [...storedMessages, message];
  },
  changeMessage(id: string, change: Partial<InboxMessage>): void {
    storedMessages = storedMessages.map((message) =>
      message.id === id ? { ...message, ...change } : message,
    );
  },
  loseRequests(): void {
    for (const endpoint of [LIST_MESSAGES_CALL, READ_MESSAGE_CALL, SEND_RECEIPTS_CALL] as const)
      fakeApi.loseRequests(endpoint);
  },
  findMessage: (id: string): InboxMessage | undefined =>
    storedMessages.find((message) => message.id === id),
  sentReceipts: (): Receipt[] =>
    fakeApi
      .requestsTo(SEND_RECEIPTS_CALL)
      .flatMap(({ body }) => (body as { receipts: Receipt[] }).receipts),
};

/** Whether a receipt is new: the first of its kind, or an answer that changes an earlier one. */
function recordReceipt(receipt: Receipt): boolean {
  const { messageId, kind, answer, at, comment, changes, revision } = receipt;
  const message = fakeInbox.findMessage(messageId);
  if (!message) return false;
  const time = at ?? new Date().toISOString();
  if (kind === 'acknowledged') {
    if (!message.answers.includes(answer ?? '')) return false;
    if (message.answer === answer && comment !== undefined && comment !== message.comment) {
      fakeInbox.changeMessage(messageId, { comment });
      return true;
    }
    const isToNewerText = (revision ?? 0) > (message.answerRevision ?? Infinity);
    const isOther = message.answer !== answer || isToNewerText;
    if (message.answer !== null && !(changes && isOther)) return false;
    fakeInbox.changeMessage(messageId, {
      answer: answer!,
      ...(revision && { answerRevision: revision }),
      ...(message.answer !== answer && { comment: comment ?? '' }),
      acknowledgedAt: time,
      readAt: message.readAt ?? time,
    });
    return true;
  }
  if (message.readAt !== null) return false;
  fakeInbox.changeMessage(messageId, { readAt: time });
  return true;
}
