import type { Transaction } from 'kysely';
import type { DeviceRegistration, RegisteredDevice } from '../../src/shared/contract';
import { databaseFault } from '../db/errors';
import { lockForUpdate } from '../db/lock';
import { recordLostDevices } from '../db/device-reach/lost-devices';
import {
  findOrAddService,
  removeUnusedPushServices,
  getPushServiceName,
} from '../db/push-services';
import type { DeviceRow, Tables } from '../db/schema';
import type { Transact } from '../http/access/authority';
import { createDeviceKey, createDeviceKeyNonce } from '../http/access/device-key';
import { sha256 } from '../lib/sha256';
import type { Services } from '../services';
import { toDevice } from './devices';

/** Bounds what one account can make a message cost. */
const MAX_DEVICES_PER_PERSON = 20;
const MAX_REGISTRATION_ATTEMPTS = 5;

/** Retries if another request registered the same token between two steps. */
export async function retryOnTokenConflict<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (databaseFault(error) !== 'duplicate' || attempt === MAX_REGISTRATION_ATTEMPTS)
        throw error;
    }
  }
}

interface Registrant {
  userId: number;
  /** The session; it ends when the device is signed out. Null in the demo. */
  sid: string | null;
}

/**
 * The same installation with another token stays the same device. A token of another account
 * becomes a new one: under the old id, the former person's pushes would reach the new one.
 */
export async function registerDevice(
  device: DeviceRegistration,
  registrant: Registrant,
  transact: Transact,
  services: Services,
): Promise<RegisteredDevice> {
  const { db, now } = services;
  const { row, formerOwners } = await retryOnTokenConflict(() =>
    transact((transaction) => saveDevice(device, registrant, transaction, now()), {
      isExclusive: true,
    }),
  );
  // This runs after the transaction: two people with each other's token would deadlock.
  await recordLostDevices(formerOwners, 'replaced', now(), db);
  return { ...toDevice(row), deviceKey: createDeviceKey(row, services) };
}

async function saveDevice(
  device: DeviceRegistration,
  { userId, sid }: Registrant,
  transaction: Transaction<Tables>,
  now: number,
): Promise<{ row: DeviceRow; formerOwners: number[] }> {
  const token_hash = sha256(device.deviceToken);
  const { installationId, installed, model } = device;
  const changedFields = {
    user_id: userId,
    type: device.deviceType,
    user_agent: device.userAgent,
    last_seen_at: now,
    service_id: await findOrAddService(getPushServiceName(device.deviceToken), transaction),
    registered_hash: token_hash,
    session_id: sid,
    ...(installationId !== undefined && { installation_id: installationId }),
    ...(installed !== undefined && { installed: installed ? (1 as const) : (0 as const) }),
    ...(model !== undefined && { model }),
  };
  const token = { token: device.deviceToken, token_hash };
  const removedRows: DeviceRow[] = [];
  for (;;) {
    const lockedRows = await lockRows({ userId, installationId, token_hash }, transaction);
    const { ownDevice, otherDevices } = separateOwnDevice(lockedRows, { userId, token_hash });
    const ids = otherDevices.map(({ id }) => id);
    if (ids.length > 0) await transaction.deleteFrom('devices').where('id', 'in', ids).execute();
    removedRows.push(...otherDevices);
    const row = ownDevice
      ? await updateDevice(ownDevice, { ...changedFields, ...token }, transaction)
      : await transaction
          .insertInto('devices')
          .values({
            ...changedFields,
            ...token,
            created_at: now,
            key_nonce: createDeviceKeyNonce(),
          })
          .onConflict((conflict) => conflict.column('token_hash').doNothing())
          .returningAll()
          .executeTakeFirst();
    if (row === undefined) continue;
    await forgetOldest(userId, row.id, transaction);
    await removeUnusedPushServices(removedRows, transaction);
    return { row, formerOwners: removedRows.map(({ user_id }) => user_id) };
  }
}

interface DeviceLookup {
  userId: number;
  installationId?: string | undefined;
  token_hash: string;
}

/** Locks the token's device and this installation's, in one order: people may swap their tokens. */
function lockRows(
  { userId, installationId, token_hash }: DeviceLookup,
  transaction: Transaction<Tables>,
): Promise<DeviceRow[]> {
  const rows = transaction
    .selectFrom('devices')
    .selectAll()
    .where(({ and, or, eb }) =>
      installationId === undefined
        ? eb('token_hash', '=', token_hash)
        : or([
            eb('token_hash', '=', token_hash),
            and([eb('user_id', '=', userId), eb('installation_id', '=', installationId)]),
          ]),
    )
    .orderBy('id');
  return lockForUpdate(rows, transaction).execute();
}

function separateOwnDevice(
  rows: readonly DeviceRow[],
  { userId, token_hash }: DeviceLookup,
): { ownDevice: DeviceRow | undefined; otherDevices: DeviceRow[] } {
  const ownRows = rows
    .filter(({ user_id }) => user_id === userId)
    .sort((a, b) => b.last_seen_at - a.last_seen_at || b.id - a.id);
  const ownRow = ownRows.find((row) => row.token_hash === token_hash) ?? ownRows[0];
  return { ownDevice: ownRow, otherDevices: rows.filter((row) => row !== ownRow) };
}

export async function updateDevice(
  formerDevice: DeviceRow,
  change: Partial<DeviceRow>,
  transaction: Transaction<Tables>,
): Promise<DeviceRow> {
  const row = await transaction
    .updateTable('devices')
    .set(change)
    .where('id', '=', formerDevice.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (row.token_hash !== formerDevice.token_hash) await forgetRejections(row.id, transaction);
  if (row.service_id !== formerDevice.service_id)
    await removeUnusedPushServices([formerDevice], transaction);
  return row;
}

async function forgetRejections(deviceId: number, transaction: Transaction<Tables>): Promise<void> {
  await transaction
    .updateTable('device_reach')
    .set({ refused_at: null, refused_reason: null, refusals: 0 })
    .where('device_id', '=', deviceId)
    .execute();
}

/** The device that registers now stays, even if a wrong clock gave twenty others later times. */
async function forgetOldest(
  userId: number,
  maxDevices: number,
  transaction: Transaction<Tables>,
): Promise<void> {
  const deletedRows = await transaction
    .deleteFrom('devices')
    .where('user_id', '=', userId)
    .where('id', '!=', maxDevices)
    .where('id', 'not in', (build) =>
      build
        .selectFrom('devices')
        .select('id')
        .where('user_id', '=', userId)
        .where('id', '!=', maxDevices)
        .orderBy('last_seen_at', 'desc')
        .orderBy('id', 'desc')
        .limit(MAX_DEVICES_PER_PERSON - 1),
    )
    .returning('service_id')
    .execute();
  await removeUnusedPushServices(deletedRows, transaction);
}
