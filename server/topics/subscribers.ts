import type { NotificationStatus, Role, Subscriber } from '../../src/shared/contract';
import type { Database } from '../db/open';
import { enabledOnDevice, subscribedDevices } from '../db/effective-preference';
import { toTime } from '../lib/clock';
import { describeSubscribedBy, readTeamsByPerson } from '../memberships/subscribed-by';
import { requireTopic } from './topics';

interface DeviceCounts {
  enabledDevices: number;
  totalDevices: number;
}
interface SubscriberRow extends DeviceCounts {
  id: number;
  created_at: number;
  by_name: 0 | 1;
  userId: number;
  username: string;
  role: Role;
}

function countDevices(topicId: number, db: Database): Promise<SubscriberRow[]> {
  const subscriber = [
    'subscriptions.id',
    'subscriptions.created_at',
    'subscriptions.by_name',
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
      'subscriptions.by_name',
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

/**
 * Latest first, with the number of devices that a message notifies.
 * @throws HttpError 404
 */
export async function listSubscribers(id: number, db: Database): Promise<Subscriber[]> {
  await requireTopic(id, db);
  const rows = await countDevices(id, db);
  const teams = await readTeamsByPerson(id, db);
  return rows.map((row) => ({
    id: row.id,
    createdAt: toTime(row.created_at),
    user: { id: row.userId, username: row.username, role: row.role },
    notificationStatus: describeDevices(row),
    enabledDevices: row.enabledDevices,
    totalDevices: row.totalDevices,
    ...describeSubscribedBy(row.by_name, teams.get(row.userId)),
  }));
}
