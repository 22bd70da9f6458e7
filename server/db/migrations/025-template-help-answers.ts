/** Which answers of a template call for help. */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';

export async function addTemplateHelpAnswersColumn(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`alter table templates add column help_answers text`).execute(db);
}
