/** Lets people sign in where they signed in before, whatever strangers do elsewhere. */
import type { Kysely } from 'kysely';

export async function knowClients(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('known_clients')
    .addColumn('user_id', 'bigint', (column) =>
      column.notNull().references('users.id').onDelete('cascade'),
    )
    .addColumn('token_hash', 'text', (column) => column.notNull())
    .addColumn('last_seen_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('known_clients_key', ['user_id', 'token_hash'])
    .execute();
  await db.schema
    .createIndex('known_clients_token')
    .on('known_clients')
    .column('token_hash')
    .execute();
  await db.schema
    .createIndex('known_clients_seen')
    .on('known_clients')
    .column('last_seen_at')
    .execute();
}
