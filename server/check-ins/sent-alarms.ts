/** The alarms that check-ins had, also after their all-clear. */
import type { Transaction } from 'kysely';
import type { CheckIn } from '../../src/shared/contract';
import { idList } from '../db/json-table';
import type { Database } from '../db/open';
import type { CheckInRow, Tables } from '../db/schema';
import { toTimeOrNull } from '../lib/clock';
import { findReachingAlarms } from './alarm-reach';

/** No check-in has more in practice: alarms are at least a minute apart. */
const MAX_SENT_ALARMS = 10_000;

type SentAlarm = NonNullable<CheckIn['lastAlarm']>;

/** Lists alarms, oldest first. An old alarm's message may be deleted, and with it the time. */
export async function readSentAlarms(
  checkInIds: readonly number[],
  db: Database,
): Promise<ReadonlyMap<number, SentAlarm[]>> {
  const alarms = new Map<number, SentAlarm[]>();
  if (checkInIds.length === 0) return alarms;
  const rows = await db
    .selectFrom('check_in_messages')
    .leftJoin('messages', 'messages.id', 'check_in_messages.message_id')
    .where('check_in_messages.check_in_id', 'in', idList(checkInIds))
    .where('check_in_messages.kind', '=', 'alarm')
    .select(['check_in_id', 'message_id', 'messages.created_at'])
    .limit(MAX_SENT_ALARMS)
    .execute();
  // The engines order null differently.
  rows.sort((one, other) => (one.created_at ?? 0) - (other.created_at ?? 0));
  for (const { check_in_id, message_id, created_at } of rows) {
    const sentAlarm = { messageId: message_id, at: toTimeOrNull(created_at) };
    alarms.set(check_in_id, [...(alarms.get(check_in_id) ?? []), sentAlarm]);
  }
  return alarms;
}

export interface AlarmEnd {
  /** Whether someone else gave the all-clear. */
  isCleared: boolean;
  /** Whether it expired, was canceled, or no one who got an alarm of the check-in can be notified. */
  isOver: boolean;
  /** When someone first answered; null if no one has. */
  answeredAt: number | null;
}

/** The outcome of the last alarm; undefined if there is none. */
export async function readAlarmEnd(
  { id, alarm_id, user_id }: Pick<CheckInRow, 'id' | 'alarm_id' | 'user_id'>,
  transaction: Transaction<Tables>,
  now: number,
): Promise<AlarmEnd | undefined> {
  if (alarm_id === null) return undefined;
  const alarm = await transaction
    .selectFrom('messages')
    .where('id', '=', alarm_id)
    .select(['all_clear_at', 'state', 'expires_at'])
    .executeTakeFirst();
  // Old messages are deleted.
  if (alarm === undefined) return { isCleared: false, isOver: true, answeredAt: null };
  const { answeredAt } = await transaction
    .selectFrom('recipients')
    .where('recipients.message_id', '=', alarm_id)
    .where('recipients.user_id', '<>', user_id)
    .select(({ fn }) => fn.min('recipients.acknowledged_at').as('answeredAt'))
    .executeTakeFirstOrThrow();
  const isWithdrawn = alarm.state === 'cancelled' || alarm.expires_at <= now;
  return {
    isCleared: alarm.all_clear_at !== null,
    isOver: isWithdrawn || !(await findReachingAlarms([id], transaction, now)).has(id),
    answeredAt: answeredAt === null ? null : Number(answeredAt),
  };
}
