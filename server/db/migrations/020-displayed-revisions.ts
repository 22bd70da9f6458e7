/** Who was shown a correction or an all-clear, apart from the message itself. */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';

export async function addDisplayedRevisionColumns(db: Kysely<unknown>): Promise<void> {
  for (const column of ['correction_displayed_at', 'all_clear_displayed_at'])
    await sql.raw(`alter table recipients add column ${column} bigint`).execute(db);
}
