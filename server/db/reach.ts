/** Which devices a topic reaches: the joins that every question about it begins with. */
import { sql } from 'kysely';
import { accountPreference, effectiveEnabled, ownPreference } from './effective-preference';
import type { Database } from './open';

/**
 * Subscriptions, each with every device of its person (none: one row without), to be narrowed by
 * the caller.
 */
export function subscribedDevices(db: Database) {
  return db
    .selectFrom('subscriptions')
    .leftJoin('devices', 'devices.user_id', 'subscriptions.user_id')
    .leftJoin(
      'device_preferences as own',
      ownPreference({ device: 'devices.id', topic: 'subscriptions.topic_id' }),
    )
    .leftJoin(
      'account_preferences as account',
      accountPreference({ user: 'subscriptions.user_id', topic: 'subscriptions.topic_id' }),
    );
}

/** 1 or 0 for a device; null where there is none. */
export const enabledOnDevice = sql<
  0 | 1 | null
>`case when devices.id is not null then ${effectiveEnabled} end`;
