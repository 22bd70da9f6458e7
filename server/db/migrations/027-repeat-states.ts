/** Notifying again, in chunks, those recipients of a message that are in some states alone. */
import type { Kysely } from 'kysely';

export async function addRepeatStates(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('messages').addColumn('repeat_states', 'text').execute();
}
