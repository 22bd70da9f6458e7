/** Notes once a day who is reachable, and the phones by make. */
import { sql } from 'kysely';
import { guessMake } from '../../src/shared/makes';
import { tableOfList } from '../db/json-table';
import { readInThread } from '../db/open';
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

const DAY = 24 * 60 * 60 * 1000;

export const isNotedToday = async (db: Database, now: number): Promise<boolean> =>
  (await db
    .selectFrom('insight_reach')
    .select('noted_at')
    .where('topic_id', '=', 0)
    .where('noted_at', '>=', Math.floor(now / DAY) * DAY)
    .limit(1)
    .executeTakeFirst()) !== undefined;

export async function noteDay(db: Database, now: number): Promise<void> {
  const { people } = await db
    .selectFrom('users')
    .where('suspended_at', 'is', null)
    .select(({ fn }) => fn.countAll<number>().as('people'))
    .executeTakeFirstOrThrow();
  const all = { topicId: 0, people: Number(people), reachable: await countReachable(db, now) };
  const byTeam = (await countReachableByTeam(db, now)).map((row) => ({
    ...row,
    topicId: -row.teamId,
  }));
  const reach = [all, ...(await countReachableByTopic(db, now)), ...byTeam].map((row) => [
    row.topicId,
    row.reachable,
    row.people,
  ]);
  const makes = await countMakes(db, now);
  const number = (place: number) => sql`cast(value->>${sql.lit(place)} as bigint)`;
  const at = sql`cast(${now} as bigint)`;
  await inTransaction(db, async (transaction) => {
    await sql`insert into insight_reach (topic_id, noted_at, reachable, people)
      select ${number(0)}, ${at}, ${number(1)}, ${number(2)} from ${tableOfList(reach)} where true on conflict do nothing`.execute(
      transaction,
    );
    await sql`insert into insight_makes (noted_at, make, devices, late, silent)
      select ${at}, value->>0, ${number(1)}, ${number(2)}, ${number(3)} from ${tableOfList(makes)} where true on conflict do nothing`.execute(
      transaction,
    );
  });
}

/** Make, devices, late and silent ones. Only states that rest on displays count, and no computers. */
async function countMakes(db: Database, now: number): Promise<[string, number, number, number][]> {
  const shown: readonly DeviceState[] = ['reachable', 'late', 'silent'];
  const rows = await readInThread(
    sql<
      Pick<DeviceRow, 'type'> & {
        model: string;
        isSamsung: number;
        state: DeviceState;
        devices: number;
      }
    >`
      select model, type, "isSamsung", state, count(*) as devices from
        (select coalesce(model, '') as model, type, ${deviceState(now)} as state,
          case when user_agent like '%SamsungBrowser%' then 1 else 0 end as "isSamsung"
          from devices inner join device_reach on device_reach.device_id = devices.id where type <> 'web') as phones
      group by model, type, "isSamsung", state`.compile(db),
    db,
  );
  const makes = new Map<string, [string, number, number, number]>();
  for (const { model, type, isSamsung, state, devices } of rows) {
    if (!shown.includes(state)) continue;
    const browser = isSamsung ? 'Samsung Internet' : '';
    const make = guessMake({ model: model.slice(0, MAX_MODEL), browser, deviceType: type });
    const row = makes.get(make) ?? [make, 0, 0, 0];
    row[1] += Number(devices);
    if (state === 'late') row[2] += Number(devices);
    if (state === 'silent') row[3] += Number(devices);
    makes.set(make, row);
  }
  return [...makes.values()];
}

/** Models are matched with patterns. */
const MAX_MODEL = 64;
