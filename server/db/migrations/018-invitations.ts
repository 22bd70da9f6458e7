/**
 * What became of people's invitations: when they were imported, their mail, and their link.
 *
 * A process of an earlier version that still runs beside this one sends no such mails, and notes of
 * no link that it was opened.
 */
import type { ColumnDefinitionBuilder, Kysely } from 'kysely';

type Column = (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
const ofPerson: Column = (column) =>
  column.primaryKey().notNull().references('users.id').onDelete('cascade');

export async function keepInvitations(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('invitations')
    .addColumn('user_id', 'bigint', ofPerson)
    .addColumn('mail', 'text', (column) => column.notNull().defaultTo('none'))
    .addColumn('imported_at', 'bigint')
    .addColumn('opened_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('invitations_imported_at')
    .on('invitations')
    .column('imported_at')
    .execute();
}
