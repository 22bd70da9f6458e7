/** Reads a person's messages from the server, and keeps them for a time without a network. */
import { call } from '../../api/call';
import { ApiError } from '../../api/error';
import { anyTime, like } from '../../api/shapes';
import { read as readKept, write as keep } from '../../platform/database';
import { keepMessages, keptMessages, replaceMessages, waitingReceipts } from '../../platform/received';
import type { Answer, InboxMessage, InboxQuery, Receipt } from '../../shared/contract';
import { claims } from '../session';
import {
  confirm,
  isSame,
  known,
  learn,
  listed,
  loading,
  more,
  shownAsOf,
  toldUnread,
  wishes,
} from './known';

const MESSAGES = 'GET /api/notifications/messages';
type Page = Answer<typeof MESSAGES>;

const PAGE = 20;
/** The server gives no more at once. */
const MOST = 100;
export const LOAD_FAILED = 'Failed to load messages.';
export const MESSAGE_FAILED = 'Failed to load the message.';
/** Under this name it is kept when the server was last asked. */
const TIME = 'messages';

const aMessage = {
  id: '',
  seq: 0,
  title: '',
  message: '',
  priority: '',
  answers: [''],
  state: '',
  createdAt: anyTime,
  expiresAt: anyTime,
} as unknown as InboxMessage;

const ask = (query: InboxQuery) =>
  call(MESSAGES, {
    query,
    fallback: LOAD_FAILED,
    like: like<Page>({ messages: [aMessage], unread: 0, newest: 0 }),
  });

/** The highest number that the server has told, without a gap below it. */
let newest = 0;
/** A number in the place of another says that the server went back in time, and on from there. */
const isOther = (message: InboxMessage) =>
  [...known.peek().values()].some(({ id, seq }) => seq === message.seq && id !== message.id);

let turn: Promise<unknown> = Promise.resolve();
/** One after the other: an answer of before never comes over a later one. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = turn.then(work, work);
  turn = mine.catch(() => undefined);
  return mine;
}

/** Once for all who ask before it has begun. */
function joined(work: () => Promise<void>): () => Promise<void> {
  let next: Promise<void> | undefined;
  return () =>
    (next ??= inTurn(() => {
      next = undefined;
      return said(work);
    }));
}

/** Reads the newest page, and what changed in it. What was shown before stays meanwhile. */
export const load = joined(async () => {
  if (loading.value.is !== 'ready') loading.value = { is: 'loading' };
  await showKept();
  takeNewest(await ask({ limit: PAGE }));
});

/** Reads what came since. */
export const catchUp = joined(async () => {
  if (loading.value.is !== 'ready') await showKept();
  if (!newest) return takeNewest(await ask({ limit: PAGE }));
  for (;;) {
    const before = toldUnread.value;
    const page = await ask({ after: newest, limit: MOST });
    const unread = page.messages.filter(({ readAt }) => readAt === null).length;
    if (page.newest < newest || page.messages.some(isOther)) return startAnew();
    take(page, false);
    // Something was read elsewhere, or answered by its notification.
    if (page.messages.length < MOST) {
      if (page.unread !== before + unread) takeNewest(await ask({ limit: PAGE }));
      return;
    }
  }
});

/** Reads twenty more, older than those that are shown. */
export const showOlder = (): Promise<void> =>
  inTurn(async () => {
    const oldest = known.value.get(listed.value.at(-1) ?? '');
    if (oldest) take(await ask({ before: oldest.seq, limit: PAGE }), false, true);
  });

/** Reads one message, as it is now. */
export async function readMessage(id: string): Promise<void> {
  learn([
    await call('GET /api/notifications/messages/:id', {
      params: { id },
      fallback: MESSAGE_FAILED,
      like: like(aMessage),
    }),
  ]);
}

/** The messages that contain the words: 20 of them, older than `before` if that is given. */
export async function find(query: string, before?: number): Promise<readonly InboxMessage[]> {
  const { messages } = await ask({ query, limit: PAGE, ...(before && { before }) });
  learn(messages);
  return messages;
}
export const isWhole = ({ length }: readonly unknown[]) => length === PAGE;

function takeNewest(page: Page): void {
  const lowest = page.messages.at(-1)?.seq ?? 0;
  const gap = lowest > newest + 1;
  take(page, gap || page.newest < newest || page.messages.some(isOther));
}

async function startAnew(): Promise<void> {
  take(await ask({ limit: PAGE }), true);
}

/** Shows and keeps what the server told. `anew`: nothing that was known before counts any more. */
function take(page: Page, anew: boolean, older = false): void {
  const person = claims.value?.id;
  if (person === undefined) return;
  if (anew) {
    known.value = new Map();
    listed.value = [];
  }
  learn(page.messages);
  const ids = new Set([...listed.value, ...page.messages.map(({ id }) => id)]);
  const seq = (id: string) => known.value.get(id)?.seq ?? 0;
  listed.value = [...ids].sort((one, other) => seq(other) - seq(one));
  newest = page.newest;
  toldUnread.value = page.unread;
  if (anew || older || !more.value) more.value = isOlder(page, older);
  loading.value = { is: 'ready' };
  shownAsOf.value = null;
  void (anew ? replaceMessages : keepMessages)(person, page.messages);
  void keep(TIME, { person, time: Date.now() });
}

/** Numbers count from 1 without a gap; what was removed for its age is found out by asking. */
const isOlder = ({ messages }: Page, asked: boolean) =>
  (known.value.get(listed.value.at(-1) ?? '')?.seq ?? 0) > 1 && !(asked && !isWhole(messages));

/** Says why there is no answer, if what is shown is not it. */
async function said(work: () => Promise<void>): Promise<void> {
  const person = claims.value?.id;
  if (person === undefined) return;
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'stale' || claims.value?.id !== person) return;
    if (error.code === 'unreachable' && listed.value.length) {
      const kept = await readKept<{ person: number; time: number }>(TIME);
      if (claims.value?.id !== person) return;
      loading.value = { is: 'ready' };
      shownAsOf.value = kept?.person === person ? kept.time : Date.now();
    } else if (error.code !== 'unreachable' || loading.value.is !== 'ready')
      loading.value = { is: 'failed', message: error.message };
  }
}

/** Shows what this device has kept, where nothing is shown yet. */
async function showKept(): Promise<void> {
  const person = claims.value?.id;
  if (person === undefined || listed.value.length) return;
  const [messages, receipts] = await Promise.all([keptMessages(person), waitingReceipts(person)]);
  if (claims.value?.id !== person || listed.value.length) return;
  newest = messages.find(({ pushed }) => !pushed)?.seq ?? 0;
  learn(messages.map((message) => unanswered(message, receipts)));
  listed.value = messages.map(({ id }) => id);
  more.value = (messages.at(-1)?.seq ?? 0) > 1;
  toldUnread.value = messages.filter(({ readAt }) => readAt === null).length;
  takeWaiting(receipts);
}

/** What is kept is marked with the answer that waits, which can still be taken back. */
function unanswered(message: InboxMessage, receipts: readonly Receipt[]): InboxMessage {
  const waits = receipts.some(
    ({ messageId, kind, at }) =>
      messageId === message.id && kind === 'acknowledged' && at === message.acknowledgedAt,
  );
  return waits ? { ...message, answer: null, acknowledgedAt: null } : message;
}

/** Takes over what waits on this device, whoever put it there: this page, another, the worker. */
function takeWaiting(receipts: readonly Receipt[]): void {
  const news = receipts.filter(
    (one) => one.kind !== 'displayed' && !wishes.value.some(({ receipt }) => isSame(one, receipt)),
  );
  if (news.length)
    wishes.value = [
      ...wishes.value,
      ...news.map((receipt) => ({ receipt: { at: '', ...receipt }, queued: true })),
    ];
}

/** Looks what of this still waits. What does not was told, by this page, another, or the worker. */
export async function settle(): Promise<void> {
  const person = claims.value?.id;
  if (person === undefined) return;
  const before = wishes.value.filter(({ queued }) => queued).map(({ receipt }) => receipt);
  const left = await waitingReceipts(person);
  if (claims.value?.id !== person) return;
  const gone = before.filter((one) => !left.some((other) => isSame(one, other)));
  takeWaiting(left);
  if (!gone.length) return;
  confirm(gone);
  // Another device may have been first with another answer.
  await Promise.all(
    gone
      .filter(({ kind }) => kind === 'acknowledged')
      .map(({ messageId }) => readMessage(messageId).catch(() => undefined)),
  );
}
