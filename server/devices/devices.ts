/** The devices on which people get their notifications. */
import { sql, type Transaction } from 'kysely';
import type { Device, DeviceRegistration, RegisteredDevice } from '../../src/shared/contract';
import type { Transact } from '../http/authority';
import { keyOf, makeKeyNonce } from '../http/device-key';
import { databaseFault } from '../db/errors';
import type { Database } from '../db/open';
import { findService, forgetUnused, serviceOf } from '../db/push-services';
import type { DeviceRow, Tables } from '../db/schema';
import { sha256 } from '../lib/sha256';
import { missing } from '../http/errors';
import { ended } from '../http/session';
import type { Services } from '../services';

export const NO_SUCH_DEVICE = 'This device does not exist.';
/** Enough for anyone; it bounds what one account can make a message cost. */
const MAX_DEVICES = 20;

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
  const row = await db
    .selectFrom('devices')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (row === undefined) throw missing(NO_SUCH_DEVICE);
  return row;
}

/**
 * Registers a device, or brings its row up to date. A token that another account had becomes a new
 * device of this one: under its old id, pushes on their way to the former person would reach the
 * new one, and its key would still be known there. Beyond twenty devices, those not seen for
 * longest go.
 */
export async function registerDevice(
  device: DeviceRegistration,
  userId: number,
  transact: Transact,
  services: Services,
): Promise<RegisteredDevice> {
  const now = services.now();
  const token_hash = sha256(device.deviceToken);
  const row = await transact(
    async (transaction) => {
      const service_id = await findService(serviceOf(device.deviceToken), transaction);
      const changing = {
        user_id: userId,
        type: device.deviceType,
        user_agent: device.userAgent,
        last_seen_at: now,
        service_id,
        registered_hash: token_hash,
      };
      for (;;) {
        await transaction
          .deleteFrom('devices')
          .where('token_hash', '=', token_hash)
          .where('user_id', '!=', userId)
          .execute();
        const kept = await transaction
          .insertInto('devices')
          .values({
            ...changing,
            token: device.deviceToken,
            token_hash,
            created_at: now,
            key_nonce: makeKeyNonce(),
          })
          // Only a row of one's own: another account may have registered the token since the line
          // above. Its key stays, unless an earlier version gave it none.
          .onConflict((taken) =>
            taken
              .column('token_hash')
              .doUpdateSet({
                ...changing,
                key_nonce: sql`coalesce(nullif(devices.key_nonce, ''), excluded.key_nonce)`,
              })
              .where('devices.user_id', '=', userId),
          )
          .returningAll()
          .executeTakeFirst();
        if (kept === undefined) continue;
        await forgetOldest(userId, kept.id, transaction);
        return kept;
      }
    },
    { alone: true },
  );
  return { ...toDevice(row), deviceKey: keyOf(row, services) };
}

/** Others register a token in the same moment no more often than this. */
const ATTEMPTS = 5;

/**
 * Gives a device another token, under the same id and key. A device that had the token goes: that of
 * somebody else, since the browser is this person's now, or a second one of the same browser.
 * @throws HttpError 401
 */
export async function replaceToken(
  id: number,
  deviceToken: string,
  transact: Transact,
  now: number,
): Promise<Device> {
  const token_hash = sha256(deviceToken);
  const change = async (): Promise<DeviceRow> =>
    transact(async (transaction) => {
      const service_id = await findService(serviceOf(deviceToken), transaction);
      const gone = await transaction
        .deleteFrom('devices')
        .where('token_hash', '=', token_hash)
        .where('id', '!=', id)
        .returning('service_id')
        .execute();
      const before = await transaction
        .selectFrom('devices')
        .select('service_id')
        .where('id', '=', id)
        .executeTakeFirstOrThrow(ended);
      const kept = await transaction
        .updateTable('devices')
        .set({
          token: deviceToken,
          token_hash,
          service_id,
          last_seen_at: now,
          ...(gone.length > 0 && { registered_hash: token_hash }), // its page was faster
        })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow(ended);
      await forgetServicesOf([...gone, before], transaction);
      return kept;
    });
  for (let attempt = 1; ; attempt += 1) {
    try {
      return toDevice(await change());
    } catch (error) {
      if (databaseFault(error) !== 'duplicate' || attempt === ATTEMPTS) throw error;
    }
  }
}

/**
 * The one that registers just now stays, even where a clock that was ahead has seen twenty others
 * later.
 */
async function forgetOldest(
  userId: number,
  kept: number,
  transaction: Transaction<Tables>,
): Promise<void> {
  const gone = await transaction
    .deleteFrom('devices')
    .where('user_id', '=', userId)
    .where('id', '!=', kept)
    .where('id', 'not in', (build) =>
      build
        .selectFrom('devices')
        .select('id')
        .where('user_id', '=', userId)
        .where('id', '!=', kept)
        .orderBy('last_seen_at', 'desc')
        .orderBy('id', 'desc')
        .limit(MAX_DEVICES - 1),
    )
    .returning('service_id')
    .execute();
  await forgetServicesOf(gone, transaction);
}

/** What made-up devices leave behind goes with them, rather than with the next cleanup. */
const forgetServicesOf = (
  gone: readonly Pick<DeviceRow, 'service_id'>[],
  transaction: Transaction<Tables>,
): Promise<void> =>
  forgetUnused([...new Set(gone.map(({ service_id }) => service_id))], transaction);

/**
 * Forgets the device if it is the user's, also by the token under which its page registered it: the
 * page may not know yet that the worker has replaced that. An unknown token is no error: it is as gone as it should
 * be.
 */
export async function unregisterDevice(
  deviceToken: string,
  userId: number,
  transaction: Transaction<Tables>,
): Promise<void> {
  const token_hash = sha256(deviceToken);
  const gone = await transaction
    .deleteFrom('devices')
    .where('user_id', '=', userId)
    .where((where) =>
      where.or([where('token_hash', '=', token_hash), where('registered_hash', '=', token_hash)]),
    )
    .returning('service_id')
    .execute();
  await forgetServicesOf(gone, transaction);
}
