/** Who gave a message its all-clear. */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';

export async function addAllClearAuthorColumn(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table messages add column all_clear_by bigint').execute(db);
}
