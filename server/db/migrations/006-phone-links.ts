/** Links that sign a new phone in end with the session that created them, and with its right to. */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';

export async function addPhoneLinkColumns(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

/** These statements run on both engines. */
const STATEMENTS = [
  `alter table one_time_tokens add column session_version integer`,
  `alter table one_time_tokens add column creator_id bigint`,
  `alter table one_time_tokens add column creator_session_id text`,
  `alter table one_time_tokens add column creator_session_version integer`,
  `alter table one_time_tokens add column former_email text`,
];
