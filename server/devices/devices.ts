/** The devices on which people get their notifications. */
import type { Device, DeviceRegistration } from '../../src/contract';
import type { Database } from '../db/open';
import type { DeviceRow } from '../db/schema';
import { hash } from '../hash';
import { missing } from '../http/errors';

export const NO_SUCH_DEVICE = 'This device does not exist.';
/** Enough for anyone; it bounds what one account can make a message cost. */
const MOST_DEVICES = 20;

function toDevice(row: DeviceRow): Device {
  return {
    id: row.id,
    deviceToken: row.token,
    deviceType: row.type,
    userAgent: row.user_agent,
    createdAt: new Date(row.created_at).toISOString(),
    lastSeenAt: new Date(row.last_seen_at).toISOString(),
  };
}

/** Last seen first. */
export async function listDevices(userId: number, db: Database): Promise<Device[]> {
  const rows = await db
    .selectFrom('devices')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('last_seen_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  return rows.map(toDevice);
}

/** @throws HttpError 404 if there is none, or it is somebody else's */
export async function findDevice(id: number, userId: number, db: Database): Promise<DeviceRow> {
  const row = await db.selectFrom('devices').selectAll().where('id', '=', id).where('user_id', '=', userId).executeTakeFirst();
  if (row === undefined) throw missing(NO_SUCH_DEVICE);
  return row;
}

/**
 * Registers a device, or brings its row up to date. A token that another account had becomes a new device of this
 * one: under its old id, what is still on its way to the former person would reach the new one.
 * Beyond twenty devices, those not seen for longest go.
 */
export async function registerDevice(device: DeviceRegistration, userId: number, db: Database, now: number): Promise<Device> {
  const token_hash = hash(device.deviceToken);
  const changing = { user_id: userId, type: device.deviceType, user_agent: device.userAgent, last_seen_at: now };
  const row = await db.transaction().execute(async (transaction) => {
    await transaction.deleteFrom('devices').where('token_hash', '=', token_hash).where('user_id', '!=', userId).execute();
    const kept = await transaction
      .insertInto('devices')
      .values({ ...changing, token: device.deviceToken, token_hash, created_at: now })
      .onConflict((conflict) => conflict.column('token_hash').doUpdateSet(changing))
      .returningAll()
      .executeTakeFirstOrThrow();
    await forgetOldest(userId, transaction);
    return kept;
  });
  return toDevice(row);
}

async function forgetOldest(userId: number, db: Database): Promise<void> {
  await db
    .deleteFrom('devices')
    .where('user_id', '=', userId)
    .where('id', 'not in', (build) =>
      build
        .selectFrom('devices')
        .select('id')
        .where('user_id', '=', userId)
        .orderBy('last_seen_at', 'desc')
        .orderBy('id', 'desc')
        .limit(MOST_DEVICES),
    )
    .execute();
}

/** Forgets the device if it is the user's. An unknown token is no error: it is as gone as it should be. */
export async function unregisterDevice(deviceToken: string, userId: number, db: Database): Promise<void> {
  await db.deleteFrom('devices').where('token_hash', '=', hash(deviceToken)).where('user_id', '=', userId).execute();
}
