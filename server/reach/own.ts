/** A person's own devices, each with how well it can be reached. */
import type { OwnDevice } from '../../src/shared/contract';
import type { Database } from '../db/open';
import { toDevice } from '../devices/devices';
import { listReachDevices } from './devices';

/** Last seen first. */
export async function listOwnDevices(
  userId: number,
  db: Database,
  now: number,
): Promise<OwnDevice[]> {
  const rows = await db
    .selectFrom('devices')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('last_seen_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  const reach = (await listReachDevices([userId], db, now)).get(userId) ?? [];
  return rows.map((row) => {
    const found = reach.find(({ id }) => id === row.id);
    // Gone between the two questions: it says nothing of itself any more.
    return found === undefined ? toDevice(row) : { ...toDevice(row), reach: found };
  });
}
