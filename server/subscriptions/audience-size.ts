/** Counts a message's audience, in ranges, so that no statement takes longer for a larger one. */
import { sql } from 'kysely';
import type { Audience, AudienceQuery } from '../../src/shared/contract';
import type { Database } from '../db/open';
import { yieldToEventLoop } from '../lib/loop';
import { createQuietHoursEndCache } from '../quiet-hours/hours';
import {
  FULL_RANGE,
  countSuspended,
  findRangeEnd,
  selectAudiencePeople,
  requireKnownIds,
  audienceDevices,
} from './audience';
import type { AudienceIds, IdRange } from './audience';
import { toTime } from '../lib/clock';

/** People in a range; it takes a tenth of a second at most. */
const RANGE_SIZE = 20_000;

async function* audienceRanges(
  audience: AudienceIds,
  db: Database,
  size: number,
): AsyncGenerator<IdRange, void> {
  for (let after = 0; after < FULL_RANGE.upTo; ) {
    const upTo = await findRangeEnd(audience, after, size, db);
    if (after > 0) await yieldToEventLoop();
    yield { after, upTo };
    after = upTo;
  }
}

export async function countPeople(
  audience: AudienceIds,
  db: Database,
  rangeSize = RANGE_SIZE,
): Promise<number> {
  let people = 0;
  for await (const range of audienceRanges(audience, db, rangeSize)) {
    const { total } = await db
      .selectFrom(selectAudiencePeople(audience, range, db))
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    people += total;
  }
  return people;
}

/**
 * Each person counts once; one topic that is not muted is enough.
 * @throws HttpError 400
 */
export async function countAudience(
  { topicIds = [], userIds = [], teamIds = [], priority }: AudienceQuery,
  db: Database,
  now: number,
  rangeSize = RANGE_SIZE,
): Promise<Audience> {
  await requireKnownIds('topics', topicIds, 'topicIds', db);
  await requireKnownIds('users', userIds, 'userIds', db);
  await requireKnownIds('teams', teamIds, 'teamIds', db);
  const audience = { topicIds, userIds, teamIds };
  let [people, reachable, muted, held] = [0, 0, 0, 0];
  let heldUntil: number | undefined;
  for await (const range of audienceRanges(audience, db, rangeSize)) {
    const counts = await countReached(audience, range, db);
    people += counts.people;
    reachable += counts.reachable;
    muted += counts.muted;
    if (priority !== 'info') continue;
    const heldPeople = await countHeld(audience, range, db, now);
    held += heldPeople.held;
    heldUntil = laterTime(heldUntil, heldPeople.heldUntil);
  }
  const suspendedCount = await countSuspended(audience, db);
  return {
    people,
    ...(suspendedCount > 0 && { suspended: suspendedCount }),
    reachable: reachable - held,
    muted,
    unreachable: people - reachable - muted,
    held,
    heldUntil: heldUntil === undefined ? null : toTime(heldUntil),
  };
}

const laterTime = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);

async function countReached(
  audience: AudienceIds,
  range: IdRange,
  db: Database,
): Promise<{ people: number; reachable: number; muted: number }> {
  const perPerson = db
    .selectFrom(audienceDevices(audience, range, db))
    .select(({ fn }) => ['user_id', fn.max('enabled').as('enabled')])
    .groupBy('user_id')
    .as('people');
  const sumEnabled = (enabled: 0 | 1) =>
    sql<number>`coalesce(sum(case when enabled = ${sql.lit(enabled)} then 1 else 0 end), 0)`;
  const { people, reachable, muted } = await db
    .selectFrom(perPerson)
    .select(({ fn }) => [
      fn.countAll<number>().as('people'),
      sumEnabled(1).as('reachable'),
      sumEnabled(0).as('muted'),
    ])
    .executeTakeFirstOrThrow();
  return { people, reachable: Number(reachable), muted: Number(muted) };
}

/** People in quiet hours who would be notified otherwise, and the last end. */
async function countHeld(
  audience: AudienceIds,
  range: IdRange,
  db: Database,
  now: number,
): Promise<{ held: number; heldUntil: number | undefined }> {
  const rows = await db
    .selectFrom((build) =>
      build
        .selectFrom(audienceDevices(audience, range, db))
        .where('enabled', '=', 1)
        .select('user_id')
        .distinct()
        .as('people'),
    )
    .innerJoin('quiet_hours', 'quiet_hours.user_id', 'people.user_id')
    .select(({ fn }) => ['time_zone', 'rules', fn.countAll<number>().as('count')])
    .groupBy(['time_zone', 'rules'])
    .execute();
  const findQuietHoursEnd = createQuietHoursEndCache(now);
  let heldCount = 0;
  let heldUntil: number | undefined;
  for (const row of rows) {
    const until = findQuietHoursEnd(row);
    if (until === undefined) continue;
    heldCount += Number(row.count);
    heldUntil = laterTime(heldUntil, until);
  }
  return { held: heldCount, heldUntil };
}
