/** All topics that reached a recipient, and the messages that wait for an administrator. */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';

export async function addSenderViewColumn(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

/** These statements run on both engines. */
const STATEMENTS = [
  `alter table recipients add column more_topics text`,
  `create index messages_withheld on messages(created_at, id) where withheld is not null`,
];
