/** Why a check-in ended, if not by its person, and when a late call for help arrived. */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';

export async function addCheckInEndColumns(db: Kysely<unknown>): Promise<void> {
  for (const column of ['end_reason text', 'help_received_at bigint'])
    await sql.raw(`alter table check_ins add column ${column}`).execute(db);
}
