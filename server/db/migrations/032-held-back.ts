import type { Kysely } from 'kysely';

/** Which messages of a key were held back, so that each counts once. */
export async function tellHeldBack(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('topic_keys').addColumn('held_back_seen', 'text').execute();
}
