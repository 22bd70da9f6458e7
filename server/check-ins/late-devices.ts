/** Alarms that a person could not be notified of, because they had no device. */
import { inTransaction } from '../db/transaction';
import { lockMessage } from '../messages/lock-message';
import { notifyAgain } from '../messages/notify-again';
import type { Services } from '../services';
import { FULL_RANGE } from '../subscriptions/audience';

/** More alarms at once would only bury the newest ones. */
const MAX_ALARMS = 5;

/** Pushes open alarms to a person who registered their first device after they were sent. */
export async function sendAlarmsToLateDevice(
  userId: number,
  { db, now: clock, wakePushWorker }: Services,
): Promise<void> {
  const alarms = await db
    .selectFrom('check_ins')
    .innerJoin('messages', 'messages.id', 'check_ins.alarm_id')
    .innerJoin('recipients', 'recipients.message_id', 'messages.id')
    .where('check_ins.state', 'in', ['missed', 'help'])
    .where('messages.state', '=', 'sent')
    .where('messages.all_clear_at', 'is', null)
    .where('messages.expires_at', '>', clock())
    .where('recipients.user_id', '=', userId)
    .where('recipients.state', '=', 'unreachable')
    .orderBy('messages.created_at', 'desc')
    .limit(MAX_ALARMS)
    .select('messages.id')
    .execute();
  for (const { id } of alarms)
    await inTransaction(db, async (transaction) => {
      const alarm = await lockMessage(id, transaction);
      // It may have ended meanwhile.
      if (alarm?.state !== 'sent' || alarm.all_clear_at !== null) return;
      const range = { ...FULL_RANGE, only: [userId] };
      await notifyAgain(alarm, range, transaction, clock());
    });
  if (alarms.length > 0) wakePushWorker();
}
