/**
 * For whom a message is: the one place that says who is in its audience, through which topic, and
 * which of their devices get it. All of it is asked of the database, which has topics with a hundred
 * thousand subscribers.
 */
import { sql } from 'kysely';
import type { DeviceType } from '../../src/shared/contract';
import type { Database } from '../db/open';
import { enabledOnDevice, subscribedDevices } from '../db/effective-preference';
import { tableOfIds } from '../db/json-table';
import { HttpError } from '../http/errors';

/** Topics, in the sender's order, and people who are named. */
export interface AudienceIds {
  topicIds: readonly number[];
  userIds: readonly number[];
}

/** Those whose ids are above `after`, and at most `upTo`; and `only` these, where some are named. */
export interface Range {
  after: number;
  upTo: number;
  only?: readonly number[] | undefined;
}
export const EVERYBODY: Range = { after: 0, upTo: Number.MAX_SAFE_INTEGER };

/**
 * Says how many there are: PostgreSQL takes any for a hundred, and would read all devices for the
 * subscribers of so many topics.
 */
const inNumber = (ids: readonly number[]): ReturnType<typeof tableOfIds> =>
  sql`(select id, position from ${tableOfIds(ids)} as given limit ${sql.lit(ids.length)})`;

/**
 * One row for each device of each way in which somebody is in the audience: by a topic, which has
 * its `position`, or by name. `enabled` is 1 or 0, and null for somebody without any device. Who is
 * named is reached whatever the switches say.
 */
export function waysIn(
  { topicIds, userIds }: AudienceIds,
  { after, upTo, only }: Range,
  db: Database,
) {
  const named = tableOfIds(only ?? []);
  const byTopic = subscribedDevices(db)
    .innerJoin(inNumber(topicIds).as('wanted'), (join) =>
      join.onRef('wanted.id', '=', 'subscriptions.topic_id'),
    )
    .where('subscriptions.user_id', '>', after)
    .where('subscriptions.user_id', '<=', upTo)
    .$if(only !== undefined, (query) =>
      query.where('subscriptions.user_id', 'in', sql<number>`(select id from ${named} as named)`),
    )
    .select([
      'subscriptions.user_id',
      sql<number | null>`wanted.position`.as('position'),
      sql<0 | 1>`0`.as('named'),
      'devices.id as device_id',
      'devices.type',
      'devices.service_id',
      enabledOnDevice.as('enabled'),
    ]);
  const byName = db
    .selectFrom('users')
    .innerJoin(inNumber(userIds).as('wanted'), (join) => join.onRef('wanted.id', '=', 'users.id'))
    .leftJoin('devices', 'devices.user_id', 'users.id')
    .where('users.id', '>', after)
    .where('users.id', '<=', upTo)
    .$if(only !== undefined, (query) =>
      query.where('users.id', 'in', sql<number>`(select id from ${named} as named)`),
    )
    .select([
      'users.id as user_id',
      sql<number | null>`cast(null as integer)`.as('position'),
      sql<0 | 1>`1`.as('named'),
      'devices.id as device_id',
      'devices.type',
      'devices.service_id',
      sql<0 | 1 | null>`case when devices.id is not null then 1 end`.as('enabled'),
    ]);
  return byTopic.unionAll(byName).as('reach');
}

/** Everybody in a range of the audience, without a look at their devices. */
export function peopleIn({ topicIds, userIds }: AudienceIds, { after, upTo }: Range, db: Database) {
  const byTopic = db
    .selectFrom('subscriptions')
    .where('topic_id', 'in', sql<number>`(select id from ${tableOfIds(topicIds)} as wanted)`)
    .where('user_id', '>', after)
    .where('user_id', '<=', upTo)
    .select('user_id');
  const byName = db
    .selectFrom('users')
    .where('id', 'in', sql<number>`(select id from ${tableOfIds(userIds)} as wanted)`)
    .where('id', '>', after)
    .where('id', '<=', upTo)
    .select('id as user_id');
  return byTopic.union(byName).as('people');
}

/** Somebody in the audience. */
export interface Member {
  userId: number;
  /** The first of the message's topics that they are in; null for who is only named. */
  topicId: number | null;
  named: 0 | 1;
  /** Those that get it. */
  devices: { id: number; type: DeviceType; serviceId: number }[];
  /** `muted`: they have devices, and switched all of the topics off on all of them. */
  state: 'unreachable' | 'muted' | 'pending';
}

/**
 * All of the audience in a range, in the order of their ids. @param recipientsOf only those who are
 * recipients of this message
 */
export async function readAudience(
  audience: AudienceIds,
  range: Range,
  db: Database,
  recipientsOf?: string,
): Promise<Member[]> {
  const rows = await db
    .selectFrom(waysIn(audience, range, db))
    .$if(recipientsOf !== undefined, (query) =>
      query.where(({ exists, selectFrom }) =>
        exists(
          selectFrom('recipients')
            .select('recipients.seq')
            .where('recipients.message_id', '=', recipientsOf ?? '')
            .whereRef('recipients.user_id', '=', 'reach.user_id'),
        ),
      ),
    )
    .select(({ fn }) => [
      'user_id',
      fn.min<number | null>('position').as('position'),
      fn.max<0 | 1>('named').as('named'),
      'device_id',
      'type',
      'service_id',
      fn.max<0 | 1 | null>('enabled').as('enabled'),
    ])
    .groupBy(['user_id', 'device_id', 'type', 'service_id'])
    .orderBy('user_id')
    .orderBy('device_id')
    .execute();
  const members: Member[] = [];
  for (const { user_id, position, named, device_id, type, service_id, enabled } of rows) {
    let member = members.at(-1);
    if (member?.userId !== user_id) {
      const topicId = position === null ? null : (audience.topicIds[position] ?? null);
      member = { userId: user_id, topicId, named, devices: [], state: 'unreachable' };
      members.push(member);
    }
    if (device_id === null || type === null || service_id === null) continue;
    if (enabled === 1) member.devices.push({ id: device_id, type, serviceId: service_id });
    member.state = member.devices.length > 0 ? 'pending' : 'muted';
  }
  return members;
}

/**
 * Where a range that begins after `after` has to end so that at most `most` people are in it.
 * @returns EVERYBODY's end if all that are left fit
 */
export async function endOfRange(
  audience: AudienceIds,
  after: number,
  most: number,
  db: Database,
): Promise<number> {
  const { topicIds, userIds } = audience;
  const ways = topicIds.length + (userIds.length > 0 ? 1 : 0);
  if (ways === 0) return EVERYBODY.upTo;
  // Each way in brings so many at most: every topic is asked for one row of its index.
  const each = Math.max(LEAST, Math.floor(most / ways));
  const named = userIds.filter((id) => id > after).sort((a, b) => a - b)[each - 1];
  const { rows } = await sql<{ end: number | null }>`
    select min(nth) as "end" from (select (select user_id from subscriptions
      where topic_id = wanted.id and user_id > ${after} order by user_id limit 1 offset ${sql.lit(each - 1)}) as nth
      from ${tableOfIds(topicIds)} as wanted) as ends`.execute(db);
  const end = Math.min(rows[0]?.end ?? EVERYBODY.upTo, named ?? EVERYBODY.upTo);
  if (each * ways <= most) return end;
  const last = await db
    .selectFrom(peopleIn(audience, { after, upTo: end }, db))
    .select('user_id')
    .orderBy('user_id')
    .limit(1)
    .offset(most - 1)
    .executeTakeFirst();
  return last?.user_id ?? end;
}

/** The people of many topics are often the same: fewer of each would make tiny ranges. */
const LEAST = 100;

/** @throws HttpError 400 for an id that does not exist */
export async function requireAll(
  table: 'topics' | 'users',
  ids: readonly number[],
  path: string,
  db: Database,
): Promise<void> {
  const wanted = new Set(ids);
  if (wanted.size === 0) return;
  const { found } = await db
    .selectFrom(table)
    .where('id', 'in', [...wanted])
    .select(({ fn }) => fn.countAll<number>().as('found'))
    .executeTakeFirstOrThrow();
  if (found === wanted.size) return;
  throw new HttpError(400, [
    { message: `This ${table === 'topics' ? 'topic' : 'user'} does not exist.`, path },
  ]);
}
