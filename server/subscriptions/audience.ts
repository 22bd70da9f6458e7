/**
 * How many people a message would be for, counted by the database: a topic may have a hundred
 * thousand subscribers.
 */
import { sql } from 'kysely';
import type { Audience, AudienceQuery } from '../../src/shared/contract';
import { accountPreference, effectiveEnabled, ownPreference } from '../db/effective-preference';
import type { Database } from '../db/open';
import { HttpError } from '../http/errors';

/**
 * Who is in several of the topics, or is named as well, counts once. One topic of several that is
 * not switched off is enough to be reached, and who is named is reached whatever the switches say.
 * @throws HttpError 400 for an id that does not exist
 */
export async function countAudience(
  { topicIds = [], userIds = [] }: AudienceQuery,
  db: Database,
): Promise<Audience> {
  await requireAll('topics', topicIds, 'topicIds', db);
  await requireAll('users', userIds, 'userIds', db);
  const people = subscribersAndNamed(topicIds, userIds, db);
  const counts = await db
    .selectFrom(people)
    .select(({ fn }) => [
      fn.countAll<number>().as('people'),
      fn
        .coalesce(fn.sum<number>(sql`case when enabled = 1 then 1 else 0 end`), sql<number>`0`)
        .as('reachable'),
      fn
        .coalesce(fn.sum<number>(sql`case when enabled = 0 then 1 else 0 end`), sql<number>`0`)
        .as('muted'),
    ])
    .executeTakeFirstOrThrow();
  const [total, reachable, muted] = [counts.people, counts.reachable, counts.muted].map(Number) as [
    number,
    number,
    number,
  ];
  return { people: total, reachable, muted, unreachable: total - reachable - muted, held: 0 };
}

/**
 * One row for each person: `enabled` is 1 or 0, the best of their devices, and null without any
 * device.
 */
function subscribersAndNamed(topicIds: number[], userIds: number[], db: Database) {
  const ofTopics = db
    .selectFrom('subscriptions')
    .leftJoin('devices', 'devices.user_id', 'subscriptions.user_id')
    .leftJoin(
      'device_preferences as own',
      ownPreference({ device: 'devices.id', topic: 'subscriptions.topic_id' }),
    )
    .leftJoin(
      'account_preferences as account',
      accountPreference({ user: 'subscriptions.user_id', topic: 'subscriptions.topic_id' }),
    )
    .where('subscriptions.topic_id', 'in', atLeastOne(topicIds))
    .select([
      'subscriptions.user_id',
      sql<number | null>`case when devices.id is not null then ${effectiveEnabled} end`.as(
        'enabled',
      ),
    ]);
  const named = db
    .selectFrom('users')
    .leftJoin('devices', 'devices.user_id', 'users.id')
    .where('users.id', 'in', atLeastOne(userIds))
    .select([
      'users.id as user_id',
      sql<number | null>`case when devices.id is not null then 1 end`.as('enabled'),
    ]);
  return db
    .selectFrom(ofTopics.unionAll(named).as('reach'))
    .select(({ fn }) => ['user_id', fn.max('enabled').as('enabled')])
    .groupBy('user_id')
    .as('people');
}

/** An empty list is no SQL, and 0 is no row's id. */
const atLeastOne = (ids: number[]): number[] => (ids.length > 0 ? ids : [0]);

async function requireAll(
  table: 'topics' | 'users',
  ids: number[],
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
