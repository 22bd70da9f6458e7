import type { Device } from '../../src/shared/contract';
import type { Database } from '../db/open';
import type { DeviceRow } from '../db/schema';
import { notFoundError } from '../http/errors';
import { toTime } from '../lib/clock';

export const NO_SUCH_DEVICE = 'This device does not exist.';

export function toDevice(row: DeviceRow): Device {
  return {
    id: row.id,
    deviceToken: row.token,
    deviceType: row.type,
    userAgent: row.user_agent,
    createdAt: toTime(row.created_at),
    lastSeenAt: toTime(row.last_seen_at),
  };
}

/** @throws HttpError 404 if it does not exist or is someone else's */
export async function requireDevice(id: number, userId: number, db: Database): Promise<DeviceRow> {
  const row = await db
    .selectFrom('devices')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (row === undefined) throw notFoundError(NO_SUCH_DEVICE);
  return row;
}
