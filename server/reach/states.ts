/** Defines the reach state of devices and people, in SQL: for ten thousand people as for one. */
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { ReachState } from '../../src/shared/contract';
import { REACHABLE_STATES } from '../../src/shared/reach-states';
import { queryInReadThread } from '../db/open';
import type { Database } from '../db/open';
import { DAY_MS } from '../lib/durations';

/** Older pushes don't count. */
export const RECENT_PUSH_MS = 14 * DAY_MS;
/** Milliseconds from accepted to displayed; more is late. */
const LATE_DISPLAY_MS = 60_000;

/** Best first. A person has the state of their best device. */
const DEVICE_STATES = ['reachable', 'late', 'untested', 'silent', 'failing'] as const;
export type DeviceState = (typeof DEVICE_STATES)[number];

/** Needs attention first, then reachable. */
export const PEOPLE_STATES = [
  'failing',
  'silent',
  'no_device',
  'untested',
  'pending',
  'late',
  'reachable',
] as const satisfies readonly ReachState[];

/** The first that fits (`server/README.md`). A device that was sent nothing is not silent. */
const deviceRank = (now: number): RawBuilder<number> => {
  const since = now - RECENT_PUSH_MS;
  return sql<number>`case
    when device_reach.refused_at is not null then ${toDeviceRank('failing')}
    when device_reach.third_accepted_at >= ${since} and coalesce(device_reach.displayed_accepted_at, 0) < ${since} then ${toDeviceRank('silent')}
    when device_reach.median_delay > ${sql.lit(LATE_DISPLAY_MS)} then ${toDeviceRank('late')}
    when device_reach.displayed_at is null then ${toDeviceRank('untested')}
    else ${toDeviceRank('reachable')} end`;
};
const toDeviceRank = (state: DeviceState): RawBuilder<number> =>
  sql.lit(DEVICE_STATES.indexOf(state));

export const deviceState = (now: number): RawBuilder<DeviceState> =>
  sql<DeviceState>`case ${deviceRank(now)} ${sql.raw(DEVICE_STATES.map((state, nth) => `when ${nth} then '${state}'`).join(' '))} end`;

/** Reads everyone at once: PostgreSQL takes twice as long to look people up one by one. */
export const bestDevices = (db: Database, now: number) =>
  db
    .selectFrom('devices')
    .leftJoin('device_reach', 'device_reach.device_id', 'devices.id')
    .select('devices.user_id')
    .select(({ fn }) => fn.min(deviceRank(now)).as('best'))
    .groupBy('devices.user_id');

/** Index in `PEOPLE_STATES`, for `bestDevices` (as `own`) left-joined to `users`. */
export const personStateIndex = sql<number>`case when users.status = 'PENDING' then ${toPersonStateIndex('pending')}
  else case own.best ${sql.join(
    DEVICE_STATES.map(
      (state) => sql`when ${toDeviceRank(state)} then ${toPersonStateIndex(state)}`,
    ),
    sql` `,
  )} else ${toPersonStateIndex('no_device')} end end`;

function toPersonStateIndex(state: ReachState): RawBuilder<number> {
  return sql.lit(PEOPLE_STATES.indexOf(state));
}

/** The worst reachable state of a device: ranks go from good to bad. */
const LAST_GOOD =
  DEVICE_STATES.findLast((state) => REACHABLE_STATES.includes(state)) ?? 'reachable';

/** Compares the rank with a limit: PostgreSQL would look up each device for a list of ranks. */
export async function countReachable(db: Database, now: number): Promise<number> {
  const query = sql<{ people: number }>`select count(*) as people from users
    where status = 'ACTIVE' and exists (select 1 from devices
      inner join device_reach on device_reach.device_id = devices.id
      where devices.user_id = users.id and ${deviceRank(now)} <= ${toDeviceRank(LAST_GOOD)})`;
  const [row] = await queryInReadThread(query.compile(db), db);
  return Number(row?.people);
}

/** Members by team, and how many of them are reachable. */
export const countReachableByTeam = (
  db: Database,
  now: number,
): Promise<{ teamId: number; people: number; reachable: number }[]> =>
  queryInReadThread(
    sql<{ teamId: number; people: number; reachable: number }>`
      select team_members.team_id as "teamId", cast(count(*) as integer) as people,
        cast(sum(case when users.status = 'ACTIVE' and own.best <= ${toDeviceRank(LAST_GOOD)} then 1 else 0 end) as integer) as reachable
      from team_members inner join users on users.id = team_members.user_id
        left join (${bestDevices(db, now)}) as own on own.user_id = users.id
      where users.suspended_at is null
      group by team_members.team_id`.compile(db),
    db,
  );

/** Subscribers by topic, and how many of them are reachable. */
export const countReachableByTopic = (
  db: Database,
  now: number,
): Promise<{ topicId: number; people: number; reachable: number }[]> =>
  queryInReadThread(
    sql<{ topicId: number; people: number; reachable: number }>`
      select subscriptions.topic_id as "topicId", cast(count(*) as integer) as people,
        cast(sum(case when users.status = 'ACTIVE' and own.best <= ${toDeviceRank(LAST_GOOD)} then 1 else 0 end) as integer) as reachable
      from subscriptions inner join users on users.id = subscriptions.user_id
        left join (${bestDevices(db, now)}) as own on own.user_id = users.id
      where users.suspended_at is null
      group by subscriptions.topic_id`.compile(db),
    db,
  );
