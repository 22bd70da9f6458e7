/** Writes what devices say of messages, of many requests at once. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { isOnPostgres } from '../db/lock';
import { tableOfList } from '../db/json-table';
import { listensTo } from '../db/webhook-calls';
import type { Tables } from '../db/schema';
import { lockEscalating, stopAnswered } from '../escalation/stop';
import type { GivenAnswer } from '../escalation/stop';
import type { Services } from '../services';
import { tellOfAnswers } from './answer-events';
import type { NewAnswer } from './answer-events';
import { recordWords } from './device-receipts';
import type { DeviceWord } from './device-receipts';
import { mark } from './marks';
import type { Asked, Marks } from './marks';
import { OF_DEVICES, findSpeakers } from './receipt-authors';
import type { Report, Speaker } from './receipt-authors';

/**
 * Records reports one after the other, as if each had a transaction of its own.
 * @returns of each how many of its receipts were new; undefined where its word counts no longer
 */
export async function recordReports(
  reports: readonly Report[],
  transaction: Transaction<Tables>,
  services: Services,
): Promise<(number | undefined)[]> {
  const speakers = await findSpeakers(reports, transaction, services);
  const escalating = await lockEscalating(findAnswered(reports), transaction, services.now());
  const entries = await lockEntries(reports, speakers, transaction);
  const changed = new Set<Entry>();
  const awaited: GivenAnswer[] = [];
  const words: DeviceWord[] = [];
  const answers: NewAnswer[] = [];
  const recorded = reports.map(({ claimed, receipts, at }, index) => {
    const speaker = speakers[index];
    if (speaker === undefined) return undefined;
    const { userId, deviceIds } = speaker;
    let count = 0;
    for (const receipt of receipts) {
      const told = entries.get(entryKey(userId, receipt.messageId));
      // That a message was displayed any page can say: of a device it says something by the key.
      if (('key' in claimed || told === undefined) && POSSIBLE_ID.test(receipt.messageId))
        words.push({ deviceIds, receipt, at, sentAt: told?.sentAt, index });
      // A digest that was pressed was not read: its messages are.
      if (told === undefined || (told.isDigest && receipt.kind !== 'displayed')) continue;
      let isNew = false;
      for (const entry of told.entries) {
        const marks = mark(entry.marks, receipt, entry, at);
        if (marks === undefined) continue;
        if (entry.isTold) answers.push(...answerOf(entry, marks));
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
  if (answers.length > 0) await tellOfAnswers(answers, transaction, services.now());
  const counts = await recordWords(words, transaction);
  return recorded.map((count, index) =>
    count === undefined ? undefined : count + (counts.get(index) ?? 0),
  );
}

/** The messages that may be answered by these: that something was displayed is no answer. */
const findAnswered = (reports: readonly Report[]): string[] => [
  ...new Set(
    reports.flatMap(({ receipts }) =>
      receipts.flatMap(({ kind, messageId }) =>
        OF_DEVICES.includes(kind) || !POSSIBLE_ID.test(messageId) ? [] : messageId,
      ),
    ),
  ),
];

/** Whether a receipt is what the message waited for. */
function isAwaited({ answers, marks: before }: Entry, after: Marks): boolean {
  const kind = answers.length === 0 ? 'readAt' : 'acknowledgedAt';
  return before[kind] === null && after[kind] !== null;
}

/** A row of the ledger, and what its message asks. */
interface Entry extends Asked {
  messageId: string;
  userId: number;
  seq: number;
  marks: Marks;
  /** Whether webhooks listen to answers. */
  isTold: boolean;
}

/** What webhooks are told of it, if that is its answer. */
function answerOf({ messageId, userId, marks: before }: Entry, after: Marks): NewAnswer[] {
  const { acknowledgedAt: at, answer, late } = after;
  if (before.acknowledgedAt !== null || at === null || answer === null) return [];
  return [{ messageId, userId, answer, at, late: late === 1 }];
}

/** What an id that was reported stands for: a message, or a digest and all of its messages. */
interface Told {
  isDigest: boolean;
  /** When its push left. */
  sentAt: number;
  entries: Entry[];
}

const entryKey = (userId: number, messageId: string): string => `${userId} ${messageId}`;
/** No message is called otherwise, and PostgreSQL could not even be asked for some text. */
const POSSIBLE_ID = /^[\w-]{1,64}$/;

/**
 * The rows that are spoken of, locked in the order that holds for the ledger. What was not for that
 * person is not among them.
 */
async function lockEntries(
  reports: readonly Report[],
  speakers: readonly (Speaker | undefined)[],
  transaction: Transaction<Tables>,
): Promise<Map<string, Told>> {
  const wanted = new Map<string, [messageId: string, userId: number]>();
  for (const [index, { receipts }] of reports.entries()) {
    const userId = speakers[index]?.userId;
    if (userId === undefined) continue;
    for (const { messageId } of receipts)
      if (POSSIBLE_ID.test(messageId)) wanted.set(entryKey(userId, messageId), [messageId, userId]);
  }
  if (wanted.size === 0) return new Map();
  const given = sql`(select value->>0 as message_id, cast(value->>1 as bigint) as user_id
    from ${tableOfList([...wanted.values()])}) as given`;
  const lock = isOnPostgres(transaction) ? sql`for no key update of recipients` : sql``;
  // Not a part of the query that locks: of a row that it waited for PostgreSQL looks at the conditions
  // again, and finds nothing more where a union is among them.
  // In SQLite the words "cross join" keep the order of the tables: each pair is looked up.
  const found = (by: 'message_id' | 'digest_id') =>
    sql`select given.message_id as asked, entry.user_id, entry.seq from ${given} cross join recipients as entry
      where ${sql.ref(`entry.${by}`)} = given.message_id and entry.user_id = given.user_id`;
  const { rows } =
    await sql<EntryRow>`with found as materialized (${found('message_id')} union all ${found('digest_id')})
      select found.asked, recipients.message_id, recipients.user_id, recipients.seq,
      recipients.displayed_at, recipients.read_at, recipients.acknowledged_at, recipients.answer, recipients.late,
      messages.answers, messages.expires_at, coalesce(messages.send_at, messages.created_at) as sent_at,
      case when found.asked <> recipients.message_id then
        (select digest.created_at from messages as digest where digest.id = found.asked) end as told_at,
      (select count(*) from webhooks where ${listensTo('message.acknowledged')}) as listeners
    from found cross join recipients cross join messages
    where recipients.user_id = found.user_id and recipients.seq = found.seq and messages.id = recipients.message_id
    order by recipients.user_id, recipients.seq ${lock}`.execute(transaction);
  const entries = new Map<string, Entry>();
  const told = new Map<string, Told>();
  for (const row of rows) {
    // One and the same, by whatever id it is spoken of.
    const place = entryKey(row.user_id, String(row.seq));
    const entry = entries.get(place) ?? toEntry(row);
    entries.set(place, entry);
    const key = entryKey(row.user_id, row.asked);
    const isDigest = row.asked !== row.message_id;
    const one = told.get(key) ?? { isDigest, sentAt: row.told_at ?? row.sent_at, entries: [] };
    one.entries.push(entry);
    told.set(key, one);
  }
  return told;
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
  isTold: row.listeners > 0,
});

interface EntryRow {
  /** The id that was reported: the message's, or that of its digest. */
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
  /** When its digest left; null where the message itself was reported. */
  told_at: number | null;
  /** How many webhooks listen to answers: asked along, as most often there are none. */
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
