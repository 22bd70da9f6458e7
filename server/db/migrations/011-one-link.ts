/**
 * An account has one link for each purpose: of two made at once, the later replaces the earlier.
 */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';

export async function keepOneLink(db: Kysely<unknown>): Promise<void> {
  await sql`delete from one_time_tokens where id not in (select max(id) from one_time_tokens group by user_id, purpose)`.execute(
    db,
  );
  await db.schema
    .createIndex('one_time_tokens_once')
    .unique()
    .on('one_time_tokens')
    .columns(['user_id', 'purpose'])
    .execute();
}
