/**
 * How well devices and people can be reached: the one place that says so. It is worked out by the
 * database, for ten thousand people as for one device.
 */
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { ReachState } from '../../src/shared/contract';
import { readInThread } from '../db/open';
import type { Database } from '../db/open';

const DAY = 24 * 60 * 60 * 1000;
/** What is longer ago says nothing about now. */
export const RECENT = 14 * DAY;
/** Milliseconds from accepted to displayed: what takes longer is late. */
const LATE = 60_000;

/** Of a device, from good to bad. A person's is that of their best device. */
const DEVICE_STATES = ['reachable', 'late', 'untested', 'silent', 'failing'] as const;
export type DeviceState = (typeof DEVICE_STATES)[number];

/** What needs attention first, then who can be reached. */
export const PEOPLE_STATES = [
  'failing',
  'silent',
  'no_device',
  'untested',
  'pending',
  'late',
  'reachable',
] as const satisfies readonly ReachState[];
/** These can be reached: all others need attention. */
export const REACHED: readonly ReachState[] = ['late', 'reachable'];

/**
 * Of a device, where `devices` and `device_reach` are left-joined; the order of the questions is the
 * definition. Refused since anything was accepted: failing. Three accepted in 14 days, and none of
 * what was accepted in them displayed: silent. Slow, by the median: late. Nothing ever displayed:
 * untested. No traffic is never silence.
 */
const deviceRank = (now: number): RawBuilder<number> => {
  const since = now - RECENT;
  return sql<number>`case
    when device_reach.refused_at is not null then ${rankOf('failing')}
    when device_reach.third_accepted_at >= ${since} and coalesce(device_reach.displayed_accepted_at, 0) < ${since} then ${rankOf('silent')}
    when device_reach.median_delay > ${sql.lit(LATE)} then ${rankOf('late')}
    when device_reach.displayed_at is null then ${rankOf('untested')}
    else ${rankOf('reachable')} end`;
};
const rankOf = (state: DeviceState): RawBuilder<number> => sql.lit(DEVICE_STATES.indexOf(state));

/** The name of what `deviceRank` says. */
const nameOf = (rank: RawBuilder<number>): RawBuilder<DeviceState> =>
  sql<DeviceState>`case ${rank} ${sql.raw(DEVICE_STATES.map((state, nth) => `when ${nth} then '${state}'`).join(' '))} end`;

export const deviceState = (now: number): RawBuilder<DeviceState> => nameOf(deviceRank(now));

/**
 * People by id, each with the rank of their best device; who has none is not among them. For
 * everybody at once: PostgreSQL takes more than twice as long to look them up for each person.
 */
export const bestDevices = (db: Database, now: number) =>
  db
    .selectFrom('devices')
    .leftJoin('device_reach', 'device_reach.device_id', 'devices.id')
    .select('devices.user_id')
    .select(({ fn }) => fn.min(deviceRank(now)).as('best'))
    .groupBy('devices.user_id');

/** A person's place in `PEOPLE_STATES`, where `bestDevices` (as `own`) is left-joined to `users`. */
export const personPlace = sql<number>`case when users.status = 'PENDING' then ${placeOf('pending')}
  else case own.best ${sql.join(
    DEVICE_STATES.map((state) => sql`when ${rankOf(state)} then ${placeOf(state)}`),
    sql` `,
  )} else ${placeOf('no_device')} end end`;

function placeOf(state: ReachState): RawBuilder<number> {
  return sql.lit(PEOPLE_STATES.indexOf(state));
}

/** The worst state in which a device still reaches its person: ranks go from good to bad. */
const LAST_GOOD = DEVICE_STATES.findLast((state) => REACHED.includes(state)) ?? 'reachable';

/**
 * How many people can be reached. Asked as a border: of a list of ranks PostgreSQL expects one row in
 * a hundred, and then looks up each of twenty thousand devices by itself.
 */
export async function countReachable(db: Database, now: number): Promise<number> {
  const asked = sql<{ people: number }>`select count(*) as people from users
    where status = 'ACTIVE' and exists (select 1 from devices
      inner join device_reach on device_reach.device_id = devices.id
      where devices.user_id = users.id and ${deviceRank(now)} <= ${rankOf(LAST_GOOD)})`;
  const [counted] = await readInThread(asked.compile(db), db);
  return Number(counted?.people);
}
