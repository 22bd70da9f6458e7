/** The policy of an all-clear's message is searched by the message that its step sent. */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';

export async function addStepsByMessageIndex(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `create index escalation_steps_sent on escalation_steps (sent_id) where sent_id is not null`,
    )
    .execute(db);
}
