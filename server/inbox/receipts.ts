/** Writes the receipts of many requests at once. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { isOnPostgres } from '../db/lock';
import { tableOfList } from '../db/json-table';
import { listensTo } from '../db/webhook-calls';
import type { Tables } from '../db/schema';
import { lockEscalating, stopAnswered } from '../escalation/stop';
import type { GivenAnswer } from '../escalation/stop';
import type { Services } from '../services';
import { addAnswerEvents } from './answer-events';
import type { NewAnswer } from './answer-events';
import { recordDeviceReceipts } from './device-receipts';
import type { DeviceReceipt } from './device-receipts';
import { markRecipients } from './marks';
import type { MarkedMessage, RecipientMarks } from './marks';
import { DEVICE_RECEIPTS, findReceiptAuthors } from './receipt-authors';
import type { Report, ReceiptAuthor } from './receipt-authors';

/** @returns the new receipts of each; undefined if its session or key is no longer valid */
export async function recordReports(
  reports: readonly Report[],
  transaction: Transaction<Tables>,
  services: Services,
): Promise<(number | undefined)[]> {
  const authors = await findReceiptAuthors(reports, transaction, services);
  const escalating = await lockEscalating(findAnswered(reports), transaction, services.now());
  const entries = await lockEntries(reports, authors, transaction);
  const changed = new Set<Entry>();
  const awaited: GivenAnswer[] = [];
  const deviceReceipts: DeviceReceipt[] = [];
  const answers: NewAnswer[] = [];
  const recorded = reports.map(({ claimed, receipts, at }, index) => {
    const author = authors[index];
    if (author === undefined) return undefined;
    const { userId, deviceIds } = author;
    let count = 0;
    for (const receipt of receipts) {
      const reported = entries.get(entryKey(userId, receipt.messageId));
      // Any page can report a display; only the device's key proves something about the device.
      if (('key' in claimed || reported === undefined) && POSSIBLE_ID.test(receipt.messageId))
        deviceReceipts.push({ deviceIds, receipt, at, sentAt: reported?.sentAt, index });
      // Pressing a digest does not read its messages.
      if (reported === undefined || (reported.isDigest && receipt.kind !== 'displayed')) continue;
      let isNew = false;
      for (const entry of reported.entries) {
        const marks = markRecipients(entry.marks, receipt, entry, at);
        if (marks === undefined) continue;
        if (entry.hasListeners) answers.push(...answerOf(entry, marks));
        if (isAwaited(entry, marks)) awaited.push({ messageId: entry.messageId, userId, at });
        entry.marks = marks;
        changed.add(entry);
        isNew = true;
      }
      if (isNew) count += 1;
    }
    return count;
  });
  await writeMarks([...changed], transaction);
  await stopAnswered(awaited, escalating, transaction);
  if (answers.length > 0) await addAnswerEvents(answers, transaction, services.now());
  const counts = await recordDeviceReceipts(deviceReceipts, transaction);
  return recorded.map((count, index) =>
    count === undefined ? undefined : count + (counts.get(index) ?? 0),
  );
}

/** Messages that these may answer; receipts of devices are no answers. */
const findAnswered = (reports: readonly Report[]): string[] => [
  ...new Set(
    reports.flatMap(({ receipts }) =>
      receipts.flatMap(({ kind, messageId }) =>
        DEVICE_RECEIPTS.includes(kind) || !POSSIBLE_ID.test(messageId) ? [] : messageId,
      ),
    ),
  ),
];

function isAwaited({ answers, marks: before }: Entry, after: RecipientMarks): boolean {
  const kind = answers.length === 0 ? 'readAt' : 'acknowledgedAt';
  return before[kind] === null && after[kind] !== null;
}

interface Entry extends MarkedMessage {
  messageId: string;
  userId: number;
  seq: number;
  marks: RecipientMarks;
  hasListeners: boolean;
}

function answerOf({ messageId, userId, marks: before }: Entry, after: RecipientMarks): NewAnswer[] {
  const { acknowledgedAt: at, answer, late } = after;
  if (before.acknowledgedAt !== null || at === null || answer === null) return [];
  return [{ messageId, userId, answer, at, late: late === 1 }];
}

/** What a reported id stands for: a message, or a digest and its messages. */
interface Reported {
  isDigest: boolean;
  sentAt: number;
  entries: Entry[];
}

const entryKey = (userId: number, messageId: string): string => `${userId} ${messageId}`;
/** No message has another id, and PostgreSQL rejects some texts. */
const POSSIBLE_ID = /^[\w-]{1,64}$/;

/** Locks the reported rows, in the ledger's order. Leaves out messages of other people. */
async function lockEntries(
  reports: readonly Report[],
  authors: readonly (ReceiptAuthor | undefined)[],
  transaction: Transaction<Tables>,
): Promise<Map<string, Reported>> {
  const wanted = new Map<string, [messageId: string, userId: number]>();
  for (const [index, { receipts }] of reports.entries()) {
    const userId = authors[index]?.userId;
    if (userId === undefined) continue;
    for (const { messageId } of receipts)
      if (POSSIBLE_ID.test(messageId)) wanted.set(entryKey(userId, messageId), [messageId, userId]);
  }
  if (wanted.size === 0) return new Map();
  const given = sql`(select value->>0 as message_id, cast(value->>1 as bigint) as user_id
    from ${tableOfList([...wanted.values()])}) as given`;
  const lock = isOnPostgres(transaction) ? sql`for no key update of recipients` : sql``;
  // Apart: PostgreSQL rechecks a locked row's conditions, and with a union it finds nothing.
  const found = (by: 'message_id' | 'digest_id') =>
    sql`select given.message_id as asked, entry.user_id, entry.seq from ${given} cross join recipients as entry
      where ${sql.ref(`entry.${by}`)} = given.message_id and entry.user_id = given.user_id`;
  const { rows } =
    await sql<EntryRow>`with found as materialized (${found('message_id')} union all ${found('digest_id')})
      select found.asked, recipients.message_id, recipients.user_id, recipients.seq,
      recipients.displayed_at, recipients.read_at, recipients.acknowledged_at, recipients.answer, recipients.late,
      messages.answers, messages.expires_at, coalesce(messages.send_at, messages.created_at) as sent_at,
      case when found.asked <> recipients.message_id then
                (select digest.created_at from messages as digest where digest.id = found.asked) end as digest_sent_at,
      (select count(*) from webhooks where ${listensTo('message.acknowledged')}) as listeners
    from found cross join recipients cross join messages
    where recipients.user_id = found.user_id and recipients.seq = found.seq and messages.id = recipients.message_id
    order by recipients.user_id, recipients.seq ${lock}`.execute(transaction);
  const entries = new Map<string, Entry>();
  const reported = new Map<string, Reported>();
  for (const row of rows) {
    // One entry may be reported by its message and by a digest.
    const place = entryKey(row.user_id, String(row.seq));
    const entry = entries.get(place) ?? toEntry(row);
    entries.set(place, entry);
    const key = entryKey(row.user_id, row.asked);
    const isDigest = row.asked !== row.message_id;
    const one = reported.get(key) ?? {
      isDigest,
      sentAt: row.digest_sent_at ?? row.sent_at,
      entries: [],
    };
    one.entries.push(entry);
    reported.set(key, one);
  }
  return reported;
}

const toEntry = (row: EntryRow): Entry => ({
  messageId: row.message_id,
  userId: row.user_id,
  seq: row.seq,
  createdAt: row.sent_at,
  expiresAt: row.expires_at,
  answers: JSON.parse(row.answers) as string[],
  marks: {
    displayedAt: row.displayed_at,
    readAt: row.read_at,
    acknowledgedAt: row.acknowledged_at,
    answer: row.answer,
    late: row.late,
  },
  hasListeners: row.listeners > 0,
});

interface EntryRow {
  /** The reported id: a message's or a digest's. */
  asked: string;
  message_id: string;
  user_id: number;
  seq: number;
  displayed_at: number | null;
  read_at: number | null;
  acknowledged_at: number | null;
  answer: string | null;
  late: 0 | 1;
  answers: string;
  expires_at: number;
  sent_at: number;
  /** Null if the message itself was reported. */
  digest_sent_at: number | null;
  listeners: number;
}

async function writeMarks(
  entries: readonly Entry[],
  transaction: Transaction<Tables>,
): Promise<void> {
  if (entries.length === 0) return;
  const given = entries.map(({ userId, seq, marks }) => {
    const { displayedAt, readAt, acknowledgedAt, answer, late } = marks;
    return [userId, seq, displayedAt, readAt, acknowledgedAt, answer, late];
  });
  await sql`update recipients set displayed_at = given.displayed_at, read_at = given.read_at,
      acknowledged_at = given.acknowledged_at, answer = given.answer, late = given.late
    from (select cast(value->>0 as bigint) as user_id, cast(value->>1 as bigint) as seq, cast(value->>2 as bigint) as displayed_at,
      cast(value->>3 as bigint) as read_at, cast(value->>4 as bigint) as acknowledged_at, value->>5 as answer,
      cast(value->>6 as integer) as late from ${tableOfList(given)}) as given
    where recipients.user_id = given.user_id and recipients.seq = given.seq`.execute(transaction);
}
