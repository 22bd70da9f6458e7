/**
 * What this device has received of one person, in IndexedDB, where page and worker both reach it:
 * the messages, the receipts that wait, and the key with which the worker reports. All of it is one
 * record, so that each change is one transaction: nothing of a person who has left can come back
 * with a write that was begun before. Nothing here ever rejects: a browser that keeps nothing makes
 * nothing worse than it was.
 */
import type { InboxMessage, Receipt } from '../../shared/contract';
import { RECEIVED } from './database';

/** A message as it is kept. */
export interface ReceivedMessage extends InboxMessage {
  /**
   * Only its push is known so far: the text may be cut, and what lies between it and the message
   * before it may never have come. It counts for nothing in what is asked of the server next.
   */
  pushed?: true;
}

/** Whose device this is, with the key by which the server knows it. */
export interface Owner {
  person: number;
  key: string;
  /** What its push subscription was made with (base64url), where that is the server's own key. */
  serverKey?: string | undefined;
  /** The session that registered it last, if it had a name. */
  sid?: string | undefined;
}

interface Kept extends Partial<Owner> {
  person: number;
  /** The highest `seq` first. */
  messages: ReceivedMessage[];
  /** The oldest first. */
  receipts: Receipt[];
}

/** So many messages are kept: the newest. */
export const MAX_MESSAGES = 200;
/** So many receipts wait at most. */
export const MAX_RECEIPTS = 500;

/** The one record, and its store. */
const KEPT = 'kept';

/** What there is of the person: messages, the highest `seq` first, and receipts, the oldest first. */
export const keptOf = async (person: number): Promise<Pick<Kept, 'messages' | 'receipts'>> =>
  (await readOf(person)) ?? { messages: [], receipts: [] };

/** The person's messages, the highest `seq` first; none of anybody else's. */
export async function keptMessages(person: number): Promise<ReceivedMessage[]> {
  return (await readOf(person))?.messages ?? [];
}

/**
 * Keeps what the server answered, in place of the message that is kept under the same id. For pages
 * only: the person is the one who is signed in, and data of another is forgotten.
 */
export const keepMessages = (person: number, messages: readonly InboxMessage[]) =>
  change(person, true, (kept) => {
    kept.messages = merge(messages, kept.messages);
    for (const receipt of kept.receipts) mark(kept, receipt); // the server does not know of these yet
  });

/** The same after a server went back in time, as from a backup: kept messages are thrown away. */
export const replaceMessages = (person: number, messages: readonly InboxMessage[]) =>
  change(person, true, (kept) => {
    kept.messages = merge(messages, []);
    for (const receipt of kept.receipts) mark(kept, receipt);
  });

/**
 * Notes a receipt to report, and marks the message as read or answered where it is kept. The first
 * of a kind stays. For pages only: the worker may tell it, and must not vouch for a notification.
 */
export const queueReceipt = (person: number, receipt: Receipt) =>
  change(person, true, (kept) =>
    note(kept, isOfPerson(receipt) ? { ...receipt, inApp: true } : receipt),
  );

/** What waits to be reported of this person, the oldest first. */
export async function waitingReceipts(person: number): Promise<Receipt[]> {
  return (await readOf(person))?.receipts ?? [];
}

/** These need not be reported any more. */
export const dropReceipts = (person: number, done: readonly Receipt[]) =>
  change(person, false, (kept) => {
    kept.receipts = kept.receipts.filter((one) => !done.some((other) => isSame(one, other)));
  });

/** The person is signed in here: data of another is forgotten. */
export const own = (person: number) => change(person, true, () => {});

/** Keeps the key of the person's device. Data of another person is forgotten. */
export const keepDevice = ({ person, key, serverKey, sid }: Owner) =>
  change(person, true, (kept) => Object.assign(kept, { key, serverKey, sid }));

/** Forgets a key that the server does not take any more, unless there is another by now. */
export const dropKey = ({ person, key }: Owner) =>
  change(person, false, (kept) => {
    if (kept.key === key) delete kept.key;
  });

/** Whose device this is; undefined where it has no owner, or its key is not known. */
export async function owner(): Promise<Owner | undefined> {
  const kept = await read();
  if (!kept?.key) return undefined;
  const { person, key, serverKey, sid } = kept;
  return { person, key, serverKey, sid };
}

/**
 * For the worker: keeps a message that a push brought, unless the server's own copy is there, and
 * notes a receipt, if this is still the person's device.
 */
export const keepPush = (person: number, message: ReceivedMessage | undefined, receipt?: Receipt) =>
  change(person, false, (kept) => {
    if (message) kept.messages = merge(kept.messages, [message]);
    if (receipt) note(kept, receipt);
  });

async function read(): Promise<Kept | undefined> {
  let found: Kept | undefined;
  await transact('readonly', (kept) => {
    found = kept;
  });
  return found;
}

async function readOf(person: number): Promise<Kept | undefined> {
  const kept = await read();
  return kept?.person === person ? kept : undefined;
}

/**
 * Changes the person's data, in one transaction. Resolves with whether that is kept now.
 * @param begin whether to begin anew where there is nothing, or what another person left
 */
async function change(
  person: number,
  begin: boolean,
  work: (kept: Kept) => void,
): Promise<boolean> {
  let changed = false;
  const done = await transact('readwrite', (old, store) => {
    const mine = old?.person === person;
    if (!mine && !begin) return;
    const kept = mine ? old : { person, messages: [], receipts: [] };
    work(kept);
    store.put(kept, KEPT);
    changed = true;
  });
  return done && changed;
}

/**
 * One transaction, over the data as it is then. Resolves with whether it took place. The database
 * is closed behind it, so that it can be deleted while other pages are open.
 */
async function transact(
  mode: IDBTransactionMode,
  work: (kept: Kept | undefined, store: IDBObjectStore) => void,
): Promise<boolean> {
  try {
    const database = await open();
    await new Promise<void>((resolve, reject) => {
      const transaction = database.transaction(KEPT, mode);
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
      const store = transaction.objectStore(KEPT);
      const reading = store.get(KEPT);
      reading.onsuccess = () => work(reading.result as Kept | undefined, store);
    }).finally(() => database.close());
    return true;
  } catch (error) {
    console.warn('Nothing can be kept of what is received', error);
    return false;
  }
}

const open = () =>
  new Promise<IDBDatabase>((resolve, reject) => {
    const opening = indexedDB.open(RECEIVED);
    opening.onupgradeneeded = () => opening.result.createObjectStore(KEPT);
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });

/** Both lists by `seq`, the highest first; of two with the same id the one of `first`. */
function merge(
  first: readonly ReceivedMessage[],
  second: readonly ReceivedMessage[],
): ReceivedMessage[] {
  const byId = new Map([...second, ...first].map((message) => [message.id, message]));
  return [...byId.values()].sort((a, b) => b.seq - a.seq).slice(0, MAX_MESSAGES);
}

const isSame = (one: Receipt, other: Receipt) =>
  one.messageId === other.messageId && one.kind === other.kind;

function note(kept: Kept, receipt: Receipt): void {
  if (kept.receipts.some((one) => isSame(one, receipt))) return;
  const dated = { at: new Date().toISOString(), ...receipt };
  kept.receipts.push(dated);
  if (kept.receipts.length > MAX_RECEIPTS) {
    // That something was shown is worth less than that it was read or answered.
    const least = kept.receipts.findIndex(({ kind }) => kind === 'displayed');
    kept.receipts.splice(Math.max(0, least), 1);
  }
  mark(kept, dated);
}

/** Whether the person did it: all else the device did. */
export const isOfPerson = ({ kind }: Receipt): boolean =>
  kind === 'read' || kind === 'acknowledged';

/** Shows in what is kept of the message what the receipt says of it. The page's own stays as it is. */
function mark(kept: Kept, receipt: Receipt): void {
  const { messageId, kind, answer, at } = receipt;
  const place = kept.messages.findIndex(({ id }) => id === messageId);
  const found = kept.messages[place];
  if (!found || !isOfPerson(receipt)) return;
  const message = { ...found };
  kept.messages[place] = message;
  message.readAt ??= at ?? null;
  if (kind !== 'acknowledged' || message.acknowledgedAt !== null) return;
  message.acknowledgedAt = at ?? null;
  message.answer = answer ?? null;
}
