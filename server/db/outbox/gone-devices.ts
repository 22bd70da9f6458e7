/** Devices that their push service no longer knows. */
import type { Transaction } from 'kysely';
import { lockForUpdate } from '../lock';
import { recordLostDevices } from '../device-reach/lost-devices';
import type { DeviceRow, Tables } from '../schema';
import type { ClaimedRecipient } from './claimed-push';

export type GoneDevice = Pick<DeviceRow, 'id' | 'type' | 'user_id' | 'service_id'>;

/** Deletes those that still hold the rejected token. Locks people before devices, in order. */
export async function deleteGone(
  dead: readonly ClaimedRecipient[],
  now: number,
  transaction: Transaction<Tables>,
): Promise<GoneDevice[]> {
  if (dead.length === 0) return [];
  const people = transaction
    .selectFrom('users')
    .select('id')
    .where(
      'id',
      'in',
      dead.map(({ userId }) => userId),
    )
    .orderBy('id');
  await lockForUpdate(people, transaction).execute();
  const gone: GoneDevice[] = [];
  for (const { deviceId, tokenHash } of [...dead].sort((a, b) => a.deviceId - b.deviceId)) {
    const deleted = await transaction
      .deleteFrom('devices')
      .where('id', '=', deviceId)
      .where('token_hash', '=', tokenHash)
      .returning(['id', 'type', 'user_id', 'service_id'])
      .executeTakeFirst();
    if (deleted !== undefined) gone.push(deleted);
  }
  const ownerIds = gone.map(({ user_id }) => user_id);
  await recordLostDevices(ownerIds, 'gone', now, transaction);
  return gone;
}
