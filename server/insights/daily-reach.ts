/** Records once a day how many people are reachable, and the phones by make. */
import { sql } from 'kysely';
import { guessMake } from '../../src/shared/phone-makes';
import { jsonTableOfList } from '../db/json-table';
import { queryInReadThread } from '../db/open';
import type { Database } from '../db/open';
import type { DeviceRow } from '../db/schema';
import { inTransaction } from '../db/transaction';
import {
  countReachable,
  countReachableByTeam,
  countReachableByTopic,
  deviceState,
} from '../reach/states';
import type { DeviceState } from '../reach/states';
import { DAY_MS } from '../lib/durations';

export const hasReachOfToday = async (db: Database, now: number): Promise<boolean> =>
  (await db
    .selectFrom('insight_reach')
    .select('noted_at')
    .where('topic_id', '=', 0)
    .where('noted_at', '>=', Math.floor(now / DAY_MS) * DAY_MS)
    .limit(1)
    .executeTakeFirst()) !== undefined;

export async function recordDailyReach(db: Database, now: number): Promise<void> {
  const { people } = await db
    .selectFrom('users')
    .where('suspended_at', 'is', null)
    .select(({ fn }) => fn.countAll<number>().as('people'))
    .executeTakeFirstOrThrow();
  const everyone = { topicId: 0, people: Number(people), reachable: await countReachable(db, now) };
  const byTeam = (await countReachableByTeam(db, now)).map((row) => ({
    ...row,
    topicId: -row.teamId,
  }));
  const reach = [everyone, ...(await countReachableByTopic(db, now)), ...byTeam].map((row) => [
    row.topicId,
    row.reachable,
    row.people,
  ]);
  const phones = await countPhones(db, now);
  const makeCounts = sumByMake(phones.map((row) => ({ ...row, topicId: 0 })));
  const partMakes = await countPartMakes(phones, db, now);
  const bigintAt = (place: number) => sql`cast(value->>${sql.lit(place)} as bigint)`;
  const at = sql`cast(${now} as bigint)`;
  await inTransaction(db, async (transaction) => {
    await sql`insert into insight_reach (topic_id, noted_at, reachable, people)
      select ${bigintAt(0)}, ${at}, ${bigintAt(1)}, ${bigintAt(2)} from ${jsonTableOfList(reach)} where true on conflict do nothing`.execute(
      transaction,
    );
    await sql`insert into insight_makes (noted_at, make, devices, late, silent)
      select ${at}, value->>1, ${bigintAt(2)}, ${bigintAt(3)}, ${bigintAt(4)} from ${jsonTableOfList(makeCounts)} where true on conflict do nothing`.execute(
      transaction,
    );
    // The screens show only the last count, so earlier rows are deleted.
    await transaction.deleteFrom('insight_part_makes').where('noted_at', '<', now).execute();
    await sql`insert into insight_part_makes (topic_id, make, noted_at, devices, late, silent)
      select ${bigintAt(0)}, value->>1, ${at}, ${bigintAt(2)}, ${bigintAt(3)}, ${bigintAt(4)} from ${jsonTableOfList(partMakes)} where true on conflict do nothing`.execute(
      transaction,
    );
  });
}

interface MakeCount {
  make: string;
  state: DeviceState;
  devices: number;
}
type PhoneKind = Pick<DeviceRow, 'type'> & { model: string; isSamsung: number };

const phonesByKind = (now: number) =>
  sql`(select devices.user_id, coalesce(model, '') as model, type, ${deviceState(now)} as state,
    case when user_agent like '%SamsungBrowser%' then 1 else 0 end as "isSamsung"
    from devices inner join device_reach on device_reach.device_id = devices.id where type <> 'web') as phones`;

/** Phones by model. Computers don't count. */
async function countPhones(db: Database, now: number): Promise<(PhoneKind & MakeCount)[]> {
  const rows = await queryInReadThread(
    sql<PhoneKind & Omit<MakeCount, 'make'>>`
      select model, type, "isSamsung", state, count(*) as devices from ${phonesByKind(now)}
      group by model, type, "isSamsung", state`.compile(db),
    db,
  );
  return rows.map((row) => ({
    ...row,
    make: guessMake({
      model: row.model.slice(0, MAX_MODEL_LENGTH),
      browser: row.isSamsung ? 'Samsung Internet' : '',
      deviceType: row.type,
    }),
  }));
}

/** Counts by topic, and by team as a negative number. Counting by make in SQL returns few rows. */
async function countPartMakes(
  phones: readonly (PhoneKind & MakeCount)[],
  db: Database,
  now: number,
): Promise<MakeRow[]> {
  const kinds = new Map(
    phones.map(({ model, type, isSamsung, make }) => {
      const kind = [model, type, Number(isSamsung)];
      return [JSON.stringify(kind), [...kind, make]];
    }),
  );
  const rows = await queryInReadThread(
    sql<MakeCount & { topicId: number }>`
      with kinds as materialized (select value->>0 as model, value->>1 as type, cast(value->>2 as integer) as "isSamsung", value->>3 as make
          from ${jsonTableOfList([...kinds.values()])}),
        owned as materialized (select user_id, make, state, count(*) as devices from ${phonesByKind(now)}
          inner join kinds on kinds.model = phones.model and kinds.type = phones.type and kinds."isSamsung" = phones."isSamsung"
          group by user_id, make, state)
      select topic_id as "topicId", make, state, cast(sum(devices) as integer) as devices
        from owned inner join subscriptions on subscriptions.user_id = owned.user_id group by topic_id, make, state
      union all select -team_id, make, state, cast(sum(devices) as integer)
        from owned inner join team_members on team_members.user_id = owned.user_id group by team_id, make, state`.compile(
      db,
    ),
    db,
  );
  return sumByMake(rows);
}

type MakeRow = [topicId: number, make: string, devices: number, late: number, silent: number];

/** Counts only states that displays decide. */
function sumByMake(rows: readonly (MakeCount & { topicId: number })[]): MakeRow[] {
  const shownStates: readonly DeviceState[] = ['reachable', 'late', 'silent'];
  const rowsByMake = new Map<string, MakeRow>();
  for (const { topicId, make, state, devices } of rows) {
    if (!shownStates.includes(state)) continue;
    const sum: MakeRow = rowsByMake.get(`${topicId} ${make}`) ?? [Number(topicId), make, 0, 0, 0];
    sum[2] += Number(devices);
    if (state === 'late') sum[3] += Number(devices);
    if (state === 'silent') sum[4] += Number(devices);
    rowsByMake.set(`${topicId} ${make}`, sum);
  }
  return [...rowsByMake.values()];
}

/** Models are matched with patterns. */
const MAX_MODEL_LENGTH = 64;
