/** Devices that their push service no longer knows. */
import type { Transaction } from 'kysely';
import { lockForUpdate } from '../lock';
import { recordLostDevices } from '../device-reach/lost-devices';
import type { DeviceRow, Tables } from '../schema';
import type { ClaimedRecipient } from './claimed-push';

export type GoneDevice = Pick<DeviceRow, 'id' | 'type' | 'user_id' | 'service_id'>;

/** Deletes those that still hold the rejected token. Locks people before devices, in order. */
export async function deleteGone(
  recipients: readonly ClaimedRecipient[],
  now: number,
  transaction: Transaction<Tables>,
): Promise<GoneDevice[]> {
  if (recipients.length === 0) return [];
  const people = transaction
    .selectFrom('users')
    .select('id')
    .where(
      'id',
      'in',
      recipients.map(({ userId }) => userId),
    )
    .orderBy('id');
  await lockForUpdate(people, transaction).execute();
  const goneDevices: GoneDevice[] = [];
  for (const { deviceId, tokenHash } of [...recipients].sort((a, b) => a.deviceId - b.deviceId)) {
    const deletedDevices = await transaction
      .deleteFrom('devices')
      .where('id', '=', deviceId)
      .where('token_hash', '=', tokenHash)
      .returning(['id', 'type', 'user_id', 'service_id'])
      .executeTakeFirst();
    if (deletedDevices !== undefined) goneDevices.push(deletedDevices);
  }
  const ownerIds = goneDevices.map(({ user_id }) => user_id);
  await recordLostDevices(ownerIds, 'gone', now, transaction);
  return goneDevices;
}
