/** Records what was true when a message was sent, for senders and for the audit log. */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';

export async function addRecordColumns(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

/** These statements run on both engines. */
const STATEMENTS = [
  `alter table recipients add column answer_revision integer`,
  `alter table messages add column reachable integer`,
  `alter table messages add column unsent text`,
  `alter table messages add column is_all_clear integer not null default 0`,
];
