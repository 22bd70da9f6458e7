/** Which devices a topic reaches. */
import type { NotificationStatus, Role } from '../../src/shared/contract';
import { accountPreference, effectiveEnabled, ownPreference } from '../db/effective-preference';
import type { Database } from '../db/open';

/**
 * Every device of every subscriber of a topic, to be narrowed by the caller, also by
 * `effectiveEnabled`.
 */
export function devicesOfTopic(topicId: number, db: Database) {
  return db
    .selectFrom('subscriptions')
    .innerJoin('devices', 'devices.user_id', 'subscriptions.user_id')
    .leftJoin(
      'device_preferences as own',
      ownPreference({ device: 'devices.id', topic: 'subscriptions.topic_id' }),
    )
    .leftJoin(
      'account_preferences as account',
      accountPreference({ user: 'subscriptions.user_id', topic: 'subscriptions.topic_id' }),
    )
    .where('subscriptions.topic_id', '=', topicId);
}

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
      build.fn.sum<number>(effectiveEnabled).as('enabled'),
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

export function describeDevices({
  enabledDevices,
  totalDevices,
}: DeviceCounts): NotificationStatus {
  if (totalDevices === 0) return 'no_devices';
  if (enabledDevices === 0) return 'disabled';
  return enabledDevices === totalDevices ? 'enabled' : 'partial';
}
