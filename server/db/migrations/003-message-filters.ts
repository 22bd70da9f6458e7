/** What lists of messages are filtered by, and the message that an audit entry is about. */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';

export async function addMessageFilters(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

/** These statements run on both engines. */
const STATEMENTS = [
  `create index messages_priority on messages(kind, priority, created_at, id)`,
  // No reference: entries never change, and they outlive their message.
  `alter table audit_entries add column message_id text`,
];
