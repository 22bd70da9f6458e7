/** Which devices a topic reaches: the device's own setting, else the account's, else enabled. */
import { sql } from 'kysely';
import type { NotificationStatus, Role } from '../../src/contract';
import type { Database } from '../db/open';

/** Every device of every subscriber of a topic, `enabled` being 1 or 0. To be narrowed by the caller. */
export function devicesOfTopic(topicId: number, db: Database) {
  return db
    .selectFrom('subscriptions')
    .innerJoin('devices', 'devices.user_id', 'subscriptions.user_id')
    .leftJoin('device_preferences as own', (join) =>
      join.onRef('own.device_id', '=', 'devices.id').onRef('own.topic_id', '=', 'subscriptions.topic_id'),
    )
    .leftJoin('account_preferences as account', (join) =>
      join.onRef('account.user_id', '=', 'subscriptions.user_id').onRef('account.topic_id', '=', 'subscriptions.topic_id'),
    )
    .where('subscriptions.topic_id', '=', topicId);
}

/** For use with `devicesOfTopic`: the setting in force. */
export const inForce = sql<0 | 1>`coalesce(own.enabled, account.enabled, 1)`;

interface DeviceCounts {
  enabledDevices: number;
  totalDevices: number;
}
interface SubscriberRow extends DeviceCounts {
  id: number;
  created_at: number;
  username: string;
  role: Role;
}

export function countDevices(topicId: number, db: Database): Promise<SubscriberRow[]> {
  const counts = devicesOfTopic(topicId, db)
    .select((build) => [
      'subscriptions.id as subscription_id',
      build.fn.countAll<number>().as('total'),
      build.fn.sum<number>(inForce).as('enabled'),
    ])
    .groupBy('subscriptions.id')
    .as('counts');
  return db
    .selectFrom('subscriptions')
    .innerJoin('users', 'users.id', 'subscriptions.user_id')
    .leftJoin(counts, 'counts.subscription_id', 'subscriptions.id')
    .where('subscriptions.topic_id', '=', topicId)
    .select(({ fn, val }) => [
      'subscriptions.id',
      'subscriptions.created_at',
      'users.username',
      'users.role',
      fn.coalesce('counts.total', val(0)).as('totalDevices'),
      fn.coalesce('counts.enabled', val(0)).as('enabledDevices'),
    ])
    .orderBy('subscriptions.id', 'desc')
    .execute();
}

export function describeDevices({ enabledDevices, totalDevices }: DeviceCounts): NotificationStatus {
  if (totalDevices === 0) return 'no_devices';
  if (enabledDevices === 0) return 'disabled';
  return enabledDevices === totalDevices ? 'enabled' : 'partial';
}
