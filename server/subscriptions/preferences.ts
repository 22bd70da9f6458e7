/** People's switches, for the account or for one device. No row means enabled. */
import type { Preference } from '../../src/shared/contract';
import type { Transact } from '../http/access/authority';
import { requireDevice } from '../devices/devices';
import {
  accountEnabled,
  accountPreference,
  effectiveEnabled,
  ownPreference,
} from '../db/effective-preference';
import type { Database } from '../db/open';
import { notFoundError } from '../http/errors';

const toPreference = (row: { topic_id: number; enabled: number }): Preference => ({
  topicId: row.topic_id,
  enabled: row.enabled === 1,
});

export async function listPreferences(userId: number, db: Database): Promise<Preference[]> {
  const rows = await db
    .selectFrom('subscriptions')
    .leftJoin(
      'account_preferences as account',
      accountPreference({ user: 'subscriptions.user_id', topic: 'subscriptions.topic_id' }),
    )
    .where('subscriptions.user_id', '=', userId)
    .select(['subscriptions.topic_id', accountEnabled.as('enabled')])
    .orderBy('subscriptions.id', 'desc')
    .execute();
  return rows.map(toPreference);
}

/**
 * The effective switches of a device.
 * @throws HttpError 404 if it is not the user's
 */
export async function listDevicePreferences(
  deviceId: number,
  userId: number,
  db: Database,
): Promise<Preference[]> {
  await requireDevice(deviceId, userId, db);
  const rows = await db
    .selectFrom('subscriptions')
    .leftJoin(
      'device_preferences as own',
      ownPreference({ device: deviceId, topic: 'subscriptions.topic_id' }),
    )
    .leftJoin(
      'account_preferences as account',
      accountPreference({ user: 'subscriptions.user_id', topic: 'subscriptions.topic_id' }),
    )
    .where('subscriptions.user_id', '=', userId)
    .select(['subscriptions.topic_id', effectiveEnabled.as('enabled')])
    .orderBy('subscriptions.id', 'desc')
    .execute();
  return rows.map(toPreference);
}

/** @throws HttpError 404 unless the device is the user's and the user is subscribed */
export async function setDevicePreference(
  deviceId: number,
  { topicId, enabled }: Preference,
  userId: number,
  transact: Transact,
): Promise<Preference> {
  await transact(async (transaction) => {
    await requireDevice(deviceId, userId, transaction);
    await requireSubscription(userId, topicId, transaction);
    await transaction
      .insertInto('device_preferences')
      .values({ device_id: deviceId, topic_id: topicId, enabled: enabled ? 1 : 0 })
      .onConflict((conflict) =>
        conflict.columns(['device_id', 'topic_id']).doUpdateSet({ enabled: enabled ? 1 : 0 }),
      )
      .execute();
  });
  return { topicId, enabled };
}

/**
 * Sets the account's switch, and removes the switches of its devices.
 * @throws HttpError 404
 */
export async function setAccountPreference(
  { topicId, enabled }: Preference,
  userId: number,
  transact: Transact,
): Promise<Preference> {
  await transact(async (transaction) => {
    await requireSubscription(userId, topicId, transaction);
    await transaction
      .insertInto('account_preferences')
      .values({ user_id: userId, topic_id: topicId, enabled: enabled ? 1 : 0 })
      .onConflict((conflict) =>
        conflict.columns(['user_id', 'topic_id']).doUpdateSet({ enabled: enabled ? 1 : 0 }),
      )
      .execute();
    await transaction
      .deleteFrom('device_preferences')
      .where('topic_id', '=', topicId)
      .where('device_id', 'in', (build) =>
        build.selectFrom('devices').select('devices.id').where('devices.user_id', '=', userId),
      )
      .execute();
  });
  return { topicId, enabled };
}

async function requireSubscription(userId: number, topicId: number, db: Database): Promise<void> {
  const row = await db
    .selectFrom('subscriptions')
    .select('id')
    .where('user_id', '=', userId)
    .where('topic_id', '=', topicId)
    .executeTakeFirst();
  if (row === undefined) throw notFoundError('You are not subscribed to this topic.');
}
