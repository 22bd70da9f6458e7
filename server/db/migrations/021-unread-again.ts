/** Messages that are new again for someone who had read them: corrected, or with an all-clear. */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';

export async function addUnreadAgainColumn(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

/** These statements run on both engines. */
const STATEMENTS = [
  `alter table recipients add column unread_again integer not null default 0`,
  `create index recipients_unread_again on recipients(user_id) where unread_again = 1`,
];
