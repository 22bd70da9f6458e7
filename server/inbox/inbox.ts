import { sql } from 'kysely';
import type { ResponseOf, InboxMessage } from '../../src/shared/contract';
import type { Language } from '../../src/shared/languages';
import { readTranslations, textsInLanguage } from '../translation/message-translations';
import { describeFormerAnswers, revisionOfAnswer } from '../messages/corrections/answer-revisions';
import { describeRevisions } from '../messages/corrections/former-texts';
import type { Database } from '../db/open';
import { selectUnread } from '../db/recipient-receipts';
import { sanitizeIdFromUrl } from '../lib/url-id';
import { yieldToEventLoop } from '../lib/loop';
import { readHelpAnswers } from '../escalation/count-answered';
import { readPolicy } from '../escalation/plan-steps';
import type { MessageRow, RecipientRow } from '../db/schema';
import { foldCase } from '../../src/shared/case-fold';
import { messageNotFoundError } from '../http/errors';
import { containsWords, readNumber, readSearchWords } from '../http/paging';
import { toTime, toTimeOrNull } from '../lib/clock';

const DEFAULT_LIMIT = 20;
const MAX_INBOX_PAGE_SIZE = 100;

export interface InboxPageQuery {
  /** Messages behind this one, oldest first. */
  after: number | undefined;
  /** Messages before this one, newest first. */
  before: number | undefined;
  limit: number;
  words: readonly string[];
  isUnread: boolean;
}

/** Reads the query. Like every list, the inbox ignores invalid values. */
export function readInboxQuery(query: URLSearchParams): InboxPageQuery {
  const readSeq = (name: string): number | undefined => {
    const text = query.get(name) ?? '';
    return text === '' || Number.isNaN(Number(text))
      ? undefined
      : readNumber(text, 0, { min: 0, max: Number.MAX_SAFE_INTEGER });
  };
  return {
    after: readSeq('after'),
    before: readSeq('before'),
    limit: readNumber(query.get('limit'), DEFAULT_LIMIT, { min: 1, max: MAX_INBOX_PAGE_SIZE }),
    words: readSearchWords(query),
    isUnread: query.get('unread') === 'true',
  };
}

/** The page that an app requests when it starts. */
export const isNewestPage = ({ after, before, words, isUnread }: InboxPageQuery): boolean =>
  after === undefined && before === undefined && words.length === 0 && !isUnread;

export async function readInbox(
  userId: number,
  query: InboxPageQuery,
  language: Language,
  db: Database,
): Promise<ResponseOf<'GET /api/notifications/messages'>> {
  const messages = await findMessages(userId, query, language, db);
  // The counts are read after the messages, so that a message in between is still announced.
  const { rows } = await sql<{
    unread: number;
    newest: number | null;
    closed: number;
    answered: number;
    revised: number;
  }>`select
    (select count(*) from (${selectUnread(sql`${userId}`)}) as unread) as unread,
    (select last_seq from inboxes where user_id = ${userId}) as newest,
    (select count(*) from (select message_id from recipients where user_id = ${userId} order by seq desc limit ${sql.lit(DEFAULT_LIMIT)}) as page
      inner join messages on messages.id = page.message_id where messages.state = 'cancelled') as closed,
    (select count(acknowledged_at) from (select acknowledged_at from recipients where user_id = ${userId} order by seq desc limit ${sql.lit(DEFAULT_LIMIT)}) as page) as answered,
    (select coalesce(sum(messages.revision - 1 + case when messages.all_clear_at is null then 0 else 1 end), 0)
      from (select message_id from recipients where user_id = ${userId} order by seq desc limit ${sql.lit(DEFAULT_LIMIT)}) as page
      inner join messages on messages.id = page.message_id) as revised`.execute(db);
  const [{ unread = 0, newest = 0, closed = 0, answered = 0, revised = 0 } = {}] = rows;
  const changeCount = Number(revised);
  // Apps compare `closed` with what they know, so a correction makes them read the page again.
  return {
    messages,
    unread,
    newest: newest ?? 0,
    closed: closed + changeCount,
    answered,
    revised: changeCount,
  };
}

/** @throws HttpError 404 unless the person is a recipient */
export async function readInboxMessage(
  id: string,
  userId: number,
  language: Language,
  db: Database,
): Promise<InboxMessage> {
  const row = await selectEntries(userId, db)
    .where('recipients.message_id', '=', sanitizeIdFromUrl(id))
    .executeTakeFirst();
  if (row === undefined) throw messageNotFoundError();
  return toInboxMessage(row, language);
}

/** Entries that one statement searches; other work runs in between. */
const SEARCH_BATCH = 250;

const findMessages = async (
  userId: number,
  query: InboxPageQuery,
  language: Language,
  db: Database,
) =>
  query.words.length > 0
    ? searchInbox(userId, query, language, db)
    : (await selectPage(userId, query, db)).map((row) => toInboxMessage(row, language));

/** The database's folded texts may hold titles that this person does not see: checked again. */
async function searchInbox(
  userId: number,
  query: InboxPageQuery,
  language: Language,
  db: Database,
): Promise<InboxMessage[]> {
  const { after, before, limit, words } = query;
  const inboxMessages: InboxMessage[] = [];
  const { oldest, newest } = await readEnds(userId, db);
  const [firstSeq, lastSeq] = [
    Math.max(oldest, (after ?? 0) + 1),
    Math.min(newest, (before ?? Infinity) - 1),
  ];
  const pieces = Math.ceil((lastSeq - firstSeq + 1) / SEARCH_BATCH);
  for (let piece = 0; piece < pieces && inboxMessages.length < limit; piece += 1) {
    const fromSeq =
      after === undefined
        ? lastSeq - (piece + 1) * SEARCH_BATCH + 1
        : firstSeq + piece * SEARCH_BATCH;
    const range = {
      after: Math.max(fromSeq, firstSeq) - 1,
      before: Math.min(fromSeq + SEARCH_BATCH, lastSeq + 1),
    };
    const rows = await selectPage(
      userId,
      { ...query, ...range, limit: SEARCH_BATCH },
      db,
      after !== undefined,
    );
    for (const row of rows) {
      if (inboxMessages.length === limit) break;
      const inboxMessage = toInboxMessage(row, language);
      const text = foldCase(`${inboxMessage.title}\n${inboxMessage.message}`);
      if (words.every((word) => text.includes(word))) inboxMessages.push(inboxMessage);
    }
    await yieldToEventLoop();
  }
  return inboxMessages;
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
  { after, before, limit, words, isUnread }: InboxPageQuery,
  db: Database,
  isOldestFirst = after !== undefined,
) {
  let page = selectEntries(userId, db)
    .orderBy('recipients.seq', isOldestFirst ? 'asc' : 'desc')
    .limit(limit);
  if (after !== undefined) page = page.where('recipients.seq', '>', after);
  if (before !== undefined) page = page.where('recipients.seq', '<', before);
  if (isUnread)
    page = page.where(({ eb, or }) =>
      or([eb('recipients.read_at', 'is', null), eb('recipients.unread_again', '=', 1)]),
    );
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
    .leftJoin('users as author', 'author.id', 'messages.sender_id')
    .leftJoin('users as clearer', 'clearer.id', 'messages.all_clear_by')
    .where('recipients.user_id', '=', userId)
    .select([
      'recipients.message_id',
      'recipients.seq',
      'recipients.read_at',
      'recipients.unread_again',
      'recipients.acknowledged_at',
      'recipients.answer',
      'recipients.comment',
      'recipients.answer_revision',
      'recipients.former as formerAnswers',
      'messages.title',
      'messages.topic_title',
      'messages.text',
      'messages.link',
      'messages.priority',
      'messages.answers',
      'messages.translations',
      'messages.help_answers',
      'messages.revision',
      'messages.revised_at',
      'messages.former',
      'messages.all_clear_at',
      'messages.all_clear',
      'messages.state',
      'messages.resolved_at',
      'messages.send_at',
      'messages.created_at',
      'messages.expires_at',
      'messages.policy',
      'messages.stopped',
      'messages.key_name',
      'author.username as author',
      'clearer.username as clearer',
      'topics.id as topicId',
      'topics.title as topicTitle',
    ]);

type EntryRow = Pick<
  RecipientRow,
  | 'message_id'
  | 'seq'
  | 'read_at'
  | 'unread_again'
  | 'acknowledged_at'
  | 'answer'
  | 'comment'
  | 'answer_revision'
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
    | 'key_name'
    | 'translations'
    | 'help_answers'
    | 'revision'
    | 'revised_at'
    | 'former'
    | 'all_clear_at'
    | 'all_clear'
  > & {
    answers: string;
    formerAnswers: RecipientRow['former'];
    topicId: number | null;
    topicTitle: string | null;
    author: string | null;
    clearer: string | null;
  };

const inboxTitle = (row: Pick<EntryRow, 'title' | 'topicTitle' | 'topic_title'>): string =>
  row.title || row.topicTitle || row.topic_title || 'Fieldbell';

function toInboxMessage(row: EntryRow, language: Language): InboxMessage {
  const { topicId, topicTitle } = row;
  const original = { ...row, answers: JSON.parse(row.answers) as readonly string[] };
  const originalHelp = readHelpAnswers(row);
  const texts = textsInLanguage(original, readTranslations(row.translations), language);
  const translated = (answer: string | null): string | null =>
    answer === null ? null : (texts.answers[original.answers.indexOf(answer)] ?? answer);
  const helpAnswers = texts.answers.filter((_, place) =>
    originalHelp.includes(original.answers[place] ?? ''),
  );
  const answerRevision = revisionOfAnswer(row, row);
  const sender = row.key_name ?? row.author;
  const { formerAnswers } = describeFormerAnswers({ former: row.formerAnswers });
  return {
    id: row.message_id,
    seq: row.seq,
    title: inboxTitle(texts),
    message: texts.text,
    topic: topicId === null || topicTitle === null ? null : { id: topicId, title: topicTitle },
    ...(sender !== null && { sender }),
    link: row.link,
    priority: row.priority,
    // After the all-clear, the message needs no answer.
    answers: row.all_clear_at !== null && row.answer === null ? [] : [...texts.answers],
    ...(helpAnswers.length > 0 && { helpAnswers }),
    state: row.resolved_at !== null ? 'resolved' : row.state === 'cancelled' ? 'cancelled' : 'sent',
    createdAt: toTime(row.send_at ?? row.created_at),
    expiresAt: toTime(row.expires_at),
    readAt: row.unread_again === 1 ? null : toTimeOrNull(row.read_at),
    acknowledgedAt: toTimeOrNull(row.acknowledged_at),
    answer: translated(row.answer),
    ...(row.comment !== null && { comment: row.comment }),
    ...(answerRevision !== undefined && { answerRevision }),
    ...(formerAnswers && {
      formerAnswers: formerAnswers.map((each) => ({ ...each, answer: translated(each.answer) })),
    }),
    ...describeRevisions(row, ({ title, text, translations }) => {
      const formerTexts = textsInLanguage(
        { title, text, answers: [] },
        readTranslations(translations),
        language,
      );
      return { title: inboxTitle({ ...row, title: formerTexts.title }), message: formerTexts.text };
    }),
    ...(notifiesAgain(row) && { notifiesAgain: true }),
  };
}

const notifiesAgain = (row: EntryRow): boolean =>
  row.stopped === null && readPolicy(row)?.steps.some(({ action }) => action === 'repeat') === true;
