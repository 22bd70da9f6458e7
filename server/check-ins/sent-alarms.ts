/** The alarms that check-ins had, also after their all-clear. */
import type { Transaction } from 'kysely';
import type { CheckIn } from '../../src/shared/contract';
import { idList } from '../db/json-table';
import type { Database } from '../db/open';
import type { CheckInRow, Tables } from '../db/schema';
import { toTimeOrNull } from '../lib/clock';

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
  /** Whether it was canceled: older versions allowed that. */
  isCanceled: boolean;
  /** When enough people had answered to stop its policy; null if the policy was not stopped so. */
  answeredAt: number | null;
}

/** How the last alarm ended; undefined if there is none. */
export async function readAlarmEnd(
  { alarm_id }: Pick<CheckInRow, 'alarm_id'>,
  transaction: Transaction<Tables>,
): Promise<AlarmEnd | undefined> {
  if (alarm_id === null) return undefined;
  const alarm = await transaction
    .selectFrom('messages')
    .where('id', '=', alarm_id)
    .select(['all_clear_at', 'state', 'stopped', 'stopped_at'])
    .executeTakeFirst();
  if (alarm === undefined) return undefined;
  const isAnswered = alarm.stopped === 'acknowledged' || alarm.stopped === 'quorum';
  return {
    isCleared: alarm.all_clear_at !== null,
    isCanceled: alarm.state === 'cancelled',
    answeredAt: isAnswered ? alarm.stopped_at : null,
  };
}
