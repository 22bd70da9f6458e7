/** How people lost their last device: it tells an administrator what to advise them. */
import type { Kysely } from 'kysely';
import type { Tables } from '../schema';
import type { UsersTable } from '../tables/accounts';

/**
 * Notes it of those of these people who have no device now. Nothing takes it back: it is read only
 * where there is no device.
 */
export async function noteLostDevices(
  userIds: readonly number[],
  why: NonNullable<UsersTable['device_lost_why']>,
  now: number,
  db: Kysely<Tables>,
): Promise<void> {
  if (userIds.length === 0) return;
  await db
    .updateTable('users')
    .set({ device_lost_at: now, device_lost_why: why })
    .where('id', 'in', userIds)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('devices').select('devices.id').whereRef('devices.user_id', '=', 'users.id'),
        ),
      ),
    )
    .execute();
}
