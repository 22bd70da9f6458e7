/** The reach board: a page of people with their reach state, and the number in each state. */
import { sql } from 'kysely';
import type {
  ResponseOf,
  LostDevice,
  ReachBoardPerson,
  ReachState,
  ReachSummary,
} from '../../src/shared/contract';
import { readOrRenewRegistrationTokens } from '../accounts/one-time-tokens';
import { queryInReadThread } from '../db/open';
import type { Database } from '../db/open';
import { readLastRound } from '../device-tests/test-rounds';
import { HttpError } from '../http/errors';
import { containsWords, readPaging } from '../http/paging';
import type { Paging } from '../http/paging';
import type { Services } from '../services';
import { isInTeam, readTeamFilter } from '../memberships/teams-of-people';
import { listReachDevices } from './devices';
import { REACHABLE_STATES } from '../../src/shared/reach-states';
import { PEOPLE_STATES, bestDevices, personStateIndex } from './states';
import { toTime } from '../lib/clock';

export interface BoardQuery extends Paging {
  states: readonly ReachState[] | undefined;
  topicId: number | undefined;
  teamId: number | undefined;
}

/** @throws HttpError 400 for an unknown state or team, or an invalid topic id */
export async function parseBoardQuery(query: URLSearchParams, db: Database): Promise<BoardQuery> {
  const { page, limit, offset, words } = readPaging(query);
  return {
    page,
    limit,
    offset,
    words,
    states: readStates(query.get('state') ?? ''),
    topicId: readTopic(query.get('topic') ?? ''),
    teamId: await readTeamFilter('team', query, db),
  };
}

const ATTENTION_STATES = PEOPLE_STATES.filter((state) => !REACHABLE_STATES.includes(state));

function readStates(text: string): readonly ReachState[] | undefined {
  const names = text.split(',');
  if (names.join('') === '') return undefined;
  const states = names.flatMap((name) =>
    name === 'attention' ? ATTENTION_STATES : PEOPLE_STATES.filter((state) => state === name),
  );
  if (names.some((name) => name !== 'attention' && !states.some((state) => state === name)))
    throw createFilterError(
      'state',
      `Each state must be one of ${['attention', ...PEOPLE_STATES].join(', ')}.`,
    );
  return states;
}

function readTopic(text: string): number | undefined {
  if (text === '') return undefined;
  if (!/^[1-9]\d{0,14}$/.test(text)) throw createFilterError('topic', NO_SUCH_TOPIC);
  return Number(text);
}

const NO_SUCH_TOPIC = 'This topic does not exist.';
const createFilterError = (path: string, message: string): HttpError =>
  new HttpError(400, [{ message, path }]);

/**
 * Needs attention first, then by name.
 * @throws HttpError 400 for an unknown topic
 */
export async function readBoard(
  query: BoardQuery,
  services: Services,
): Promise<ResponseOf<'GET /api/admin/reach'>> {
  const { db } = services;
  const now = services.now();
  await requireTopic(query.topicId, db);
  const { ids, summary } = await findPage(query, db, now);
  const shownStates = query.states ?? PEOPLE_STATES;
  const suspendedCount = await countSuspended(query, db);
  return {
    people: await describePeople(ids, services, now),
    summary,
    ...(suspendedCount > 0 && { suspended: suspendedCount }),
    total: [...new Set(shownStates)].reduce((sum, state) => sum + summary[state], 0),
    lastTests: await readLastTests(db),
    page: query.page,
    limit: query.limit,
  };
}

/** How many suspended people would be on the board. */
async function countSuspended({ topicId, teamId }: BoardQuery, db: Database): Promise<number> {
  let users = db.selectFrom('users').where('suspended_at', 'is not', null);
  if (topicId !== undefined) users = users.where(isSubscribed(topicId));
  if (teamId !== undefined) users = users.where(isInTeam(teamId));
  const { total } = await users
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return Number(total);
}

const isSubscribed = (topicId: number) =>
  sql<boolean>`users.id in (select user_id from subscriptions where topic_id = ${topicId})`;

async function requireTopic(topicId: number | undefined, db: Database): Promise<void> {
  if (topicId === undefined) return;
  const topicQuery = db.selectFrom('topics').select('id').where('id', '=', topicId);
  await topicQuery.executeTakeFirstOrThrow(() => createFilterError('topic', NO_SUCH_TOPIC));
}

/** One query, so that each state is computed once, and page and summary agree. */
async function findPage(
  { words, states, topicId, teamId, limit, offset }: BoardQuery,
  db: Database,
  now: number,
): Promise<{ ids: { id: number; state: ReachState }[]; summary: ReachSummary }> {
  let peopleQuery = db
    .selectFrom('users')
    .leftJoin(bestDevices(db, now).as('own'), 'own.user_id', 'users.id')
    .where('users.suspended_at', 'is', null)
    .select(['users.id', 'users.username_key', personStateIndex.as('place')]);
  if (topicId !== undefined) peopleQuery = peopleQuery.where(isSubscribed(topicId));
  if (teamId !== undefined) peopleQuery = peopleQuery.where(isInTeam(teamId));
  const shownPlaces = sql.join(
    (states ?? PEOPLE_STATES).map((state) => sql.lit(PEOPLE_STATES.indexOf(state as never))),
  );
  // Names are searched last: PostgreSQL expects few matches, and would read everyone's devices for
  // each. `with` does not come first, or SQLite takes the query for a write.
  const query = sql<{ id: number | null; place: number; people: number }>`
    select id, place, people from (with everybody as materialized ${peopleQuery},
      people as materialized (select * from everybody where place is not null and ${containsWords(words, sql.ref<string>('username_key'))})
      select cast(null as bigint) as id, null as username_key, place, count(*) as people from people group by place
      union all select * from (select id, username_key, place, 0 from people where place in (${shownPlaces})
        order by place, username_key, id limit ${limit} offset ${offset}) as page) as found
    order by place, username_key, id`;
  const rows = await queryInReadThread(query.compile(db), db);
  const summary = Object.fromEntries(PEOPLE_STATES.map((state) => [state, 0])) as ReachSummary;
  const ids: { id: number; state: ReachState }[] = [];
  for (const { id, place, people } of rows) {
    const state = PEOPLE_STATES[place] ?? 'no_device';
    if (id === null) summary[state] = Number(people);
    else ids.push({ id, state });
  }
  return { ids, summary };
}

async function describePeople(
  people: readonly { id: number; state: ReachState }[],
  services: Services,
  now: number,
): Promise<ReachBoardPerson[]> {
  if (people.length === 0) return [];
  const { db } = services;
  const ids = people.map(({ id }) => id);
  const rows = await db
    .selectFrom('users')
    .select(['id', 'username', 'role', 'device_lost_at', 'device_lost_why'])
    .where('id', 'in', ids)
    .execute();
  const users = new Map(rows.map((row) => [row.id, row]));
  const devices = await listReachDevices(ids, db, now);
  const pendingIds = people.flatMap(({ id, state }) => (state === 'pending' ? id : []));
  const invitations = await readInvitations(pendingIds, services);
  return people.flatMap(({ id, state }) => {
    const row = users.get(id);
    if (row === undefined) return []; // deleted since
    const ownDevices = devices.get(id) ?? [];
    return {
      user: { id, username: row.username, role: row.role },
      state,
      devices: ownDevices,
      lost: ownDevices.length > 0 ? null : toLost(row.device_lost_at, row.device_lost_why),
      invitation: invitations.get(id) ?? null,
    };
  });
}

const toLost = (at: number | null, why: LostDevice['why'] | null): LostDevice | null =>
  at === null || why === null ? null : { at: toTime(at), why };

/** Reads registration links, and renews expired ones: a shown link works. */
async function readInvitations(
  userIds: number[],
  services: Services,
): Promise<Map<number, NonNullable<ReachBoardPerson['invitation']>>> {
  if (userIds.length === 0) return new Map();
  const tokens = await readOrRenewRegistrationTokens(userIds, services);
  const rows = await services.db
    .selectFrom('one_time_tokens')
    .select(['user_id', 'created_at'])
    .where('purpose', '=', 'registration')
    .where('user_id', 'in', userIds)
    .execute();
  return new Map(
    rows.flatMap(({ user_id, created_at }) => {
      const token = tokens.get(user_id);
      if (token === undefined) return [];
      return [[user_id, { token, createdAt: toTime(created_at) }] as const];
    }),
  );
}

async function readLastTests(
  db: Database,
): Promise<ResponseOf<'GET /api/admin/reach'>['lastTests']> {
  const lastRound = await readLastRound(db);
  if (lastRound === undefined) return null;
  const { at, devices, until, quietDevices } = lastRound;
  return {
    at: toTime(at),
    devices,
    until: toTime(until),
    quietDevices,
  };
}
