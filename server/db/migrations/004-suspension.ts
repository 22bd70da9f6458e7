/** When an administrator suspended a person. */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';

export async function addSuspensionColumn(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

/** These statements run on both engines. */
const STATEMENTS = [
  `alter table users add column suspended_at bigint`,
  `create index users_suspended on users(id) where suspended_at is not null`,
];
