import { sql } from 'kysely';
import type { ResponseOf, InboxMessage } from '../../src/shared/contract';
import type { Database } from '../db/open';
import { asTypedId } from '../lib/typed-id';
import { nextTurn } from '../lib/loop';
import { readPolicy } from '../escalation/plan';
import type { MessageRow, RecipientRow } from '../db/schema';
import { foldCase } from '../../src/shared/case-fold';
import { noSuchMessage } from '../http/errors';
import { containsWords, readNumber, readWords } from '../http/paging';
import { toTime, toTimeOrNull } from '../lib/clock';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

export interface InboxQuery {
  /** Messages behind this one, oldest first. */
  after: number | undefined;
  /** Messages before this one, newest first. */
  before: number | undefined;
  limit: number;
  words: readonly string[];
  isUnread: boolean;
}

/** Reads the query. Like every list, it ignores invalid values. */
export function readInboxQuery(query: URLSearchParams): InboxQuery {
  const readSeq = (name: string): number | undefined => {
    const text = query.get(name) ?? '';
    return text === '' || Number.isNaN(Number(text))
      ? undefined
      : readNumber(text, 0, { min: 0, max: Number.MAX_SAFE_INTEGER });
  };
  return {
    after: readSeq('after'),
    before: readSeq('before'),
    limit: readNumber(query.get('limit'), DEFAULT_LIMIT, { min: 1, max: MAX_LIMIT }),
    words: readWords(query),
    isUnread: query.get('unread') === 'true',
  };
}

/** As an app asks at its start. */
export const isNewestPage = ({ after, before, words, isUnread }: InboxQuery): boolean =>
  after === undefined && before === undefined && words.length === 0 && !isUnread;

export async function readInbox(
  userId: number,
  wanted: InboxQuery,
  db: Database,
): Promise<ResponseOf<'GET /api/notifications/messages'>> {
  const messages = await findMessages(userId, wanted, db);
  // Read after the messages: a message that arrives in between is then still announced.
  const { rows } = await sql<{
    unread: number;
    newest: number | null;
    closed: number;
    answered: number;
  }>`select
    (select count(*) from recipients as entry where entry.user_id = ${userId} and entry.read_at is null) as unread,
    (select last_seq from inboxes where user_id = ${userId}) as newest,
    (select count(*) from (select message_id from recipients where user_id = ${userId} order by seq desc limit ${sql.lit(DEFAULT_LIMIT)}) as page
      inner join messages on messages.id = page.message_id where messages.state = 'cancelled') as closed,
    (select count(acknowledged_at) from (select acknowledged_at from recipients where user_id = ${userId} order by seq desc limit ${sql.lit(DEFAULT_LIMIT)}) as page) as answered`.execute(
    db,
  );
  const [{ unread = 0, newest = 0, closed = 0, answered = 0 } = {}] = rows;
  return { messages, unread, newest: newest ?? 0, closed, answered };
}

/** @throws HttpError 404 unless the person is a recipient */
export async function readInboxMessage(
  id: string,
  userId: number,
  db: Database,
): Promise<InboxMessage> {
  const row = await selectEntries(userId, db)
    .where('recipients.message_id', '=', asTypedId(id))
    .executeTakeFirst();
  if (row === undefined) throw noSuchMessage();
  return toInboxMessage(row);
}

/** Entries that one statement searches; other work runs in between. */
const PIECE = 250;

const findMessages = async (userId: number, wanted: InboxQuery, db: Database) =>
  wanted.words.length > 0
    ? search(userId, wanted, db)
    : (await selectPage(userId, wanted, db)).map(toInboxMessage);

/** The database's folded texts may hold titles that this person does not see: checked again. */
async function search(userId: number, wanted: InboxQuery, db: Database): Promise<InboxMessage[]> {
  const { after, before, limit, words } = wanted;
  const found: InboxMessage[] = [];
  const { oldest, newest } = await readEnds(userId, db);
  const [first, last] = [
    Math.max(oldest, (after ?? 0) + 1),
    Math.min(newest, (before ?? Infinity) - 1),
  ];
  const pieces = Math.ceil((last - first + 1) / PIECE);
  for (let piece = 0; piece < pieces && found.length < limit; piece += 1) {
    const from = after === undefined ? last - (piece + 1) * PIECE + 1 : first + piece * PIECE;
    const range = { after: Math.max(from, first) - 1, before: Math.min(from + PIECE, last + 1) };
    const rows = await selectPage(
      userId,
      { ...wanted, ...range, limit: PIECE },
      db,
      after !== undefined,
    );
    for (const row of rows) {
      if (found.length === limit) break;
      const text = foldCase(`${titleOf(row)}\n${row.text}`);
      if (words.every((word) => text.includes(word))) found.push(toInboxMessage(row));
    }
    await nextTurn();
  }
  return found;
}

/** `seq` of the first and last entry; `newest` is below `oldest` if there is none. */
async function readEnds(userId: number, db: Database): Promise<{ oldest: number; newest: number }> {
  const { oldest, newest } = await db
    .selectFrom('recipients')
    .where('user_id', '=', userId)
    .select(({ fn }) => [fn.min('seq').as('oldest'), fn.max('seq').as('newest')])
    .executeTakeFirstOrThrow();
  return { oldest: Number(oldest ?? 1), newest: Number(newest ?? 0) };
}

function selectPage(
  userId: number,
  { after, before, limit, words, isUnread }: InboxQuery,
  db: Database,
  isOldestFirst = after !== undefined,
) {
  let page = selectEntries(userId, db)
    .orderBy('recipients.seq', isOldestFirst ? 'asc' : 'desc')
    .limit(limit);
  if (after !== undefined) page = page.where('recipients.seq', '>', after);
  if (before !== undefined) page = page.where('recipients.seq', '<', before);
  if (isUnread) page = page.where('recipients.read_at', 'is', null);
  // The topic's title may have changed.
  page = page.where(({ ref }) =>
    containsWords(words, ref('messages.search_key'), ref('topics.search_key')),
  );
  return page.execute();
}

const selectEntries = (userId: number, db: Database) =>
  db
    .selectFrom('recipients')
    .innerJoin('messages', 'messages.id', 'recipients.message_id')
    .leftJoin('topics', 'topics.id', 'recipients.topic_id')
    .where('recipients.user_id', '=', userId)
    .select([
      'recipients.message_id',
      'recipients.seq',
      'recipients.read_at',
      'recipients.acknowledged_at',
      'recipients.answer',
      'messages.title',
      'messages.topic_title',
      'messages.text',
      'messages.link',
      'messages.priority',
      'messages.answers',
      'messages.state',
      'messages.resolved_at',
      'messages.send_at',
      'messages.created_at',
      'messages.expires_at',
      'messages.policy',
      'messages.stopped',
      'topics.id as topicId',
      'topics.title as topicTitle',
    ]);

type EntryRow = Pick<
  RecipientRow,
  'message_id' | 'seq' | 'read_at' | 'acknowledged_at' | 'answer'
> &
  Pick<
    MessageRow,
    | 'title'
    | 'topic_title'
    | 'text'
    | 'link'
    | 'priority'
    | 'state'
    | 'resolved_at'
    | 'send_at'
    | 'created_at'
    | 'expires_at'
    | 'policy'
    | 'stopped'
  > & { answers: string; topicId: number | null; topicTitle: string | null };

const titleOf = (row: EntryRow): string =>
  row.title || row.topicTitle || row.topic_title || 'Fieldbell';

function toInboxMessage(row: EntryRow): InboxMessage {
  const { topicId, topicTitle } = row;
  return {
    id: row.message_id,
    seq: row.seq,
    title: titleOf(row),
    message: row.text,
    topic: topicId === null || topicTitle === null ? null : { id: topicId, title: topicTitle },
    link: row.link,
    priority: row.priority,
    answers: JSON.parse(row.answers) as string[],
    state: row.resolved_at !== null ? 'resolved' : row.state === 'cancelled' ? 'cancelled' : 'sent',
    createdAt: toTime(row.send_at ?? row.created_at),
    expiresAt: toTime(row.expires_at),
    readAt: toTimeOrNull(row.read_at),
    acknowledgedAt: toTimeOrNull(row.acknowledged_at),
    answer: row.answer,
    ...(notifiesAgain(row) && { notifiesAgain: true }),
  };
}

const notifiesAgain = (row: EntryRow): boolean =>
  row.stopped === null && readPolicy(row)?.steps.some(({ action }) => action === 'repeat') === true;
