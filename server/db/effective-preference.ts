/**
 * Whether somebody is notified of a topic: the device's own setting counts, else the account's;
 * where neither says anything, a subscription is enabled. The one place that says so: a query for
 * settings joins both tables by these, and asks for `effectiveEnabled`.
 */
import { sql, type JoinBuilder, type SqlBool } from 'kysely';

/** A column, such as `devices.id`, or the number itself. */
type Operand = `${string}.${string}` | number;

const operand = (one: Operand) => (typeof one === 'number' ? sql`${one}` : sql.ref(one));

/** To left-join `device_preferences as own`. */
export const ownPreference =
  ({ device, topic }: { device: Operand; topic: Operand }) =>
  <DB, Table extends keyof DB>(join: JoinBuilder<DB, Table>) =>
    join.on(sql<SqlBool>`own.device_id = ${operand(device)} and own.topic_id = ${operand(topic)}`);

/** To left-join `account_preferences as account`. */
export const accountPreference =
  ({ user, topic }: { user: Operand; topic: Operand }) =>
  <DB, Table extends keyof DB>(join: JoinBuilder<DB, Table>) =>
    join.on(
      sql<SqlBool>`account.user_id = ${operand(user)} and account.topic_id = ${operand(topic)}`,
    );

/** 1 or 0, where both are joined. */
export const effectiveEnabled = sql<0 | 1>`coalesce(own.enabled, account.enabled, 1)`;
/** 1 or 0, where only the account is asked: it speaks for each device that says nothing. */
export const accountEnabled = sql<0 | 1>`coalesce(account.enabled, 1)`;
