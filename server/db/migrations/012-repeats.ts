/**
 * Remembers requests that may come again with all that they asked for, and for a while only. What
 * they made knew them before (`request_key` of topics and users, which are not read any more), and
 * only by some of its fields.
 */
import type { Kysely } from 'kysely';

export async function rememberRepeats(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('requests')
    .addColumn('key', 'text', (column) => column.primaryKey().notNull())
    .addColumn('user_id', 'bigint', (column) =>
      column.notNull().references('users.id').onDelete('cascade'),
    )
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('made', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('ends_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('requests_user').on('requests').column('user_id').execute();
  await db.schema.createIndex('requests_end').on('requests').column('ends_at').execute();
}
