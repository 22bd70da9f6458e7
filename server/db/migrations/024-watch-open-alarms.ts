/** Alarms that are open already are watched, too. */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';

export async function watchOpenAlarms(db: Kysely<unknown>): Promise<void> {
  await sql`insert into jobs (kind, subject, created_at, due_at)
    select 'check-in-watch', cast(id as text), 0, 0 from check_ins
    where state in ('missed', 'help') and alarm_id is not null`.execute(db);
}
