// What this device received for one person, in IndexedDB for page and worker. One record, so a late
// write cannot bring back a previous person's data. Promises never reject.
import type { InboxMessage, Receipt } from '../../shared/contract';
import { RECEIVED_DATABASE, RECEIVED_STORE } from './database';

export interface ReceivedMessage extends InboxMessage {
  /** A push brought the message: its text may be cut and earlier messages missing. */
  pushed?: true;
}

/** What the server does not have of an answer. */
export interface UnsavedAnswer {
  /** This person's answer that the server did not record: it has another, or none. */
  unrecordedAnswer?: string | undefined;
  /** A comment that the person has not saved, or that the server did not record. */
  unsavedComment?: string | undefined;
}

/** The device's person, and the key that identifies it to the server. */
export interface DeviceOwner {
  person: number;
  key: string;
  /** The server key of the device's push subscription (base64url), with Web Push. */
  serverKey?: string | undefined;
  /** The session that last registered the device, if the session had an id. */
  sid?: string | undefined;
}

interface Kept extends Partial<DeviceOwner> {
  person: number;
  /** Highest `seq` first. */
  messages: ReceivedMessage[];
  /** Oldest first. */
  receipts: Receipt[];
  /** Unsaved answers by message id; copies of older versions have none. */
  unsaved?: ReadonlyMap<string, UnsavedAnswer>;
}

export const MAX_KEPT_MESSAGES = 200;
export const MAX_KEPT_RECEIPTS = 500;

/**
 * Messages with the highest `seq` first, receipts with the oldest first.
 * @param person default: any person
 */
export const readReceived = async (
  person?: number,
): Promise<Pick<Kept, 'messages' | 'receipts' | 'unsaved'>> =>
  (await (person === undefined ? readKept() : readKeptForPerson(person))) ?? {
    messages: [],
    receipts: [],
  };

/** Highest `seq` first. */
export async function readKeptMessages(person: number): Promise<ReceivedMessage[]> {
  return (await readKeptForPerson(person))?.messages ?? [];
}

/** Stores the server's messages. Only pages may call this: it deletes another person's data. */
export const keepMessages = (person: number, messages: readonly InboxMessage[]) =>
  updateKept(person, true, (kept) => {
    kept.messages = mergeMessages(messages, kept.messages);
    // The server does not know these receipts yet.
    for (const receipt of kept.receipts) applyReceipt(kept, receipt);
  });

/** Replaces all kept messages, after the server was restored from a backup. */
export const replaceMessages = (person: number, messages: readonly InboxMessage[]) =>
  updateKept(person, true, (kept) => {
    kept.messages = mergeMessages(messages, []);
    for (const receipt of kept.receipts) applyReceipt(kept, receipt);
  });

/** Queues a page's receipt. The worker may send the receipt, which proves no notification. */
export const queueReceipt = (person: number, receipt: Receipt) =>
  updateKept(person, true, (kept) =>
    addReceipt(kept, isOfPerson(receipt) ? { ...receipt, inApp: true } : receipt),
  );

export const storeUnsaved = (person: number, unsaved: ReadonlyMap<string, UnsavedAnswer>) =>
  updateKept(person, true, (kept) => {
    kept.unsaved = unsaved;
  });

/** Oldest first. */
export async function readPendingReceipts(person: number): Promise<Receipt[]> {
  return (await readKeptForPerson(person))?.receipts ?? [];
}

export const dropReceipts = (person: number, sentReceipts: readonly Receipt[]) =>
  updateKept(person, false, (kept) => {
    kept.receipts = kept.receipts.filter(
      // An answer or comment that was changed while it was sent is still to be sent.
      (a) =>
        !sentReceipts.some(
          (b) => isSameReceipt(a, b) && a.answer === b.answer && a.comment === b.comment,
        ),
    );
  });

/** Deletes another person's data. */
export const clearOtherPerson = (person: number) => updateKept(person, true, () => {});

/** Stores the device's key. Deletes another person's data. */
export const keepDevice = ({ person, key, serverKey, sid }: DeviceOwner) =>
  updateKept(person, true, (kept) => Object.assign(kept, { key, serverKey, sid }));

/** Forgets a key that the server rejected, unless it was replaced. */
export const deleteDeviceKey = ({ person, key }: DeviceOwner) =>
  updateKept(person, false, (kept) => {
    if (kept.key === key) kept.key = '';
  });

/**
 * Reads the device's owner; undefined without an owner or a key.
 * @param allowsRejectedKey whether an owner counts whose key the server rejected; it is then empty
 */
export async function readDeviceOwner(allowsRejectedKey = false): Promise<DeviceOwner | undefined> {
  const kept = await readKept();
  const { person, key, serverKey, sid } = kept ?? {};
  if (person === undefined || key === undefined || !(key || allowsRejectedKey)) return undefined;
  return { person, key, serverKey, sid };
}

/**
 * The worker's call never replaces the server's copy, and does nothing after a change of person.
 */
export const keepPush = (person: number, message: ReceivedMessage | undefined, receipt?: Receipt) =>
  updateKept(person, false, (kept) => {
    if (message)
      kept.messages = mergeMessages(kept.messages.map(applyRevision(message)), [message]);
    if (receipt) addReceipt(kept, receipt);
  });

/**
 * A corrected text, or an all-clear, in the kept entry. The page reads the rest from the server.
 */
const applyRevision =
  (update: ReceivedMessage) =>
  (saved: ReceivedMessage): ReceivedMessage => {
    const { title, message, revision = 1, revisedAt, allClearAt, allClear } = update;
    if (saved.id !== update.id) return saved;
    // After the all-clear no answer is needed.
    const answers = saved.answer === null ? [] : saved.answers;
    if (allClearAt && allClear)
      return saved.allClearAt ? saved : { ...saved, allClearAt, allClear, answers, readAt: null };
    const formerRevision = saved.revision ?? 1;
    if (revision <= formerRevision || !revisedAt) return saved;
    const formerText = {
      revision: formerRevision,
      title: saved.title,
      message: saved.message,
      at: saved.revisedAt ?? saved.createdAt,
    };
    const former = [...(saved.former ?? []), formerText];
    return {
      ...saved,
      ...{ title, message, revision, revisedAt, readAt: null, former },
      // An answer of an older copy was to the former text.
      ...(saved.answer && { answerRevision: saved.answerRevision ?? formerRevision }),
    };
  };

async function readKept(): Promise<Kept | undefined> {
  let stored: Kept | undefined;
  await runTransaction('readonly', (kept) => {
    stored = kept;
  });
  return stored;
}

async function readKeptForPerson(person: number): Promise<Kept | undefined> {
  const kept = await readKept();
  return kept?.person === person ? kept : undefined;
}

/**
 * Resolves with whether it stored data.
 * @param replacesOtherPerson whether to replace another person's data
 */
async function updateKept(
  person: number,
  replacesOtherPerson: boolean,
  work: (kept: Kept) => void,
): Promise<boolean> {
  let hasChanged = false;
  const hasCommitted = await runTransaction('readwrite', (stored, store) => {
    const isSamePerson = stored?.person === person;
    if (!isSamePerson && !replacesOtherPerson) return;
    const kept = isSamePerson ? stored : { person, messages: [], receipts: [] };
    work(kept);
    store.put(kept, RECEIVED_STORE);
    hasChanged = true;
  });
  return hasCommitted && hasChanged;
}

/** Resolves with success. Closes the database, so that it can be deleted while pages are open. */
async function runTransaction(
  mode: IDBTransactionMode,
  work: (kept: Kept | undefined, store: IDBObjectStore) => void,
): Promise<boolean> {
  try {
    const database = await openDatabase();
    await new Promise<void>((resolve, reject) => {
      const transaction = database.transaction(RECEIVED_STORE, mode);
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
      const store = transaction.objectStore(RECEIVED_STORE);
      const getRequest = store.get(RECEIVED_STORE);
      getRequest.onsuccess = () => work(getRequest.result as Kept | undefined, store);
    }).finally(() => database.close());
    return true;
  } catch (error) {
    console.warn('Messages not stored', error);
    return false;
  }
}

const openDatabase = () =>
  new Promise<IDBDatabase>((resolve, reject) => {
    const openRequest = indexedDB.open(RECEIVED_DATABASE);
    openRequest.onupgradeneeded = () => openRequest.result.createObjectStore(RECEIVED_STORE);
    openRequest.onsuccess = () => resolve(openRequest.result);
    openRequest.onerror = () => reject(openRequest.error);
  });

/** Highest `seq` first. If an id is in both, `first` wins. */
function mergeMessages(
  first: readonly ReceivedMessage[],
  second: readonly ReceivedMessage[],
): ReceivedMessage[] {
  const byId = new Map([...second, ...first].map((message) => [message.id, message]));
  return [...byId.values()].sort((a, b) => b.seq - a.seq).slice(0, MAX_KEPT_MESSAGES);
}

const isSameReceipt = (a: Receipt, b: Receipt) => a.messageId === b.messageId && a.kind === b.kind;

function addReceipt(kept: Kept, receipt: Receipt): void {
  const waitingReceipt = kept.receipts.find((other) => isSameReceipt(other, receipt));
  if (waitingReceipt) {
    const { revision, answer, comment } = receipt;
    if (waitingReceipt.revision === revision && waitingReceipt.answer === answer) {
      // A comment may change only for the same answer.
      if (comment === undefined) return;
      waitingReceipt.comment = comment;
      return applyReceipt(kept, waitingReceipt);
    }
    kept.receipts.splice(kept.receipts.indexOf(waitingReceipt), 1);
  }
  const newReceipt = { at: new Date().toISOString(), ...receipt };
  kept.receipts.push(newReceipt);
  if (kept.receipts.length > MAX_KEPT_RECEIPTS) {
    // A read or an answer matters more than a display.
    const leastImportant = kept.receipts.findIndex(({ kind }) => kind === 'displayed');
    kept.receipts.splice(Math.max(0, leastImportant), 1);
  }
  applyReceipt(kept, newReceipt);
}

/** Whether the person caused the receipt, rather than the device. */
export const isOfPerson = ({ kind }: Receipt): boolean =>
  kind === 'read' || kind === 'acknowledged';

/** Applies a receipt to a copy of the stored message: the page may use the old object. */
function applyReceipt(kept: Kept, receipt: Receipt): void {
  const { messageId, kind, answer, at, comment } = receipt;
  const index = kept.messages.findIndex(({ id }) => id === messageId);
  const savedMessage = kept.messages[index];
  if (!savedMessage || !isOfPerson(receipt)) return;
  const message = { ...savedMessage };
  kept.messages[index] = message;
  message.readAt ??= at ?? null;
  if (kind !== 'acknowledged') return;
  if (comment !== undefined) message.comment = comment;
  if (message.acknowledgedAt !== null) return;
  message.acknowledgedAt = at ?? null;
  message.answer = answer ?? null;
  if (receipt.revision) message.answerRevision = receipt.revision;
}
