/** The outcome of the check-in that an alarm is about. */
import type { SentMessage } from '../../../src/shared/contract';
import { isAlarm } from '../../db/current-check-in';
import type { Database } from '../../db/open';
import { toTimeOrNull } from '../../lib/clock';

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
      'check_ins.state',
      'check_ins.answered_at',
      'check_ins.ended_at',
      'check_ins.end_reason',
    ])
    .executeTakeFirst();
  if (checkIn === undefined) return {};
  const { username, answered_at, ended_at, end_reason } = checkIn;
  return {
    checkIn: {
      username,
      needsAnswer: isAlarm(checkIn),
      answeredAt: toTimeOrNull(answered_at),
      endedAt: toTimeOrNull(ended_at),
      ...(end_reason !== null && { endReason: end_reason }),
    },
  };
}
