/**
 * Keeps how the pushes to each device went, tests of devices, how people lost their last device,
 * and sessions that ended with theirs.
 *
 * A process of an earlier version that still runs beside this one may claim the push of a test. It
 * finds no recipient and no topic for it and ends the row as skipped: that test leaves nobody, and
 * is `expired` a day later. It neither shows nor counts anything, and it lists the rounds of tests
 * among the messages until it is replaced.
 */
import { sql } from 'kysely';
import type { ColumnDefinitionBuilder, Kysely } from 'kysely';
import type { Engine } from '../open';

type Column = (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
const required: Column = (column) => column.notNull();
const count: Column = (column) => column.notNull().defaultTo(0);
const belongsTo =
  (table: string): Column =>
  (column) =>
    column.notNull().references(`${table}.id`).onDelete('cascade');

export async function keepReach(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .alterTable('messages')
    .addColumn('kind', 'text', (column) => column.notNull().defaultTo('message'))
    .execute();
  // The history passes over tests, and their sweep over the history, however many there are.
  await db.schema
    .createIndex('messages_kind')
    .on('messages')
    .columns(['kind', 'created_at', 'id'])
    .execute();
  await db.schema.alterTable('users').addColumn('device_lost_at', 'bigint').execute();
  await db.schema.alterTable('users').addColumn('device_lost_why', 'text').execute();
  for (const name of ['installation_id', 'model', 'session_id'] as const)
    await db.schema.alterTable('devices').addColumn(name, 'text').execute();
  await db.schema.alterTable('devices').addColumn('installed', 'integer').execute();
  await createDeviceReach(db, engine);
  await createTests(db);
  await db.schema
    .createTable('ended_sessions')
    .addColumn('session_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('user_id', 'bigint', belongsTo('users'))
    .addColumn('ends_at', 'bigint', required)
    .execute();
  await db.schema
    .createIndex('ended_sessions_user')
    .on('ended_sessions')
    .column('user_id')
    .execute();
  await db.schema
    .createIndex('ended_sessions_end')
    .on('ended_sessions')
    .column('ends_at')
    .execute();
}

async function createDeviceReach(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('device_reach')
    .addColumn('device_id', 'bigint', (column) =>
      column.primaryKey().notNull().references('devices.id').onDelete('cascade'),
    )
    .addColumn('accepted_at', 'bigint')
    .addColumn('third_accepted_at', 'bigint')
    .addColumn('displayed_at', 'bigint')
    .addColumn('displayed_accepted_at', 'bigint')
    .addColumn('refused_at', 'bigint')
    .addColumn('refused_reason', 'text')
    .addColumn('refusals', 'integer', count)
    .addColumn('median_delay', 'bigint')
    .addColumn('recent', 'text', (column) => column.notNull().defaultTo('[]'))
    .execute();
  // Each push changes them: room in each page keeps that off the index.
  if (engine === 'postgres') await sql`alter table device_reach set (fillfactor = 50)`.execute(db);
}

async function createTests(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('tests')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('message_id', 'text', belongsTo('messages'))
    .addColumn('user_id', 'bigint', belongsTo('users'))
    .addColumn('device_id', 'bigint', required)
    .addColumn('by_admin', 'integer', count)
    .addColumn('created_at', 'bigint', required)
    .addColumn('announced_at', 'bigint', required)
    .addColumn('send_at', 'bigint', required)
    .addColumn('accepted_at', 'bigint')
    .addColumn('received_at', 'bigint')
    .addColumn('displayed_at', 'bigint')
    .addColumn('heard_at', 'bigint')
    .addColumn('failure_stage', 'text')
    .addColumn('failure_reason', 'text')
    .execute();
  await db.schema
    .createIndex('tests_push')
    .unique()
    .on('tests')
    .columns(['message_id', 'device_id'])
    .execute();
  await db.schema
    .createIndex('tests_device')
    .on('tests')
    .columns(['device_id', 'created_at'])
    .execute();
  await db.schema
    .createIndex('tests_user')
    .on('tests')
    .columns(['user_id', 'created_at'])
    .execute();
}
