/** The devices on which people get their notifications. */
import type { Device } from '../../src/shared/contract';
import type { Database } from '../db/open';
import type { DeviceRow } from '../db/schema';
import { missing } from '../http/errors';

export const NO_SUCH_DEVICE = 'This device does not exist.';

export function toDevice(row: DeviceRow): Device {
  return {
    id: row.id,
    deviceToken: row.token,
    deviceType: row.type,
    userAgent: row.user_agent,
    createdAt: new Date(row.created_at).toISOString(),
    lastSeenAt: new Date(row.last_seen_at).toISOString(),
  };
}

/** @throws HttpError 404 if there is none, or it is somebody else's */
export async function findDevice(id: number, userId: number, db: Database): Promise<DeviceRow> {
  const row = await db
    .selectFrom('devices')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (row === undefined) throw missing(NO_SUCH_DEVICE);
  return row;
}
