/**
 * Addresses that people asked for and that do not count yet, and what finds the alert of a message.
 *
 * A process of an earlier version that still runs beside this one refuses the links for such
 * addresses.
 */
import type { Kysely } from 'kysely';

export async function changeEmails(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('email_changes')
    .addColumn('user_id', 'bigint', (column) =>
      column.primaryKey().notNull().references('users.id').onDelete('cascade'),
    )
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('ends_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('email_changes_end').on('email_changes').column('ends_at').execute();
  await db.schema.createIndex('alerts_message').on('alerts').column('message_id').execute();
}
