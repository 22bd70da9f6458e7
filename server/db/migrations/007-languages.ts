/** The language that each person chose, and the last one of their browser. */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';

export async function addLanguageColumns(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

/** These statements run on both engines. */
const STATEMENTS = [
  `alter table users add column language text`,
  `alter table users add column browser_language text`,
];
