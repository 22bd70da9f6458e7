/** Records how people lost their last device, so an administrator can advise them. */
import type { Kysely } from 'kysely';
import type { Tables } from '../schema';
import type { UsersTable } from '../tables/accounts';

/** Stores the reason for people who have no device left. It is read only while they have none. */
export async function recordLostDevices(
  userIds: readonly number[],
  reason: NonNullable<UsersTable['device_lost_why']>,
  now: number,
  db: Kysely<Tables>,
): Promise<void> {
  if (userIds.length === 0) return;
  await db
    .updateTable('users')
    .set({ device_lost_at: now, device_lost_why: reason })
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
