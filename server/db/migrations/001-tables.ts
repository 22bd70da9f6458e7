/** The first data model; `schema.ts` says what each column means. */
import { sql } from 'kysely';
import type { ColumnDefinitionBuilder, CreateTableBuilder, Kysely } from 'kysely';
import type { Engine } from '../open';

type Column = (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
const required: Column = (column) => column.notNull();
const belongsTo =
  (table: string): Column =>
  (column) =>
    column.notNull().references(`${table}.id`).onDelete('cascade');
const outlives =
  (table: string): Column =>
  (column) =>
    column.references(`${table}.id`).onDelete('set null');

/**
 * Ids are never used again (AUTOINCREMENT): the outbox may still speak of a device that is gone.
 */
function identify<T extends string>(
  table: CreateTableBuilder<T>,
  engine: Engine,
): CreateTableBuilder<T | 'id'> {
  return engine === 'sqlite'
    ? table.addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    : table.addColumn('id', 'bigint', (column) =>
        column.primaryKey().generatedByDefaultAsIdentity(),
      );
}

export async function createTables(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await createAccounts(db, engine);
  await createSubscriptions(db, engine);
  await createDevices(db, engine);
  await createOutbox(db, engine);
  await db.schema
    .createTable('settings')
    .addColumn('name', 'text', (column) => column.primaryKey().notNull())
    .addColumn('value', 'text', required)
    .execute();
}

async function createAccounts(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await identify(db.schema.createTable('users'), engine)
    .addColumn('username', 'text', required)
    .addColumn('username_key', 'text', (column) => column.notNull().unique())
    .addColumn('email', 'text')
    .addColumn('email_key', 'text', (column) => column.unique())
    .addColumn('email_verified_at', 'bigint')
    .addColumn('password_hash', 'text')
    .addColumn('role', 'text', required)
    .addColumn('status', 'text', required)
    .addColumn('session_version', 'integer', (column) => column.notNull().defaultTo(1))
    .addColumn('created_at', 'bigint', required)
    .execute();
  await db.schema.createIndex('users_role').on('users').column('role').execute();
  await identify(db.schema.createTable('one_time_tokens'), engine)
    .addColumn('user_id', 'bigint', belongsTo('users'))
    .addColumn('purpose', 'text', required)
    .addColumn('nonce', 'text', required)
    .addColumn('token_hash', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'bigint', required)
    .addColumn('expires_at', 'bigint', required)
    .execute();
  await db.schema
    .createIndex('one_time_tokens_user')
    .on('one_time_tokens')
    .columns(['user_id', 'purpose'])
    .execute();
  await db.schema
    .createIndex('one_time_tokens_end')
    .on('one_time_tokens')
    .column('expires_at')
    .execute();
}

async function createSubscriptions(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await identify(db.schema.createTable('topics'), engine)
    .addColumn('title', 'text', required)
    .addColumn('description', 'text', required)
    .addColumn('search_key', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .execute();
  await identify(db.schema.createTable('subscriptions'), engine)
    .addColumn('user_id', 'bigint', belongsTo('users'))
    .addColumn('topic_id', 'bigint', belongsTo('topics'))
    .addColumn('created_at', 'bigint', required)
    .addUniqueConstraint('subscriptions_once', ['user_id', 'topic_id'])
    .execute();
  await db.schema
    .createIndex('subscriptions_topic')
    .on('subscriptions')
    .columns(['topic_id', 'user_id'])
    .execute();
  await db.schema
    .createTable('account_preferences')
    .addColumn('user_id', 'bigint', belongsTo('users'))
    .addColumn('topic_id', 'bigint', belongsTo('topics'))
    .addColumn('enabled', 'integer', required)
    .addPrimaryKeyConstraint('account_preferences_key', ['user_id', 'topic_id'])
    .execute();
  await db.schema
    .createIndex('account_preferences_topic')
    .on('account_preferences')
    .column('topic_id')
    .execute();
}

async function createDevices(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await identify(db.schema.createTable('devices'), engine)
    .addColumn('user_id', 'bigint', belongsTo('users'))
    .addColumn('token', 'text', required)
    .addColumn('token_hash', 'text', (column) => column.notNull().unique())
    .addColumn('type', 'text', required)
    .addColumn('user_agent', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('last_seen_at', 'bigint', required)
    .execute();
  await db.schema
    .createIndex('devices_user')
    .on('devices')
    .columns(['user_id', 'last_seen_at'])
    .execute();
  await db.schema
    .createTable('device_preferences')
    .addColumn('device_id', 'bigint', belongsTo('devices'))
    .addColumn('topic_id', 'bigint', belongsTo('topics'))
    .addColumn('enabled', 'integer', required)
    .addPrimaryKeyConstraint('device_preferences_key', ['device_id', 'topic_id'])
    .execute();
  await db.schema
    .createIndex('device_preferences_topic')
    .on('device_preferences')
    .column('topic_id')
    .execute();
}

async function createOutbox(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('messages')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('topic_id', 'bigint', outlives('topics'))
    .addColumn('topic_title', 'text', required)
    .addColumn('sender_id', 'bigint', outlives('users'))
    .addColumn('text', 'text', required)
    .addColumn('search_key', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('created_at', 'bigint', required)
    .addColumn('expires_at', 'bigint', required)
    .addColumn('idempotency_key', 'text')
    .addUniqueConstraint('messages_once', ['sender_id', 'idempotency_key'])
    .execute();
  await db.schema
    .createIndex('messages_newest')
    .on('messages')
    .columns(['created_at', 'id'])
    .execute();
  await db.schema.createIndex('messages_topic').on('messages').column('topic_id').execute();
  await identify(db.schema.createTable('deliveries'), engine)
    .addColumn('message_id', 'text', belongsTo('messages'))
    .addColumn('device_id', 'bigint', required)
    .addColumn('device_type', 'text', required)
    .addColumn('state', 'text', required)
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('due_at', 'bigint', required)
    .addColumn('claimed_until', 'bigint')
    .addColumn('reason', 'text')
    .addColumn('updated_at', 'bigint', required)
    .execute();
  await db.schema
    .createIndex('deliveries_progress')
    .on('deliveries')
    .columns(['message_id', 'state'])
    .execute();
  // Only pending rows are in this index, so claiming stays quick however long the history grows.
  await sql`create index deliveries_pending on deliveries (due_at) where state = 'pending'`.execute(
    db,
  );
}
