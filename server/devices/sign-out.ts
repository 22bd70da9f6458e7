import type { Transaction } from 'kysely';
import { ADMINISTRATORS_LOCK } from '../accounts/users';
import { recordAudit } from '../audit/record-audit';
import { lockForUpdate } from '../db/lock';
import { recordLostDevices } from '../db/device-reach/lost-devices';
import { removeUnusedPushServices } from '../db/push-services';
import type { DeviceRow, Tables } from '../db/schema';
import type { Transact } from '../http/access/authority';
import { notFoundError } from '../http/errors';
import { latestSessionEnd } from '../http/access/session';
import { countedNoun } from '../lib/counted-noun';
import { sha256 } from '../lib/sha256';
import { parseBrowserName } from './browser';
import { NO_SUCH_DEVICE } from './devices';

/** @throws HttpError 404 if it does not exist or is someone else's */
export async function signOutDevice(
  id: number,
  userId: number,
  transact: Transact,
  now: number,
): Promise<void> {
  await transact((transaction) => deleteDevice({ id, userId }, 'signed_out', now, transaction), {
    isExclusive: true,
  });
}

/**
 * Signs out anyone's device, for administrators.
 * @throws HttpError 404
 */
export async function removeDevice(id: number, transact: Transact, now: number): Promise<void> {
  await transact(
    async (transaction) => {
      const { user_id } = await transaction
        .selectFrom('devices')
        .select('user_id')
        .where('id', '=', id)
        .executeTakeFirstOrThrow(() => notFoundError(NO_SUCH_DEVICE));
      // Calls of the device's session lock this row, so the removal waits for them.
      const person = transaction.selectFrom('users').select('id').where('id', '=', user_id);
      await lockForUpdate(person, transaction).execute();
      await deleteDevice({ id, userId: user_id }, 'removed', now, transaction);
    },
    // Two administrators who remove each other's devices would deadlock.
    { lock: ADMINISTRATORS_LOCK, isExclusive: true },
  );
}

async function deleteDevice(
  { id, userId }: { id: number; userId: number },
  reason: 'signed_out' | 'removed',
  now: number,
  transaction: Transaction<Tables>,
): Promise<void> {
  const device = await transaction
    .deleteFrom('devices')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning(['service_id', 'session_id', 'type', 'user_agent'])
    .executeTakeFirstOrThrow(() => notFoundError(NO_SUCH_DEVICE));
  const otherDevices =
    device.session_id === null ? [] : await endSession(device.session_id, userId, now, transaction);
  await recordLostDevices([userId], reason, now, transaction);
  const detail = describeDevice(device, otherDevices.length);
  await recordAudit({ action: 'device.remove', person: userId, detail }, transaction);
  await removeUnusedPushServices([device, ...otherDevices], transaction);
}

const TYPES = { android: 'Android', ios: 'iPhone or iPad', web: 'computer' };

function describeDevice(
  { type, user_agent }: Pick<DeviceRow, 'type' | 'user_agent'>,
  otherCount: number,
) {
  const words = [parseBrowserName(user_agent), TYPES[type]]
    .filter((word) => word !== '')
    .join(', ');
  return otherCount === 0
    ? words
    : `${words}, and ${countedNoun(otherCount, 'more device')} of the same session`;
}

/** Ends all devices of the session: one browser could otherwise keep it by registering more. */
export async function endSession(
  session_id: string,
  user_id: number,
  now: number,
  transaction: Transaction<Tables>,
): Promise<Pick<DeviceRow, 'service_id'>[]> {
  await transaction
    .insertInto('ended_sessions')
    .values({ session_id, user_id, ends_at: latestSessionEnd(now) })
    .onConflict((conflict) => conflict.column('session_id').doNothing())
    .execute();
  return transaction
    .deleteFrom('devices')
    .where('user_id', '=', user_id)
    .where('session_id', '=', session_id)
    .returning('service_id')
    .execute();
}

interface Unregistration {
  deviceToken: string;
  reason?: 'blocked' | undefined;
}

/** Finds a device also by the token it registered with: the page may not know of the worker's renewal. */
export async function unregisterDevice(
  { deviceToken, reason }: Unregistration,
  userId: number,
  transact: Transact,
  now: number,
): Promise<void> {
  const token_hash = sha256(deviceToken);
  await transact(
    async (transaction) => {
      const device = await transaction
        .deleteFrom('devices')
        .where('user_id', '=', userId)
        .where((builder) =>
          builder.or([
            builder('token_hash', '=', token_hash),
            builder('registered_hash', '=', token_hash),
          ]),
        )
        .returning('service_id')
        .execute();
      // The push service may have noticed the block first.
      if (device.length > 0 || reason === 'blocked')
        await recordLostDevices([userId], reason ?? 'signed_out', now, transaction);
      await removeUnusedPushServices(device, transaction);
    },
    { isExclusive: true },
  );
}
