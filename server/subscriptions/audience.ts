/** Defines a message's audience, in SQL: a topic may have a hundred thousand subscribers. */
import { sql } from 'kysely';
import type { DeviceType } from '../../src/shared/contract';
import type { Database } from '../db/open';
import { enabledOnDevice, subscribedDevices } from '../db/effective-preference';
import { idList, idTable } from '../db/json-table';
import { HttpError } from '../http/errors';

/** Topics in the sender's order, named people, and teams, whose members count as named. */
export interface AudienceIds {
  topicIds: readonly number[];
  userIds: readonly number[];
  teamIds?: readonly number[];
  /** The person whom an alarm is about is never a recipient. */
  exceptUserId?: number | undefined;
}

/** Ids above `after` up to `upTo`; with `only`, just those among them. */
export interface IdRange {
  after: number;
  upTo: number;
  only?: readonly number[] | undefined;
}
export const FULL_RANGE: IdRange = { after: 0, upTo: Number.MAX_SAFE_INTEGER };

/** The limit shows PostgreSQL the number: it would guess a hundred. */
const tableOfWanted = (ids: readonly number[]): ReturnType<typeof idTable> =>
  sql`(select id, position from ${idTable(ids)} as given limit ${sql.lit(ids.length)})`;

/**
 * PostgreSQL knows how many people the topics have if they are separate values. For a list, it
 * expects the average, and reads all people for a message to twenty.
 */
const MAX_TOPIC_VALUES = 16;
const asValues = (ids: readonly number[]): number[] | undefined =>
  ids.length > 0 && ids.length <= MAX_TOPIC_VALUES ? [...ids] : undefined;

/** Suspended people are in no audience. A partial index holds their ids. */
const suspendedPeople = sql<number>`(select id from users where suspended_at is not null)`;

/** A device of someone who is named, or in a named team. */
const NAMED_DEVICE = [
  sql<number | null>`cast(null as integer)`.as('position'),
  sql<0 | 1>`1`.as('named'),
  'devices.id as device_id',
  'devices.type',
  'devices.service_id',
  sql<0 | 1 | null>`case when devices.id is not null then 1 end`.as('enabled'),
] as const;

/**
 * A row for each device and each reason why its person is in the audience. `enabled` is null
 * without devices; people who were chosen by name get the message on all devices, whatever their
 * topic settings.
 */
export function audienceDevices(
  { topicIds, userIds, teamIds = [], exceptUserId }: AudienceIds,
  { after, upTo, only }: IdRange,
  db: Database,
) {
  const isExcepted = exceptUserId !== undefined;
  const namedUsers = idTable(only ?? []);
  const topicValues = asValues(topicIds);
  const byTopic = subscribedDevices(db)
    .innerJoin(tableOfWanted(topicIds).as('wanted'), (join) =>
      join.onRef('wanted.id', '=', 'subscriptions.topic_id'),
    )
    .where('subscriptions.user_id', '>', after)
    .where('subscriptions.user_id', '<=', upTo)
    .where('subscriptions.user_id', 'not in', suspendedPeople)
    .$if(isExcepted, (query) => query.where('subscriptions.user_id', '<>', exceptUserId ?? 0))
    .$if(topicValues !== undefined, (query) =>
      query.where('subscriptions.topic_id', 'in', topicValues ?? []),
    )
    // SQLite would read all subscriptions, and find none.
    .$if(topicIds.length === 0, (query) => query.where(sql<boolean>`false`))
    .$if(only !== undefined, (query) =>
      query.where(
        'subscriptions.user_id',
        'in',
        sql<number>`(select id from ${namedUsers} as named)`,
      ),
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
    .innerJoin(tableOfWanted(userIds).as('wanted'), (join) =>
      join.onRef('wanted.id', '=', 'users.id'),
    )
    .leftJoin('devices', 'devices.user_id', 'users.id')
    .where('users.id', '>', after)
    .where('users.id', '<=', upTo)
    .where('users.suspended_at', 'is', null)
    .$if(isExcepted, (query) => query.where('users.id', '<>', exceptUserId ?? 0))
    .$if(only !== undefined, (query) =>
      query.where('users.id', 'in', sql<number>`(select id from ${namedUsers} as named)`),
    )
    .select(['users.id as user_id', ...NAMED_DEVICE]);
  if (teamIds.length === 0) return byTopic.unionAll(byName).as('audience');
  const byTeam = db
    .selectFrom('team_members')
    .innerJoin(tableOfWanted(teamIds).as('wanted'), (join) =>
      join.onRef('wanted.id', '=', 'team_members.team_id'),
    )
    .leftJoin('devices', 'devices.user_id', 'team_members.user_id')
    .where('team_members.user_id', '>', after)
    .where('team_members.user_id', '<=', upTo)
    .where('team_members.user_id', 'not in', suspendedPeople)
    .$if(isExcepted, (query) => query.where('team_members.user_id', '<>', exceptUserId ?? 0))
    .$if(only !== undefined, (query) =>
      query.where(
        'team_members.user_id',
        'in',
        sql<number>`(select id from ${namedUsers} as named)`,
      ),
    )
    .select(['team_members.user_id', ...NAMED_DEVICE]);
  return byTopic.unionAll(byName).unionAll(byTeam).as('audience');
}

/** People in a range of the audience, without their devices. */
export function selectAudiencePeople(
  { topicIds, userIds, teamIds = [], exceptUserId }: AudienceIds,
  { after, upTo }: IdRange,
  db: Database,
) {
  const isExcepted = exceptUserId !== undefined;
  const byTopic = db
    .selectFrom('subscriptions')
    .where(
      'topic_id',
      'in',
      asValues(topicIds) ?? sql<number>`(select id from ${idTable(topicIds)} as wanted)`,
    )
    .where('user_id', '>', after)
    .where('user_id', '<=', upTo)
    .where('user_id', 'not in', suspendedPeople)
    .$if(isExcepted, (query) => query.where('user_id', '<>', exceptUserId ?? 0))
    .select('user_id');
  const byName = db
    .selectFrom('users')
    .where('id', 'in', sql<number>`(select id from ${idTable(userIds)} as wanted)`)
    .where('id', '>', after)
    .where('id', '<=', upTo)
    .where('suspended_at', 'is', null)
    .$if(isExcepted, (query) => query.where('id', '<>', exceptUserId ?? 0))
    .select('id as user_id');
  if (teamIds.length === 0) return byTopic.union(byName).as('people');
  const byTeam = db
    .selectFrom('team_members')
    .where('team_id', 'in', sql<number>`(select id from ${idTable(teamIds)} as wanted)`)
    .where('user_id', '>', after)
    .where('user_id', '<=', upTo)
    .where('user_id', 'not in', suspendedPeople)
    .$if(isExcepted, (query) => query.where('user_id', '<>', exceptUserId ?? 0))
    .select('user_id');
  return byTopic.union(byName).union(byTeam).as('people');
}

const isInTeam = (teamIds: readonly number[]) =>
  sql<boolean>`users.id in (select user_id from team_members where team_id in ${idList(teamIds)})`;

/** How many suspended people would belong to the audience. */
export async function countSuspended(
  { topicIds, userIds, teamIds = [] }: AudienceIds,
  db: Database,
): Promise<number> {
  const { total } = await db
    .selectFrom('users')
    .where('suspended_at', 'is not', null)
    .where(({ or, exists, selectFrom }) =>
      or([
        sql<boolean>`users.id in ${idList(userIds)}`,
        ...(teamIds.length > 0 ? [isInTeam(teamIds)] : []),
        exists(
          selectFrom('subscriptions')
            .select('subscriptions.user_id')
            .whereRef('subscriptions.user_id', '=', 'users.id')
            .where('topic_id', 'in', idList(topicIds)),
        ),
      ]),
    )
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return Number(total);
}

export interface AudienceMember {
  userId: number;
  /** The first topic that includes the person; null for a person who is only named. */
  topicId: number | null;
  named: 0 | 1;
  devices: { id: number; type: DeviceType; serviceId: number }[];
  /** `muted`: they muted all topics on all their devices. */
  state: 'unreachable' | 'muted' | 'pending';
}

/**
 * A range of the audience by id.
 * @param recipientsOf only recipients of this message
 */
export async function readAudience(
  audience: AudienceIds,
  range: IdRange,
  db: Database,
  recipientsOf?: string,
): Promise<AudienceMember[]> {
  const rows = await db
    .selectFrom(audienceDevices(audience, range, db))
    .$if(recipientsOf !== undefined, (query) =>
      query.where(({ exists, selectFrom }) =>
        exists(
          selectFrom('recipients')
            .select('recipients.seq')
            .where('recipients.message_id', '=', recipientsOf ?? '')
            .whereRef('recipients.user_id', '=', 'audience.user_id'),
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
  const members: AudienceMember[] = [];
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

/** The end of a range behind `after` with at most `max` people; `FULL_RANGE`'s for the last one. */
export async function findRangeEnd(
  audience: AudienceIds,
  after: number,
  max: number,
  db: Database,
): Promise<number> {
  const { topicIds, userIds, teamIds = [] } = audience;
  const sources = topicIds.length + teamIds.length + (userIds.length > 0 ? 1 : 0);
  if (sources === 0) return FULL_RANGE.upTo;
  // Reads one row of the index for each topic, which adds this many people at most.
  const sourceSize = Math.max(MIN_PER_SOURCE, Math.floor(max / sources));
  const lastUserId = userIds.filter((id) => id > after).sort((a, b) => a - b)[sourceSize - 1];
  const nth = { after, offset: sourceSize - 1 };
  const end = Math.min(
    topicIds.length > 0
      ? await findRangeEndInEach('subscriptions', topicIds, nth, db)
      : FULL_RANGE.upTo,
    teamIds.length > 0
      ? await findRangeEndInEach('team_members', teamIds, nth, db)
      : FULL_RANGE.upTo,
    lastUserId ?? FULL_RANGE.upTo,
  );
  if (sourceSize * sources <= max) return end;
  const lastRow = await db
    .selectFrom(selectAudiencePeople(audience, { after, upTo: end }, db))
    .select('user_id')
    .orderBy('user_id')
    .limit(1)
    .offset(max - 1)
    .executeTakeFirst();
  return lastRow?.user_id ?? end;
}

/** Topics often share people: with fewer of each, ranges would be tiny. */
const MIN_PER_SOURCE = 100;

/** The first of the people who are `offset` places behind `after` in each topic or team. */
async function findRangeEndInEach(
  table: 'subscriptions' | 'team_members',
  ids: readonly number[],
  { after, offset }: { after: number; offset: number },
  db: Database,
): Promise<number> {
  const column = sql.ref(table === 'subscriptions' ? 'topic_id' : 'team_id');
  const { rows } = await sql<{ end: number | null }>`
    select min(nth) as "end" from (select (select user_id from ${sql.table(table)}
      where ${column} = wanted.id and user_id > ${after} order by user_id limit 1 offset ${sql.lit(offset)}) as nth
      from ${idTable(ids)} as wanted) as ends`.execute(db);
  return rows[0]?.end ?? FULL_RANGE.upTo;
}

/** @throws HttpError 400 for an unknown id */
export async function requireKnownIds(
  table: 'topics' | 'users' | 'teams',
  ids: readonly number[],
  path: string,
  db: Database,
): Promise<void> {
  const idSet = new Set(ids);
  if (idSet.size === 0) return;
  const { knownCount } = await db
    .selectFrom(table)
    .where('id', 'in', [...idSet])
    .select(({ fn }) => fn.countAll<number>().as('knownCount'))
    .executeTakeFirstOrThrow();
  if (knownCount === idSet.size) return;
  throw new HttpError(400, [{ message: `This ${table.slice(0, -1)} does not exist.`, path }]);
}
