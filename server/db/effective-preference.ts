/**
 * Whether a person is notified of a topic: the device's setting, else the account's, else enabled.
 * Queries join both tables with these helpers and select `effectiveEnabled`.
 */
import { sql, type JoinBuilder, type RawBuilder, type SqlBool } from 'kysely';
import type { Database } from './open';

/** A column, such as `devices.id`, or a number. */
type Operand = `${string}.${string}` | number;

const operand = (value: Operand) => (typeof value === 'number' ? sql`${value}` : sql.ref(value));

const isOwn = (device: Operand, topic: Operand) =>
  sql<SqlBool>`own.device_id = ${operand(device)} and own.topic_id = ${operand(topic)}`;
const isAccount = (user: Operand, topic: Operand) =>
  sql<SqlBool>`account.user_id = ${operand(user)} and account.topic_id = ${operand(topic)}`;

/** The condition for a left join of `device_preferences as own`. */
export const ownPreference =
  ({ device, topic }: { device: Operand; topic: Operand }) =>
  <DB, Table extends keyof DB>(join: JoinBuilder<DB, Table>) =>
    join.on(isOwn(device, topic));

/** The condition for a left join of `account_preferences as account`. */
export const accountPreference =
  ({ user, topic }: { user: Operand; topic: Operand }) =>
  <DB, Table extends keyof DB>(join: JoinBuilder<DB, Table>) =>
    join.on(isAccount(user, topic));

/** Writes both joins as raw SQL. */
export const joinPreferences = (
  device: Operand,
  user: Operand,
  topic: Operand,
): RawBuilder<unknown> =>
  sql`left join device_preferences as own on ${isOwn(device, topic)}
    left join account_preferences as account on ${isAccount(user, topic)}`;

/** Whether a device is notified of a topic, as 1 or 0. The query needs both joins. */
export const effectiveEnabled = sql<0 | 1>`coalesce(own.enabled, account.enabled, 1)`;
/** The account's setting alone, as 1 or 0, for devices without a setting. */
export const accountEnabled = sql<0 | 1>`coalesce(account.enabled, 1)`;

/** Selects each subscription with every device of its person, or one row without a device. */
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

/** Whether the row's device is notified, as 1 or 0; null for a person without devices. */
export const enabledOnDevice = sql<
  0 | 1 | null
>`case when devices.id is not null then ${effectiveEnabled} end`;
