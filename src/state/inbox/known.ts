/**
 * What is known of a person's messages: what the server last told, what this device kept, and over
 * both what the person wishes and the server has not confirmed.
 */
import { computed, effect, signal } from '@preact/signals-react';
import type { InboxMessage, Receipt } from '../../shared/contract';
import type { Loading } from '../subscriptions/load';
import { summary } from './summary';
import { isAdmin, onOtherPerson } from '../session';

/** A message with what the person did to it, told or not. */
export interface Row extends InboxMessage {
  /** How far the answer is, if there is one: `queued` waits until the server can be reached. */
  sent: 'yes' | 'sending' | 'queued';
  /** An answer of this person that the server has not recorded: it has another one, or none. */
  refused?: string;
}

/** Something that the person did and the server has not confirmed. */
export interface InboxWish {
  receipt: Receipt & { at: string };
  /** It waits for a connection; else the server is just being told. */
  queued: boolean;
}

export const inboxLoading = signal<Loading>({ is: 'idle' });
/** While the server cannot be reached: when it was last asked. Else null. */
export const inboxShownAsOf = signal<number | null>(null);
/** All messages that were seen in this session, by id. */
export const known = signal<ReadonlyMap<string, InboxMessage>>(new Map());
/** Those of the list, the newest first, without a gap. */
export const listed = signal<readonly string[]>([]);
/** Whether the server may have older ones. */
export const more = signal(false);
/** How many are unread by the server's word. */
export const toldUnread = signal(0);
export const wishes = signal<readonly InboxWish[]>([]);
/** Answers that the server has not recorded, by message. */
const refused = signal<ReadonlyMap<string, string>>(new Map());

export const rows = computed(() => rowsOf(listed.value));

export const rowsOf = (ids: readonly string[]): Row[] =>
  ids.flatMap((id) => {
    const message = known.value.get(id);
    return message ? [asWished(message)] : [];
  });

/** Messages of which nothing is wished are the same rows as before, which need not be drawn anew. */
const plain = new WeakMap<InboxMessage, Row>();

function asWished(message: InboxMessage): Row {
  const row: Row = plain.get(message) ?? { ...message, sent: 'yes' };
  plain.set(message, row);
  const mine = wishes.value.filter(({ receipt }) => receipt.messageId === message.id);
  if (mine.length) return withWishes({ ...row }, mine);
  const lost = refused.value.get(message.id);
  return lost === undefined ? row : { ...row, refused: lost };
}

function withWishes(row: Row, mine: readonly InboxWish[]): Row {
  for (const { receipt, queued } of mine) {
    row.readAt ??= receipt.at;
    if (receipt.kind !== 'acknowledged' || row.answer !== null) continue;
    row.answer = receipt.answer ?? null;
    row.acknowledgedAt = receipt.at;
    row.sent = queued ? 'queued' : 'sending';
  }
  return row;
}

/** Whether somebody waits for this person's answer. */
export const isAsked = ({ answers, answer, state }: InboxMessage): boolean =>
  answers.length > 0 && answer === null && state === 'sent';

let turn = 0;
/** Which question each is known from. */
const learnt = new Map<string, number>();
/** Numbers a question to the server, before it is asked. */
export const nextQuestion = (): number => ++turn;

/**
 * Takes over what was told of these messages, unless a later question was answered before: buttons
 * would come back that were pressed.
 * @param asked the number of the question
 */
export function learnMessages(messages: readonly InboxMessage[], asked = nextQuestion()): void {
  const fresh = messages.filter(({ id }) => (learnt.get(id) ?? 0) <= asked);
  for (const { id } of fresh) learnt.set(id, asked);
  known.value = new Map([...known.value, ...fresh.map((one) => [one.id, one] as const)]);
}

/** Notes what became of an answer that was told, and then read: the server may have another one. */
export function judge({ messageId, kind, answer = '' }: Receipt): void {
  const message = known.value.get(messageId);
  if (kind !== 'acknowledged' || !message) return;
  const next = new Map(refused.value);
  if (message.answer === answer) next.delete(messageId);
  else next.set(messageId, answer);
  refused.value = next;
}

/** Takes it that the server knows of these by now. */
export function confirmReceipts(receipts: readonly Receipt[]): void {
  for (const { messageId, kind, answer = null, at = null } of receipts) {
    const message = known.value.get(messageId);
    if (!message) continue;
    if (message.readAt === null) toldUnread.value--;
    const answered = kind === 'acknowledged' && message.answer === null;
    learnMessages([
      {
        ...message,
        readAt: message.readAt ?? at,
        ...(answered && { answer, acknowledgedAt: at }),
      },
    ]);
  }
  forgetWishes(receipts);
}

/** Takes wishes back. */
export function forgetWishes(receipts: readonly Receipt[]): void {
  wishes.value = wishes.value.filter(
    ({ receipt }) => !receipts.some((one) => isSameReceipt(one, receipt)),
  );
}

export const isSameReceipt = (one: Receipt, other: Receipt): boolean =>
  one.messageId === other.messageId && one.kind === other.kind;

const waiting = computed(
  () =>
    wishes.value.filter(({ queued, receipt }) => queued && receipt.kind === 'acknowledged').length,
);
/** Those that are unread by the server's word, and that this person has read since. */
const readSince = computed(() => {
  const ids = new Set(wishes.value.map(({ receipt }) => receipt.messageId));
  return [...ids].filter((id) => known.value.get(id)?.readAt === null).length;
});

export const unread = computed(() => Math.max(0, toldUnread.value - readSince.value));

effect(() => {
  const answers = waiting.value;
  summary.value = {
    unread: unread.value && !isAdmin.value ? ` (${unread.value})` : '', // theirs leads to what was sent
    waiting: answers ? ` ${answers} answer${answers === 1 ? ' waits' : 's wait'}.` : '',
    asOf: inboxShownAsOf.value,
    known: true,
  };
});

onOtherPerson(() => {
  inboxLoading.value = { is: 'idle' };
  known.value = new Map();
  refused.value = new Map();
  learnt.clear();
  listed.value = wishes.value = [];
  inboxShownAsOf.value = null;
  toldUnread.value = 0;
});
