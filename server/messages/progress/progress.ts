import type {
  ResponseOf,
  MessageState,
  Priority,
  SentFilterState,
  SentMessage,
  TeamReference,
} from '../../../src/shared/contract';
import { sql } from 'kysely';
import { queryInReadThread } from '../../db/open';
import type { Database } from '../../db/open';
import { sanitizeIdFromUrl } from '../../lib/url-id';
import type { MessageRow } from '../../db/schema';
import { messageNotFoundError } from '../../http/errors';
import { containsWords, readPageFields } from '../../http/paging';
import type { Paging } from '../../http/paging';
import {
  NO_PEOPLE,
  countAnswers,
  countPushedDevices,
  countRecipients,
  findExpiredWhilePending,
  readTeamsOfMessages,
  readTopicsByMessage,
} from './counts';
import type { TopicTitles } from './counts';
import { readHelpAnswers } from '../../escalation/count-answered';
import { hasOpenCallsForHelp } from './calls-for-help';
import { readCheckInOfAlarm } from './check-in-of-alarm';
import { cacheCounts } from './counts-cache';
import type { MessageCounts } from './counts-cache';
import { RANGE_SIZE } from '../recipient-ranges';
import { countPeople as countAudience } from '../../subscriptions/audience-size';
import { describeTranslations, translatedLanguages } from '../../translation/message-translations';
import { describeRevisions } from '../corrections/former-texts';
import { readStoredAudience, senderName } from '../lock-message';
import { NO_ROUND, toRoundCursor } from '../notify-again';
import { isWithheld } from '../sending/withheld';
import { toTime } from '../../lib/clock';

interface MessageFilter {
  priority?: Priority | undefined;
  state?: SentFilterState | undefined;
  topicId?: number | undefined;
  /** Words of the sender's name. */
  sender?: readonly string[];
}

/** Lists the newest first. Each word may be in the message, its title, or its topics' titles. */
export async function listMessages(
  paging: Paging,
  { priority, state, topicId, sender = [] }: MessageFilter,
  db: Database,
  now: number,
): Promise<ResponseOf<'GET /api/admin/messages'>> {
  const { limit, offset, words } = paging;
  // Leaves out tests. A search finds none, because they have no search text.
  let matching = db
    .selectFrom('messages')
    .where(({ eb, ref }) =>
      words.length === 0
        ? eb('messages.kind', '=', 'message')
        : containsWords(words, ref('messages.search_key')),
    );
  if (priority !== undefined) matching = matching.where('messages.priority', '=', priority);
  if (state === 'withheld') matching = matching.where(isWithheld(now));
  if (state === 'needs_help') matching = matching.where(hasOpenCallsForHelp(now));
  if (topicId !== undefined)
    matching = matching.where(
      sql<boolean>`messages.id in (select message_id from message_topics where topic_id = ${topicId})`,
    );
  if (sender.length > 0) matching = matching.where(isSentBy(sender));
  const page = matching
    .leftJoin('users', 'users.id', 'messages.sender_id')
    .selectAll('messages')
    .select('users.username as sender')
    .orderBy('messages.created_at', 'desc')
    .orderBy('messages.id', 'desc')
    .limit(limit)
    .offset(offset);
  const rows = await queryInReadThread(page.compile(), db);
  return {
    messages: await describeMessages(rows, db, now),
    ...(await readPageFields(rows, paging, matching, db)),
  };
}

/** Each word is in the name of the person or of the topic key that sent it. */
const isSentBy = (words: readonly string[]) => sql<boolean>`(messages.key_name is null
    and messages.sender_id in (select id from users where ${containsWords(words, sql<string>`username_key`)})
  or ${containsWords(words, sql<string>`lower('key: ' || messages.key_name)`)})`;

/** @throws HttpError 404 */
export async function readSentMessage(id: string, db: Database, now: number): Promise<SentMessage> {
  const rows = await db
    .selectFrom('messages')
    .leftJoin('users', 'users.id', 'messages.sender_id')
    .selectAll('messages')
    .select('users.username as sender')
    .where('messages.id', '=', sanitizeIdFromUrl(id))
    .where('messages.kind', '=', 'message')
    .execute();
  const [message] = await describeMessages(rows, db, now);
  if (message === undefined) throw messageNotFoundError();
  return {
    ...message,
    ...rows.map(describeTranslations)[0],
    ...(await readCheckInOfAlarm(message, db)),
  };
}

export type SentRow = MessageRow & { sender: string | null };
type Row = SentRow;

interface MessageDetails extends MessageCounts {
  planned: number;
  topics: TopicTitles | undefined;
  teams: TeamReference[] | undefined;
}

/** One query of each kind for all messages, but separate ones for large messages. */
async function describeMessages(rows: Row[], db: Database, now: number): Promise<SentMessage[]> {
  const ids = rows.map(({ id }) => id);
  const counts = await countAll(
    rows.filter(({ people }) => people <= RANGE_SIZE),
    db,
  );
  for (const row of rows) {
    if (row.people <= RANGE_SIZE) continue;
    const { id, state, rounds, accepted, failed, gone, expired } = row;
    const countsState = [state, rounds, accepted, failed, gone, expired].join();
    const countRow = async (): Promise<MessageCounts> =>
      (await countAll([row], db)).get(id) ?? NO_COUNTS;
    counts.set(id, await cacheCounts(id, countsState, db, countRow));
  }
  const topics = await readTopicsByMessage(ids, db);
  const teams = await readTeamsOfMessages(rows, db);
  const plannedPeople = new Map<string, number>();
  // One query each: few messages are scheduled, and their recipients are found when they are sent.
  for (const row of rows)
    if (row.state === 'scheduled' && row.expires_at > now)
      plannedPeople.set(row.id, await countAudience(readStoredAudience(row), db));
    else if (row.state === 'writing') plannedPeople.set(row.id, row.people);
  return rows.map((row) => {
    const details = {
      ...(counts.get(row.id) ?? NO_COUNTS),
      planned: plannedPeople.get(row.id) ?? 0,
      topics: topics.get(row.id),
      teams: teams.get(row.id),
    };
    return toSentMessage(row, details, now);
  });
}

const NO_COUNTS: MessageCounts = {
  devices: {},
  isCutOff: false,
  people: NO_PEOPLE,
  tally: undefined,
};

async function countAll(rows: Row[], db: Database): Promise<Map<string, MessageCounts>> {
  const ids = rows.map(({ id }) => id);
  const devices = await countPushedDevices(rows, db);
  const failedRows = rows.filter(({ id }) => (devices.get(id)?.failed ?? 0) > 0);
  const cutOff = await findExpiredWhilePending(failedRows, db);
  const people = await countRecipients(rows, db);
  const answeredRows = rows.filter(({ id }) => (people.get(id)?.acknowledged ?? 0) > 0);
  const tallies = await countAnswers(answeredRows, db);
  return new Map(
    ids.map((id) => [
      id,
      {
        devices: devices.get(id) ?? {},
        isCutOff: cutOff.has(id),
        people: people.get(id) ?? NO_PEOPLE,
        tally: tallies.get(id),
      },
    ]),
  );
}

/** Leaves out skipped devices: unsubscribed or muted before their turn. */
export function toSentMessage(row: Row, details: MessageDetails, now: number): SentMessage {
  const { devices, tally } = details;
  const { pending = 0 } = devices;
  const sumDevices = (outcome: 'accepted' | 'failed' | 'gone'): number =>
    row[outcome] + (devices[outcome] ?? 0);
  const [accepted, failed, gone] = [
    sumDevices('accepted'),
    sumDevices('failed'),
    sumDevices('gone'),
  ];
  const topic = row.topic_id === null ? null : { id: row.topic_id, title: row.topic_title };
  const answers = JSON.parse(row.answers) as string[];
  const helpAnswers = readHelpAnswers(row);
  const state = findMessageState(row, details, now);
  return {
    id: row.id,
    topic,
    message: row.text,
    createdAt: toTime(row.created_at),
    total: accepted + failed + gone + pending,
    accepted,
    failed,
    gone,
    pending,
    title: row.title,
    link: row.link,
    priority: row.priority,
    answers,
    ...(helpAnswers.length > 0 && { helpAnswers: [...helpAnswers] }),
    topics: details.topics ?? [],
    ...(details.teams && { teams: details.teams }),
    ...describeNamedPeople(row, details),
    sender: senderName(row),
    state,
    ...(state === 'scheduled' && row.withheld !== null && { withheld: row.withheld }),
    sendAt: toTime(row.send_at ?? row.created_at),
    expiresAt: toTime(row.expires_at),
    ...(row.is_all_clear === 1 && { isAllClear: true }),
    ...(translatedLanguages(row).length > 0 && { isTranslated: true }),
    ...(row.asked_revision > 1 && { askedRevision: row.asked_revision }),
    people: describePeople(row, details),
    ...(row.reachable !== null && row.state !== 'writing' && { reachable: row.reachable }),
    tally: Object.fromEntries(answers.map((answer) => [answer, tally?.get(answer) ?? 0])),
    ...describeRevisions(row),
  };
}

/** Corrections and all-clears are rare. */
function describePeople(
  { revision, all_clear_at }: Row,
  { people, planned }: MessageDetails,
): SentMessage['people'] {
  const { correctionDisplayed, answeredEarlierText, allClearDisplayed, ...counts } = people;
  return {
    ...{ ...counts, total: Math.max(planned, counts.total) },
    ...(revision > 1 && { correctionDisplayed, answeredEarlierText }),
    ...(all_clear_at !== null && { allClearDisplayed }),
  };
}

/** Without topics and teams, the field is left out: it would equal `people`. */
function describeNamedPeople(
  row: Row,
  { topics, teams }: MessageDetails,
): Pick<SentMessage, 'namedPeople'> {
  if ((!topics && !teams) || !row.audience) return {};
  const { userIds = [] } = readStoredAudience(row);
  return userIds.length > 0 ? { namedPeople: userIds.length } : {};
}

/** A message is `expired` if something was still pending when it ended. */
function findMessageState(row: Row, details: MessageDetails, now: number): MessageState {
  const { devices } = details;
  const isCutOff = details.isCutOff || row.expired > 0;
  if (row.resolved_at !== null) return 'resolved';
  if (row.state === 'cancelled') return 'cancelled';
  const isPending =
    row.state !== 'sent' ||
    (devices.pending ?? 0) > 0 ||
    // A round is still being written. The all-clear's round does not count.
    toRoundCursor(row) !== NO_ROUND ||
    (row.revised_to !== NO_ROUND && row.all_clear_at === null);
  if (row.expires_at <= now) return isPending || isCutOff ? 'expired' : 'sent';
  if (row.state === 'scheduled') return 'scheduled';
  return isPending ? 'sending' : 'sent';
}
