/**
 * Whom a company's OpenID Connect provider knows as whom, and second factors with their recovery
 * codes.
 *
 * A process of an earlier version that still runs beside this one asks for no second factor: switch
 * one on when all are replaced.
 */
import type { ColumnDefinitionBuilder, Kysely } from 'kysely';

type Column = (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
const required: Column = (column) => column.notNull();
const ofPerson: Column = (column) => column.notNull().references('users.id').onDelete('cascade');

export async function keepSignIns(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('identities')
    .addColumn('issuer', 'text', required)
    .addColumn('subject', 'text', required)
    .addColumn('user_id', 'bigint', ofPerson)
    .addColumn('linked_at', 'bigint', required)
    .addPrimaryKeyConstraint('identities_key', ['issuer', 'subject'])
    .addUniqueConstraint('identities_person', ['user_id', 'issuer'])
    .execute();
  await db.schema
    .createTable('second_factors')
    .addColumn('user_id', 'bigint', (column) => ofPerson(column).primaryKey())
    .addColumn('secret', 'text', required)
    .addColumn('last_step', 'bigint', required)
    .addColumn('created_at', 'bigint', required)
    .execute();
  await db.schema
    .createTable('recovery_codes')
    .addColumn('user_id', 'bigint', ofPerson)
    .addColumn('hash', 'text', required)
    .addColumn('used_at', 'bigint')
    .addPrimaryKeyConstraint('recovery_codes_key', ['user_id', 'hash'])
    .execute();
}
