/** Reads only the hourly summaries, so a million recipients take as long as ten. */
import { INSIGHT_DAYS } from '../../src/shared/contract/insights';
import type { InsightDay, Insights, SlowTopic } from '../../src/shared/contract';
import { toCsvLine } from '../../src/shared/csv';
import { isTimeZone } from '../../src/shared/quiet-hours';
import { queryInReadThread } from '../db/open';
import type { Database } from '../db/open';
import { HttpError } from '../http/errors';
import { yieldToEventLoop } from '../lib/loop';
import { readTeamFilter } from '../memberships/teams-of-people';
import { readTopicFilter } from '../topics/topic-filter';
import { addDelays, addStoredDelays, percentile } from './delays';
import type { Delays } from './delays';
import { DAY_MS } from '../lib/durations';

const DEFAULT_DAYS = 30;
const MAX_TIME_ZONE_LENGTH = 64;

export interface InsightQuery {
  days: number;
  /** A topic's id, a team's id as a negative number, or 0 for all topics. */
  topicOrTeamId: number;
  timeZone: string;
}

/** @throws HttpError 400 */
export async function readInsightQuery(
  query: URLSearchParams,
  db: Database,
): Promise<InsightQuery> {
  const days = query.get('days') ?? String(DEFAULT_DAYS);
  if (!INSIGHT_DAYS.some((each) => String(each) === days))
    throw createFilterError('days', `Days must be one of ${INSIGHT_DAYS.join(', ')}.`);
  const timeZone = query.get('timeZone') ?? 'UTC';
  // `Intl` also takes offsets such as `+01:00`, which are no zones.
  if (
    timeZone.length > MAX_TIME_ZONE_LENGTH ||
    !/^[A-Za-z]/.test(timeZone) ||
    !isTimeZone(timeZone)
  )
    throw createFilterError('timeZone', 'This time zone does not exist.');
  const topicId = await readTopicFilter(query, db);
  const teamId = await readTeamFilter('teamId', query, db);
  if (topicId !== undefined && teamId !== undefined)
    throw createFilterError('teamId', 'Choose a topic or a team, not both.');
  return { days: Number(days), topicOrTeamId: topicId ?? -(teamId ?? 0), timeZone };
}

const createFilterError = (path: string, message: string): HttpError =>
  new HttpError(400, [{ message, path }]);

export async function readInsights(
  { days, topicOrTeamId, timeZone }: InsightQuery,
  db: Database,
  now: number,
): Promise<Insights> {
  const formatDay = dayFormat(timeZone);
  const daysByDate = new Map(listDays(formatDay(now), days).map((day) => [day, newDay(day)]));
  // A day may begin two days earlier: zones differ by up to 26 hours.
  const since = now - (days + 2) * DAY_MS;
  const totalDelays: Delays = new Map();
  for (const row of await readQuarters(topicOrTeamId, since, db)) {
    const sum = daysByDate.get(formatDay(row.starts_at));
    if (sum === undefined) continue;
    for (const name of COUNTS) sum.counts[name] = (sum.counts[name] ?? 0) + row[name];
    addStoredDelays(sum.delays, row.delays);
  }
  for (const { delays } of daysByDate.values()) addDelays(totalDelays, delays);
  for (const { noted_at, reachable, people } of await readReach(topicOrTeamId, since, db)) {
    const sum = daysByDate.get(formatDay(noted_at));
    if (sum !== undefined) sum.counts = { ...sum.counts, reachable, people };
  }
  return {
    days: [...daysByDate.values()].map(({ counts, delays }) => ({
      ...counts,
      ...summarizeDelays(delays),
    })),
    ...summarizeDelays(totalDelays),
    makes: await (topicOrTeamId === 0
      ? readMakes(since, db)
      : readPartMakes(topicOrTeamId, since, db)),
    slowest:
      topicOrTeamId === 0
        ? await readSlowest((at) => daysByDate.has(formatDay(at)), since, db)
        : [],
  };
}

const MAX_SLOWEST_TOPICS = 5;
/** The most that are compared: each has a histogram for every quarter with messages. */
const MAX_COMPARED_TOPICS = 50;
const MAX_QUARTER_ROWS = 20_000;
/** Histograms that are added before other work comes in between. */
const ADDED_AT_ONCE = 250;

async function readSlowest(
  isShown: (at: number) => boolean,
  since: number,
  db: Database,
): Promise<SlowTopic[]> {
  const busiestTopics = db
    .selectFrom('insight_quarters')
    .innerJoin('topics', 'topics.id', 'insight_quarters.topic_id')
    .where('starts_at', '>=', since)
    .groupBy(['topics.id', 'topics.title'])
    .orderBy(({ fn }) => fn.sum('insight_quarters.displayed'), 'desc')
    .orderBy('topics.id')
    .limit(MAX_COMPARED_TOPICS)
    .select(['topics.id', 'topics.title']);
  const topics = await queryInReadThread(busiestTopics.compile(), db);
  const daysByDate = new Map(
    topics.map((topic) => [topic.id, { ...topic, displayed: 0, delays: new Map() as Delays }]),
  );
  if (daysByDate.size === 0) return [];
  const newestQuery = db
    .selectFrom('insight_quarters')
    .select(['topic_id', 'starts_at', 'displayed', 'delays'])
    .where('topic_id', 'in', [...daysByDate.keys()])
    .where('starts_at', '>=', since)
    .orderBy('starts_at', 'desc')
    .limit(MAX_QUARTER_ROWS);
  const rows = await queryInReadThread(newestQuery.compile(), db);
  for (const [nth, { topic_id, starts_at, displayed, delays }] of rows.entries()) {
    if (nth % ADDED_AT_ONCE === 0) await yieldToEventLoop();
    const sum = daysByDate.get(topic_id);
    if (sum === undefined || !isShown(starts_at)) continue;
    sum.displayed += displayed;
    addStoredDelays(sum.delays, delays);
  }
  return [...daysByDate.values()]
    .filter(({ delays }) => delays.size > 0)
    .map(({ delays, ...topic }) => ({ ...topic, ...summarizeDelays(delays) }))
    .sort((a, b) => (b.p95Seconds ?? 0) - (a.p95Seconds ?? 0))
    .slice(0, MAX_SLOWEST_TOPICS);
}

const COUNTS = [
  'messages',
  'recipients',
  'displayed',
  'read',
  'asked',
  'acknowledged',
  'prompt',
] as const;

/** `en-CA` writes dates as ISO 8601 does. */
function dayFormat(timeZone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
  });
  // Many topics share each quarter, and formatting is slow.
  const titles = new Map<number, string>();
  return (at) => {
    const day = titles.get(at) ?? format.format(at);
    titles.set(at, day);
    return day;
  };
}

/** Lists days, oldest first, ending with `today`. */
const listDays = (today: string, days: number): string[] =>
  Array.from({ length: days }, (_, nth) =>
    new Date(Date.parse(today) - (days - 1 - nth) * DAY_MS).toISOString().slice(0, 10),
  );

type DayCounts = Omit<InsightDay, 'medianSeconds' | 'p95Seconds'>;

function newDay(day: string): { counts: DayCounts; delays: Delays } {
  const emptyDay = { messages: null, recipients: null, displayed: null, read: null, asked: null };
  const reach = { reachable: null, people: null };
  const counts = { day, ...emptyDay, acknowledged: null, prompt: null, ...reach };
  return { counts, delays: new Map() };
}

const summarizeDelays = (delays: Delays): Pick<InsightDay, 'medianSeconds' | 'p95Seconds'> => ({
  medianSeconds: percentile(delays, 0.5),
  p95Seconds: percentile(delays, 0.95),
});

const readQuarters = (topicOrTeamId: number, since: number, db: Database) =>
  db
    .selectFrom('insight_quarters')
    .select(['starts_at', 'delays', ...COUNTS])
    .where('topic_id', '=', topicOrTeamId)
    .where('starts_at', '>=', since)
    .execute();

const readReach = (topicOrTeamId: number, since: number, db: Database) =>
  db
    .selectFrom('insight_reach')
    .select(['noted_at', 'reachable', 'people'])
    .where('topic_id', '=', topicOrTeamId)
    .where('noted_at', '>=', since)
    .orderBy('noted_at')
    .execute();

const readMakes = (since: number, db: Database): Promise<Insights['makes']> =>
  db
    .selectFrom('insight_makes')
    .select(['make', 'devices', 'late', 'silent'])
    .where('noted_at', '>=', since)
    .where('noted_at', '=', ({ selectFrom }) =>
      selectFrom('insight_makes').select(({ fn }) => fn.max('noted_at').as('last')),
    )
    .orderBy('devices', 'desc')
    .orderBy('make')
    .execute();

const readPartMakes = (
  topicOrTeamId: number,
  since: number,
  db: Database,
): Promise<Insights['makes']> =>
  db
    .selectFrom('insight_part_makes')
    .select(['make', 'devices', 'late', 'silent'])
    .where('topic_id', '=', topicOrTeamId)
    .where('noted_at', '>=', since)
    .orderBy('devices', 'desc')
    .orderBy('make')
    .execute();

const CSV_COLUMNS = [
  'day',
  ...COUNTS,
  'medianSeconds',
  'p95Seconds',
  'reachable',
  'people',
] as const;

export const toInsightsCsv = ({ days }: Insights): string =>
  [CSV_COLUMNS, ...days.map((day) => CSV_COLUMNS.map((name) => String(day[name] ?? '')))]
    .map(toCsvLine)
    .join('');
