/** Whether open alarms still reach someone who got them. */
import { sql } from 'kysely';
import { effectiveEnabled, joinPreferences } from '../db/effective-preference';
import { idList } from '../db/json-table';
import type { Database } from '../db/open';

/**
 * Finds check-ins with an open alarm that someone else got, also by its policy, who can be notified
 * again: their account is active, and one of their devices gets the topic. While recipients are being
 * written, the alarm counts as reaching someone.
 */
export async function findReachingAlarms(
  checkInIds: readonly number[],
  db: Database,
  now: number,
): Promise<ReadonlySet<number>> {
  if (checkInIds.length === 0) return new Set();
  // Each `limit` makes PostgreSQL look row by row: it would read all devices for each alarm.
  const { rows } = await sql<{ id: number }>`
    select check_ins.id from check_ins where check_ins.id in ${idList(checkInIds)} and (
      select 1 from check_in_messages as alarm
      left join escalation_steps as step on step.message_id = alarm.message_id and step.sent_id is not null
      inner join messages on messages.id in (alarm.message_id, step.sent_id)
      where alarm.check_in_id = check_ins.id and alarm.kind = 'alarm' and alarm.state = 'open'
        and messages.state <> 'cancelled' and messages.all_clear_at is null and messages.expires_at > ${now}
        and (messages.state <> 'sent' or (
          select 1 from recipients
          inner join users on users.id = recipients.user_id
          where recipients.message_id = messages.id and recipients.user_id <> check_ins.user_id
            and recipients.state not in ('unreachable', 'muted') and users.suspended_at is null
            and (
              select 1 from devices ${joinPreferences('devices.id', 'recipients.user_id', 'recipients.topic_id')}
              where devices.user_id = recipients.user_id and (recipients.named = 1 or ${effectiveEnabled} = 1)
              limit 1) is not null
            and (recipients.named = 1 or (
              select 1 from subscriptions
              where subscriptions.user_id = recipients.user_id and subscriptions.topic_id = recipients.topic_id
              limit 1) is not null)
          limit 1) is not null)
      limit 1) is not null`.execute(db);
  return new Set(rows.map(({ id }) => Number(id)));
}
