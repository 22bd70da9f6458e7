/** What a person adds to their answer. */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';

export async function addCommentColumn(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`alter table recipients add column comment text`).execute(db);
}
