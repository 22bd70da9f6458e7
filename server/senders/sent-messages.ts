/** Messages as senders see them: only their topics, and people reached through these. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { ResponseOf, OwnRecipient, OwnSentMessage } from '../../src/shared/contract';
import { idList } from '../db/json-table';
import { queryInReadThread } from '../db/open';
import type { Database } from '../db/open';
import type { MessageRow, Tables } from '../db/schema';
import { HttpError, messageNotFoundError } from '../http/errors';
import { containsWords, readPageFields } from '../http/paging';
import type { Paging } from '../http/paging';
import { sanitizeIdFromUrl } from '../lib/url-id';
import { cacheCounts } from '../messages/progress/counts-cache';
import {
  NO_PEOPLE,
  countAnswers,
  countRecipients,
  findExpiredWhilePending,
  readTopicsByMessage,
} from '../messages/progress/counts';
import { describeTranslations } from '../translation/message-translations';
import { toSentMessage } from '../messages/progress/progress';
import type { SentRow } from '../messages/progress/progress';
import { listRecipientPage } from '../messages/progress/recipients';
import type { RecipientFilter } from '../messages/progress/recipients';
import { readCheckInOfAlarm } from '../messages/progress/check-in-of-alarm';
import { RANGE_SIZE } from '../messages/recipient-ranges';
import type { Services } from '../services';
import { countPeople } from '../subscriptions/audience-size';
import { wentToTopics, lockSenderRights, readSenderTopicIds } from '../http/access/sender-rights';

/** The person who views messages, and the topics that they may send to. */
interface Viewer {
  userId: number;
  topicIds: readonly number[];
}

const readViewer = async (userId: number, db: Database): Promise<Viewer> => ({
  userId,
  topicIds: await readSenderTopicIds(userId, db),
});

const messagesFor = ({ topicIds }: Viewer, db: Database) =>
  db.selectFrom('messages').where('messages.kind', '=', 'message').where(wentToTopics(topicIds));

/** Lists the newest first. Each word may be in the message, its title, or its topics' titles. */
export async function listOwnMessages(
  userId: number,
  paging: Paging,
  { db, now }: Pick<Services, 'db' | 'now'>,
): Promise<ResponseOf<'GET /api/sending/messages'>> {
  const { limit, offset, words } = paging;
  const viewer = await readViewer(userId, db);
  const messagesQuery = messagesFor(viewer, db).where(hasWords(words, viewer));
  const page = messagesQuery
    .leftJoin('users', 'users.id', 'messages.sender_id')
    .selectAll('messages')
    .select('users.username as sender')
    .orderBy('messages.created_at', 'desc')
    .orderBy('messages.id', 'desc')
    .limit(limit)
    .offset(offset);
  const rows = await queryInReadThread(page.compile(), db);
  return {
    messages: await describeMessages(rows, viewer, db, now()),
    ...(await readPageFields(rows, paging, messagesQuery, db)),
  };
}

/** `search_key` also names teams and topics of others, which a match must not reveal. */
function hasWords(words: readonly string[], { topicIds }: Viewer) {
  if (words.length === 0) return sql<boolean>`true`;
  const topicIdList = idList(topicIds);
  const conditions = words.map(
    (
      word,
    ) => sql`(${containsWords([word], sql<string>`messages.text_key`)} or exists (select 1 from message_topics
      inner join topics on topics.id = message_topics.topic_id
      where message_topics.message_id = messages.id and topics.id in ${topicIdList}
      and ${containsWords([word], sql<string>`topics.search_key`)}))`,
  );
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}

/** @throws HttpError 404, also for messages to topics of others */
export async function readOwnMessage(
  id: string,
  userId: number,
  { db, now }: Pick<Services, 'db' | 'now'>,
): Promise<OwnSentMessage> {
  const viewer = await readViewer(userId, db);
  const rows = await messagesFor(viewer, db)
    .leftJoin('users', 'users.id', 'messages.sender_id')
    .selectAll('messages')
    .select('users.username as sender')
    .where('messages.id', '=', sanitizeIdFromUrl(id))
    .execute();
  const [message] = await describeMessages(rows, viewer, db, now());
  if (message === undefined) throw messageNotFoundError();
  return {
    ...message,
    ...rows.map(describeTranslations)[0],
    ...(await readCheckInOfAlarm(message, db)),
  };
}

/** @throws HttpError 404 */
export async function pageOwnRecipients(
  id: string,
  filter: Omit<RecipientFilter, 'topicIds'>,
  userId: number,
  paging: Paging,
  services: Services,
): Promise<ResponseOf<'GET /api/sending/messages/:id/recipients'>> {
  const topicIds = await findSenderTopics(id, userId, services.db);
  const page = await listRecipientPage(id, { ...filter, topicIds }, paging, false, services);
  const recipients = page.recipients.map(
    ({ user, devices: _, ...recipient }): OwnRecipient => ({
      ...recipient,
      user: user && { id: user.id, username: user.username },
    }),
  );
  return { ...page, recipients };
}

/**
 * Returns all topics of this sender, if the message went to one of them.
 * @throws HttpError 404
 */
export async function findSenderTopics(
  id: string,
  userId: number,
  db: Database,
): Promise<readonly number[]> {
  const viewer = await readViewer(userId, db);
  const visibleMessages = await messagesFor(viewer, db)
    .where('messages.id', '=', sanitizeIdFromUrl(id))
    .select('messages.id')
    .executeTakeFirst();
  if (visibleMessages === undefined) throw messageNotFoundError();
  return viewer.topicIds;
}

/**
 * Locks the right to notify again or to cancel.
 * @throws HttpError 404; 403 if they may only read
 */
export async function requireOwnMessage(
  id: string,
  userId: number,
  transaction: Transaction<Tables>,
): Promise<void> {
  await findSenderTopics(id, userId, transaction);
  const message = await transaction
    .selectFrom('messages')
    .selectAll()
    .where('id', '=', sanitizeIdFromUrl(id))
    .executeTakeFirst();
  if (message === undefined) throw messageNotFoundError();
  const topics = await transaction
    .selectFrom('message_topics')
    .where('message_id', '=', message.id)
    .select('topic_id')
    .execute();
  const topicIds = topics.map(({ topic_id }) => topic_id);
  if (!isSentBy(userId, message) || !(await lockSenderRights(userId, topicIds, transaction)))
    throw new HttpError(403, 'You can read this message, but not change it.');
}

const isSentBy = (
  userId: number,
  { sender_id, as_sender }: Pick<MessageRow, 'sender_id' | 'as_sender'>,
): boolean => as_sender === 1 && sender_id === userId;

type OwnCounts = Pick<OwnSentMessage, 'people'> & {
  tally: ReadonlyMap<string, number> | undefined;
};
const NO_COUNTS: OwnCounts = { people: NO_PEOPLE, tally: undefined };

async function describeMessages(
  rows: readonly SentRow[],
  viewer: Viewer,
  db: Database,
  now: number,
): Promise<OwnSentMessage[]> {
  const ids = rows.map(({ id }) => id);
  const ownTopics = new Set(viewer.topicIds);
  const topics = await readTopicsByMessage(ids, db);
  const counts = await countAll(rows, viewer, db);
  const cutOff = await findExpiredWhilePending(
    rows.filter(({ id }) => (counts.get(id)?.people.failed ?? 0) > 0),
    db,
  );
  const messages: OwnSentMessage[] = [];
  for (const row of rows) {
    const shownTopics = (topics.get(row.id) ?? []).filter(({ id }) => ownTopics.has(id));
    const { people, tally } = counts.get(row.id) ?? NO_COUNTS;
    const plannedPeople =
      row.state === 'scheduled' && row.expires_at > now
        ? await countPeople({ topicIds: shownTopics.map(({ id }) => id), userIds: [] }, db)
        : 0;
    const {
      total: _total,
      accepted: _accepted,
      failed: _failed,
      gone: _gone,
      pending: _pending,
      namedPeople: _namedPeople,
      reachable: _reachable,
      ...message
    } = toSentMessage(
      row,
      {
        // People outside the sender's topics must not show the sender that a push is still pending.
        devices: { pending: people.pending ?? 0 },
        isCutOff: cutOff.has(row.id),
        people: { ...NO_PEOPLE, ...people },
        tally,
        planned: plannedPeople,
        topics: shownTopics,
        teams: undefined,
      },
      now,
    );
    const isOwn =
      isSentBy(viewer.userId, row) && shownTopics.length === (topics.get(row.id) ?? []).length;
    messages.push({ ...message, topic: shownTopics[0] ?? null, isOwn });
  }
  return messages;
}

/** Large messages are counted in ranges and cached, as administrators' are. */
async function countAll(
  rows: readonly SentRow[],
  { topicIds }: Viewer,
  db: Database,
): Promise<Map<string, OwnCounts>> {
  const countPart = async (messagesPart: readonly SentRow[]): Promise<Map<string, OwnCounts>> => {
    const people = await countRecipients(messagesPart, db, RANGE_SIZE, topicIds);
    const answeredRows = messagesPart.filter(({ id }) => (people.get(id)?.acknowledged ?? 0) > 0);
    const countsByMessage = await countAnswers(answeredRows, db, RANGE_SIZE, topicIds);
    return new Map(
      messagesPart.map(({ id }) => [
        id,
        { people: people.get(id) ?? NO_PEOPLE, tally: countsByMessage.get(id) },
      ]),
    );
  };
  const counts = await countPart(rows.filter(({ people }) => people <= RANGE_SIZE));
  for (const row of rows) {
    if (row.people <= RANGE_SIZE) continue;
    const countsState = [row.state, row.rounds].join();
    const key = `${row.id} ${[...topicIds].sort((a, b) => a - b).join()}`;
    counts.set(
      row.id,
      await cacheCounts(
        key,
        countsState,
        db,
        async () => (await countPart([row])).get(row.id) ?? NO_COUNTS,
      ),
    );
  }
  return counts;
}
