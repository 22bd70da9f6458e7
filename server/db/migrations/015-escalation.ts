/**
 * Lets messages ring again, mail and call by themselves, lets people have quiet hours, and keeps
 * webhooks.
 *
 * A process of an earlier version that still runs beside this one sends no digest of messages that
 * waited (it finds no recipient for it and ends its rows as skipped), stops no escalation when
 * somebody answers through it (the next step counts again, and stops then), and lets nothing wait.
 */
import { sql } from 'kysely';
import type { ColumnDefinitionBuilder, Kysely } from 'kysely';
import type { Engine } from '../open';

type Column = (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
const required: Column = (column) => column.notNull();
const belongsTo =
  (table: string): Column =>
  (column) =>
    column.notNull().references(`${table}.id`).onDelete('cascade');

export async function keepEscalation(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const withId = (name: string) => {
    const table = db.schema.createTable(name);
    return engine === 'sqlite'
      ? table.addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
      : table.addColumn('id', 'bigint', (column) =>
          column.primaryKey().generatedByDefaultAsIdentity(),
        );
  };
  await withId('policies')
    .addColumn('name', 'text', required)
    .addColumn('quorum', 'integer')
    .addColumn('steps', 'text', required)
    .execute();
  await db.schema
    .alterTable('topics')
    .addColumn('policy_id', 'bigint', (column) =>
      column.references('policies.id').onDelete('set null'),
    )
    .execute();
  await db.schema.createIndex('topics_policy').on('topics').column('policy_id').execute();
  for (const [name, type] of [
    ['policy', 'text'],
    ['stopped', 'text'],
    ['stopped_at', 'bigint'],
    ['stopped_by', 'bigint'],
  ] as const)
    await db.schema.alterTable('messages').addColumn(name, type).execute();
  await db.schema
    .createTable('escalation_steps')
    .addColumn('message_id', 'text', belongsTo('messages'))
    .addColumn('position', 'integer', required)
    .addColumn('action', 'text', required)
    .addColumn('topic_id', 'bigint')
    .addColumn('webhook_id', 'bigint')
    .addColumn('due_at', 'bigint', required)
    .addColumn('done_at', 'bigint')
    .addColumn('people', 'integer')
    .addColumn('user_id', 'bigint')
    .addColumn('written_to', 'bigint', (column) => column.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('escalation_steps_key', ['message_id', 'position'])
    .execute();
  await db.schema
    .createTable('quiet_hours')
    .addColumn('user_id', 'bigint', (column) =>
      column.primaryKey().notNull().references('users.id').onDelete('cascade'),
    )
    .addColumn('time_zone', 'text', required)
    .addColumn('rules', 'text', required)
    .execute();
  await db.schema.alterTable('recipients').addColumn('digest_id', 'text').execute();
  await sql`create index recipients_held on recipients (user_id) where state = 'held'`.execute(db);
  await sql`create index recipients_digest on recipients (digest_id) where digest_id is not null`.execute(
    db,
  );
  await withId('webhooks')
    .addColumn('url', 'text', (column) => column.notNull().unique())
    .addColumn('events', 'text', required)
    .addColumn('secret', 'text', required)
    .addColumn('last_status', 'integer')
    .addColumn('last_at', 'bigint')
    .addColumn('failing_since', 'bigint')
    .addColumn('off_since', 'bigint')
    .execute();
  await db.schema
    .createTable('webhook_calls')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('webhook_id', 'bigint', belongsTo('webhooks'))
    .addColumn('body', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('due_at', 'bigint', required)
    .addColumn('claimed_until', 'bigint')
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createIndex('webhook_calls_due')
    .on('webhook_calls')
    .columns(['webhook_id', 'due_at'])
    .execute();
  await db.schema
    .createIndex('webhook_calls_created_at')
    .on('webhook_calls')
    .column('created_at')
    .execute();
}
