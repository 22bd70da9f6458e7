/** The outcome of the check-in that an alarm is about. */
import type { SentMessage } from '../../../src/shared/contract';
import { isAlarm } from '../../db/current-check-in';
import type { Database } from '../../db/open';
import { toTime, toTimeOrNull } from '../../lib/clock';

/** Returns nothing for messages that are no alarm of a check-in. */
export async function readCheckInOfAlarm(
  { id, sender }: Pick<SentMessage, 'id' | 'sender'>,
  db: Database,
): Promise<Pick<SentMessage, 'checkIn'>> {
  // Alarms have no sender.
  if (sender !== null) return {};
  const checkIn = await db
    .selectFrom('check_in_messages')
    .innerJoin('check_ins', 'check_ins.id', 'check_in_messages.check_in_id')
    .innerJoin('users', 'users.id', 'check_ins.user_id')
    .where('check_in_messages.message_id', '=', id)
    .where('check_in_messages.kind', '=', 'alarm')
    .select([
      'users.username',
      'users.suspended_at',
      'check_ins.state',
      'check_ins.answered_at',
      'check_ins.ended_at',
      'check_ins.end_reason',
      'check_ins.alarm_id',
      'check_ins.alarmed_at',
    ])
    .executeTakeFirst();
  if (checkIn === undefined) return {};
  const { username, suspended_at, answered_at, ended_at, end_reason, alarm_id, alarmed_at } =
    checkIn;
  return {
    checkIn: {
      username,
      needsAnswer: isAlarm(checkIn),
      answeredAt: toTimeOrNull(answered_at),
      endedAt: toTimeOrNull(ended_at),
      ...(end_reason !== null && { endReason: end_reason }),
      ...(suspended_at !== null && { isSuspended: true }),
      ...(isAlarm(checkIn) &&
        alarm_id !== null &&
        alarmed_at !== null &&
        alarm_id !== id && { newerAlarm: { messageId: alarm_id, at: toTime(alarmed_at) } }),
    },
  };
}
