/** A sender's translations of a message or a template. */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';

export async function createTranslations(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

/** These statements run on both engines. */
const STATEMENTS = [
  `alter table messages add column translations text`,
  `alter table templates add column translations text`,
];
