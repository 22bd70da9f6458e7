/**
 * Keys of topics, with which machines send; what is known of the alerts that they told of; and
 * messages whose cause is over.
 *
 * A process of an earlier version that still runs beside this one knows none of these calls, shows
 * such a message without a sender, and one that was resolved as cancelled.
 */
import { sql } from 'kysely';
import type { ColumnDefinitionBuilder, Kysely } from 'kysely';
import type { Engine } from '../open';

type Column = (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
const required: Column = (column) => column.notNull();
const ofTopic: Column = (column) => column.notNull().references('topics.id').onDelete('cascade');

export async function keepKeys(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const keys = db.schema.createTable('topic_keys');
  await (engine === 'sqlite'
    ? keys.addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    : keys.addColumn('id', 'bigint', (column) => column.primaryKey().generatedByDefaultAsIdentity())
  )
    .addColumn('topic_id', 'bigint', ofTopic)
    .addColumn('name', 'text', required)
    .addColumn('prefix', 'text', required)
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'bigint', required)
    .addColumn('last_used_at', 'bigint')
    .execute();
  await db.schema.createIndex('topic_keys_topic').on('topic_keys').column('topic_id').execute();
  await db.schema
    .createTable('revoked_keys')
    .addColumn('hash', 'text', (column) => column.primaryKey().notNull())
    .addColumn('revoked_at', 'bigint', required)
    .execute();
  for (const [name, type] of [
    ['key_id', 'bigint'],
    ['key_name', 'text'],
    ['resolved_at', 'bigint'],
  ] as const)
    await db.schema.alterTable('messages').addColumn(name, type).execute();
  await sql`create unique index messages_key_request on messages (key_id, idempotency_key) where key_id is not null`.execute(
    db,
  );
  await db.schema
    .createTable('alerts')
    .addColumn('topic_id', 'bigint', ofTopic)
    .addColumn('fingerprint', 'text', required)
    .addColumn('starts_at', 'text', required)
    .addColumn('message_id', 'text')
    .addColumn('resolved_at', 'bigint')
    .addColumn('seen_at', 'bigint', required)
    .addPrimaryKeyConstraint('alerts_key', ['topic_id', 'fingerprint', 'starts_at'])
    .execute();
  await db.schema.createIndex('alerts_seen_at').on('alerts').column('seen_at').execute();
}
