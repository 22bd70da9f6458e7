/** How well the sample's devices can be reached: mostly well, and every way in which not. */
import type { Insertable } from 'kysely';
import type { Database } from '../db/open';
import type { DeviceRow, Tables } from '../db/schema';

const MINUTE = 60 * 1000;
const DAY = 24 * 60 * MINUTE;

const ANDROID = (chrome: string) =>
  `Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${chrome}.0.0.0 Mobile Safari/537.36`;

/** What devices say of themselves when they are registered. */
export const PHONES = {
  android: [
    { user_agent: ANDROID('156'), model: 'SM-A047F', installed: 1 },
    { user_agent: ANDROID('155'), model: '2201117TG', installed: 1 },
    { user_agent: ANDROID('156'), model: 'Nokia G22', installed: 0 },
  ],
  ios: [
    {
      user_agent:
        'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
      model: null,
      installed: 1,
    },
  ],
  web: [
    {
      user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0',
      model: null,
      installed: 0,
    },
  ],
} as const;

type Reach = Insertable<Tables['device_reach']>;

/** Most were displayed something lately; of 20 people one each is late, silent, failing, untested. */
export async function insertReach(
  db: Database,
  now: number,
  devices: readonly DeviceRow[],
): Promise<void> {
  const owners = [...new Set(devices.map(({ user_id }) => user_id))];
  const rows = devices.flatMap((device) => {
    const nth = owners.indexOf(device.user_id);
    const at = now - DAY - nth * 7 * MINUTE;
    return reachOf(device.id, nth % 20, at) ?? [];
  });
  await db.insertInto('device_reach').values(rows).execute();
}

function reachOf(device_id: number, nth: number, accepted_at: number): Reach | undefined {
  const nothing = { device_id, refusals: 0, recent: '[]' };
  const accepted = { ...nothing, accepted_at, third_accepted_at: accepted_at - 5 * DAY };
  const displayed = (median_delay: number): Reach => ({
    ...accepted,
    displayed_at: accepted_at + median_delay,
    displayed_accepted_at: accepted_at,
    median_delay,
  });
  switch (nth) {
    case 4:
      return displayed(95_000);
    case 9: {
      const pushes = [0, 2, 5].map((days) => ['sample', accepted_at - days * DAY, null]);
      return { ...accepted, recent: JSON.stringify(pushes) };
    }
    case 14:
      return { ...nothing, refused_at: accepted_at, refused_reason: 'refused', refusals: 4 };
    case 18:
      return undefined;
    default:
      return displayed(1200 + nth * 150);
  }
}

/** Some have no device any more. */
export async function loseDevices(db: Database, now: number, people: number[]): Promise<void> {
  for (const [nth, id] of people.entries())
    await db
      .updateTable('users')
      .set({
        device_lost_at: now - (nth + 3) * 4 * DAY,
        device_lost_why: (['removed', 'blocked', 'gone'] as const)[nth % 3] ?? 'removed',
      })
      .where('id', '=', id)
      .execute();
}
