/** How many devices of its subscribers a topic reaches. */
import type { NotificationStatus, Role } from '../../src/shared/contract';
import type { Database } from '../db/open';
import { enabledOnDevice, subscribedDevices } from '../db/effective-preference';

interface DeviceCounts {
  enabledDevices: number;
  totalDevices: number;
}
interface SubscriberRow extends DeviceCounts {
  id: number;
  created_at: number;
  userId: number;
  username: string;
  role: Role;
}

export function countDevices(topicId: number, db: Database): Promise<SubscriberRow[]> {
  const subscriber = [
    'subscriptions.id',
    'subscriptions.created_at',
    'users.id as userId',
    'users.username',
    'users.role',
  ] as const;
  return subscribedDevices(db)
    .innerJoin('users', 'users.id', 'subscriptions.user_id')
    .where('subscriptions.topic_id', '=', topicId)
    .select(subscriber)
    .select(({ fn, val }) => [
      fn.count<number>('devices.id').as('totalDevices'),
      fn.coalesce(fn.sum<number>(enabledOnDevice), val(0)).as('enabledDevices'),
    ])
    .groupBy([
      'subscriptions.id',
      'subscriptions.created_at',
      'users.id',
      'users.username',
      'users.role',
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
