/**
 * Records how messages arrived and who is reachable, each hour before old messages are deleted.
 * Several processes may run it: a record of the last half hour is not repeated.
 */
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { jsonTableOfList } from '../db/json-table';
import { queryInReadThread } from '../db/open';
import type { Database } from '../db/open';
import { inTransaction } from '../db/transaction';
import type { Tables } from '../db/schema';
import { runInBatches } from '../lib/loop';
import { recipientRanges } from '../messages/recipient-ranges';
import { FULL_RANGE } from '../subscriptions/audience';
import type { IdRange } from '../subscriptions/audience';
import { hasReachOfToday, recordDailyReach } from './daily-reach';
import { addDelays, delayBucket, writeDelays } from './delays';
import type { Delays } from './delays';
import { MINUTE_MS, HOUR_MS, DAY_MS } from '../lib/durations';

export const QUARTER_HOUR_MS = 15 * MINUTE_MS;
/** Receipts that arrive later are not counted: pushes are kept for a week after their message. */
const OPEN_DAYS = 7;
const PROMPT_ANSWER_MS = 5 * MINUTE_MS;

/** @param messageDays how long messages are kept; a quarter with removed messages is not recounted */
export async function collectInsights(
  db: Database,
  now: number,
  stopSignal: AbortSignal,
  messageDays: number,
  maxCounted = MAX_COUNTED_RECIPIENTS,
): Promise<void> {
  const dueDays = await findDue(db, now, Math.min(OPEN_DAYS, messageDays));
  await runInBatches(async () => {
    const nextDay = dueDays.pop();
    if (nextDay !== undefined) await recordQuarter(nextDay, db, now, maxCounted);
    return dueDays.length > 0;
  }, stopSignal);
  if (!stopSignal.aborted && !(await hasReachOfToday(db, now))) await recordDailyReach(db, now);
}

/** The index has the same expression. */
const sentAt = sql<number>`coalesce(send_at, created_at)`;
const wasSent = sql`kind = 'message' and (state in ('sent', 'writing') or state = 'cancelled'
  and exists (select 1 from recipients where message_id = messages.id))`;

/** Oldest last: hourly for a day, then once a day. */
async function findDue(db: Database, now: number, days: number): Promise<number[]> {
  const width = sql.lit(QUARTER_HOUR_MS);
  const { rows } = await sql<{ starts_at: number }>`select sent.starts_at from
      (select distinct ${sentAt} / ${width} * ${width} as starts_at from messages
        where ${sentAt} > ${now - days * DAY_MS + QUARTER_HOUR_MS} and ${sentAt} <= ${now} and ${wasSent}) as sent
    left join insight_quarters as noted on noted.topic_id = 0 and noted.starts_at = sent.starts_at
    where noted.noted_at is null or noted.noted_at <= ${now - 23 * HOUR_MS}
      or (sent.starts_at > ${now - DAY_MS} and noted.noted_at <= ${now - HOUR_MS / 2})
    order by sent.starts_at desc`.execute(db);
  return rows.map(({ starts_at }) => Number(starts_at));
}

type Quarter = Omit<
  Tables['insight_quarters'],
  'topic_id' | 'starts_at' | 'noted_at' | 'delays'
> & {
  delays: Delays;
};
type QuarterCounts = Omit<Quarter, 'delays' | 'messages'>;

async function recordQuarter(
  startsAt: number,
  db: Database,
  now: number,
  maxCounted: number,
): Promise<void> {
  const sentMessages = sql`(select id, people from messages
    where ${sentAt} >= ${startsAt} and ${sentAt} < ${startsAt + QUARTER_HOUR_MS} and ${wasSent}) as sent`;
  const byTopic = new Map<number, Quarter>();
  for (const { topic, messages } of await countMessages(sentMessages, db)) {
    getOrAddQuarter(byTopic, Number(topic)).messages += Number(messages);
  }
  const { rows } = await sql<SentMessage>`select id, people from ${sentMessages}`.execute(db);
  const hasTeams = (await db.selectFrom('teams').select('id').limit(1).execute()).length > 0;
  /** Messages in several ranges count once for each team. */
  const reachedPeople = new Map<string, Set<number>>();
  for await (const part of splitIntoParts(rows, maxCounted, db)) {
    for (const row of await countRecipients(part, db)) addCounts(byTopic, row);
    if (!hasTeams) continue;
    for (const row of await countRecipients(part, db, BY_TEAM)) addTeamCounts(byTopic, row);
    const [onlyId] = part.ids;
    const reachedBefore = part.range === FULL_RANGE ? undefined : reachedPeople.get(onlyId ?? '');
    const teams = await countTeamMessages(part, db);
    for (const { teamId, messages } of teams)
      if (!reachedBefore?.has(teamId)) getOrAddQuarter(byTopic, -teamId).messages += messages;
    if (part.range !== FULL_RANGE && onlyId !== undefined)
      reachedPeople.set(
        onlyId,
        new Set([...(reachedBefore ?? []), ...teams.map(({ teamId }) => teamId)]),
      );
  }
  await writeQuarters(startsAt, byTopic, db, now);
}

function addCounts(
  quarters: Map<number, Quarter>,
  { topic, bucket, ...counts }: GroupedCounts,
): void {
  for (const id of topic === null ? [0] : [0, Number(topic)])
    addTo(getOrAddQuarter(quarters, id), bucket, counts);
}

/** Rows by team have the negative number of the team, and are no part of the sum. */
function addTeamCounts(
  quarters: Map<number, Quarter>,
  { topic, bucket, ...counts }: GroupedCounts,
): void {
  addTo(getOrAddQuarter(quarters, Number(topic)), bucket, counts);
}

function addTo(quarter: Quarter, bucket: number | null, counts: QuarterCounts): void {
  for (const name of Object.keys(counts) as (keyof QuarterCounts)[])
    quarter[name] += Number(counts[name]);
  if (bucket !== null)
    addDelays(quarter.delays, new Map([[Number(bucket), Number(counts.recipients)]]));
}

type SentMessage = { id: string; people: number };
/** Recipients that are counted by one statement. */
interface CountedPart {
  ids: readonly string[];
  range: IdRange;
}

/** Counting this many people takes a second, a tenth of a statement's limit. */
const MAX_COUNTED_RECIPIENTS = 200_000;
const MAX_QUARTERS_AT_ONCE = 500;

/** Counts small messages together, and large messages in ranges of their recipients. */
async function* splitIntoParts(
  messages: readonly SentMessage[],
  max: number,
  db: Database,
): AsyncGenerator<CountedPart> {
  let [ids, people] = [[] as string[], 0];
  for (const message of messages) {
    if (message.people > max) {
      for await (const range of recipientRanges(message.id, db, max))
        yield { ids: [message.id], range };
      continue;
    }
    if (ids.length === MAX_QUARTERS_AT_ONCE || people + message.people > max) {
      yield { ids, range: FULL_RANGE };
      [ids, people] = [[], 0];
    }
    ids.push(message.id);
    people += message.people;
  }
  if (ids.length > 0) yield { ids, range: FULL_RANGE };
}

function getOrAddQuarter(quarters: Map<number, Quarter>, topicId: number): Quarter {
  const emptyCounts = {
    messages: 0,
    recipients: 0,
    displayed: 0,
    read: 0,
    asked: 0,
    acknowledged: 0,
  };
  const quarter = quarters.get(topicId) ?? { ...emptyCounts, prompt: 0, delays: new Map() };
  quarters.set(topicId, quarter);
  return quarter;
}

/** Counts in a thread, as everything here: a million recipients take seconds. */
const countMessages = (sentMessages: RawBuilder<unknown>, db: Database) =>
  queryInReadThread(
    sql<{
      topic: number;
      messages: number;
    }>`select 0 as topic, count(*) as messages from ${sentMessages}
      union all select topic_id, count(*) from ${sentMessages}
        inner join message_topics on message_topics.message_id = sent.id group by topic_id`.compile(
      db,
    ),
    db,
  );

type GroupedCounts = QuarterCounts & { topic: number | null; bucket: number | null };

interface Grouping {
  groupColumn: RawBuilder<unknown>;
  joinClause: RawBuilder<unknown>;
  join: RawBuilder<unknown>;
}
const BY_TOPIC: Grouping = { groupColumn: sql`topic_id`, joinClause: sql``, join: sql`` };
const BY_TEAM: Grouping = {
  groupColumn: sql`-team_id`,
  // SQLite would join the teams first, which takes seconds.
  joinClause: sql`materialized`,
  join: sql`inner join team_members on team_members.user_id = counted.user_id`,
};

/**
 * Counts by topic and bucket of the delay. A delay starts at the first accepted push, or at the
 * first one since a correction.
 */
function countRecipients(
  { ids, range }: CountedPart,
  db: Database,
  { groupColumn, joinClause, join } = BY_TOPIC,
): Promise<GroupedCounts[]> {
  const sentMessages = sql`(select id, ${sentAt} as sent_at, case when answers = '[]' then 0 else 1 end as asks, revised_at
    from messages where id in (${sql.join(ids)})) as sent`;
  const isInRange = (userId: string) =>
    sql`${sql.ref(userId)} > ${range.after} and ${sql.ref(userId)} <= ${range.upTo}`;
  const delay = sql<number>`(person.displayed_at
    - case when person.displayed_at >= sent.revised_at then accepted.corrected_at else accepted.at end)`;
  const sumWhere = (condition: RawBuilder<unknown>) =>
    sql`sum(case when ${condition} then 1 else 0 end)`;
  return queryInReadThread(
    sql<GroupedCounts>`with counted as ${joinClause} (select person.*, sent.sent_at, sent.asks, ${delayBucket(delay)} as bucket from ${sentMessages}
        inner join recipients as person on person.message_id = sent.id
        left join (select deliveries.message_id, deliveries.user_id, min(deliveries.updated_at) as at,
            min(case when deliveries.updated_at >= sent.revised_at then deliveries.updated_at end) as corrected_at
          from ${sentMessages} inner join deliveries on deliveries.message_id = sent.id where deliveries.state = 'accepted' and ${isInRange('deliveries.user_id')}
          group by deliveries.message_id, deliveries.user_id) as accepted
          on accepted.message_id = person.message_id and accepted.user_id = person.user_id
        where ${isInRange('person.user_id')})
      select ${groupColumn} as topic, bucket, count(*) as recipients,
        count(displayed_at) as displayed, count(read_at) as read, sum(asks) as asked, count(acknowledged_at) as acknowledged,
        ${sumWhere(sql`acknowledged_at - sent_at <= ${sql.lit(PROMPT_ANSWER_MS)}`)} as prompt
      from counted ${join}
      group by ${groupColumn}, bucket`.compile(db),
    db,
  );
}

/** How many of these messages went to members of each team. */
async function countTeamMessages(
  { ids, range }: CountedPart,
  db: Database,
): Promise<{ teamId: number; messages: number }[]> {
  const rows = await queryInReadThread(
    sql<{ teamId: number; messages: number }>`
      select team_id as "teamId", count(distinct message_id) as messages from recipients
        inner join team_members on team_members.user_id = recipients.user_id
      where message_id in (${sql.join(ids)}) and recipients.user_id > ${range.after} and recipients.user_id <= ${range.upTo}
      group by team_id`.compile(db),
    db,
  );
  return rows.map((row) => ({ teamId: Number(row.teamId), messages: Number(row.messages) }));
}

async function writeQuarters(
  startsAt: number,
  byTopic: ReadonlyMap<number, Quarter>,
  db: Database,
  now: number,
): Promise<void> {
  const rows = [...byTopic].map(([topic, { delays, ...counts }]) => [
    topic,
    counts.messages,
    counts.recipients,
    counts.displayed,
    counts.read,
    counts.asked,
    counts.acknowledged,
    counts.prompt,
    writeDelays(delays),
  ]);
  const bigintAt = (place: number) => sql`cast(value->>${sql.lit(place)} as bigint)`;
  await inTransaction(db, async (transaction) => {
    await transaction.deleteFrom('insight_quarters').where('starts_at', '=', startsAt).execute();
    await sql`insert into insight_quarters (topic_id, starts_at, noted_at, messages, recipients, displayed, read, asked, acknowledged, prompt, delays)
      select ${bigintAt(0)}, cast(${startsAt} as bigint), cast(${now} as bigint), ${sql.join([1, 2, 3, 4, 5, 6, 7].map(bigintAt))}, value->>8
      from ${jsonTableOfList(rows)} where true on conflict do nothing`.execute(transaction);
  });
}
