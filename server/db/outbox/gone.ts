/** Devices that their push service knows no longer. */
import type { Transaction } from 'kysely';
import { takenAlone } from '../lock';
import { noteLostDevices } from '../device-reach/lost-devices';
import type { DeviceRow, Tables } from '../schema';
import type { ClaimedRecipient } from './claim';

export type GoneDevice = Pick<DeviceRow, 'id' | 'type' | 'user_id' | 'service_id'>;

/**
 * Deletes them: only while they still hold the token that was tried, because a device may have
 * registered a new one meanwhile. All in one order, people before devices, so that no two
 * transactions wait for each other.
 * @returns what they were
 */
export async function forgetGone(
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
  await takenAlone(people, transaction).execute();
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
  const losers = gone.map(({ user_id }) => user_id);
  await noteLostDevices(losers, 'gone', now, transaction);
  return gone;
}
