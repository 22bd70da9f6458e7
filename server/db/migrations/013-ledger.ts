/**
 * Keeps for whom each message was and how far it got with each of them, lets a message go to
 * several topics and people, later, and with answers, and gives each device a key of its own.
 */
import { sql } from 'kysely';
import type { ColumnDefinitionBuilder, Kysely } from 'kysely';
import type { Engine } from '../open';

type Column = (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
const required: Column = (column) => column.notNull();
const count: Column = (column) => column.notNull().defaultTo(0);
const text =
  (value: string): Column =>
  (column) =>
    column.notNull().defaultTo(value);
const belongsTo =
  (table: string): Column =>
  (column) =>
    column.notNull().references(`${table}.id`).onDelete('cascade');

export async function keepLedger(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await extendMessages(db);
  await createRecipients(db, engine);
  await db.schema.alterTable('deliveries').addColumn('user_id', 'bigint', count).execute();
  await db.schema.alterTable('deliveries').addColumn('round', 'integer', count).execute();
  await db.schema.alterTable('devices').addColumn('key_nonce', 'text', text('')).execute();
  await db.schema.alterTable('devices').addColumn('registered_hash', 'text', text('')).execute();
  const templates = db.schema.createTable('templates');
  await (engine === 'sqlite'
    ? templates.addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    : templates.addColumn('id', 'bigint', (column) =>
        column.primaryKey().generatedByDefaultAsIdentity(),
      )
  )
    .addColumn('name', 'text', required)
    .addColumn('title', 'text')
    .addColumn('text', 'text', required)
    .addColumn('priority', 'text', text('normal'))
    .addColumn('answers', 'text', text('[]'))
    .addColumn('link', 'text')
    .execute();
}

async function extendMessages(db: Kysely<unknown>): Promise<void> {
  const columns: [name: string, type: 'text' | 'bigint' | 'integer', column?: Column][] = [
    ['title', 'text'],
    ['link', 'text'],
    ['priority', 'text', text('normal')],
    ['answers', 'text', text('[]')],
    ['audience', 'text', text('{}')],
    ['state', 'text', text('sent')],
    ['send_at', 'bigint'],
    ['written_to', 'bigint', count],
    ['next_key', 'bigint', count],
    ['people', 'integer', count],
    ['rounds', 'integer', count],
    ['expired', 'integer', count],
    ['fingerprint', 'text', text('')],
  ];
  for (const [name, type, column = (same: ColumnDefinitionBuilder) => same] of columns)
    await db.schema.alterTable('messages').addColumn(name, type, column).execute();
  await db.schema
    .createTable('message_topics')
    .addColumn('message_id', 'text', belongsTo('messages'))
    .addColumn('topic_id', 'bigint', belongsTo('topics'))
    .addColumn('position', 'integer', required)
    .addPrimaryKeyConstraint('message_topics_key', ['message_id', 'topic_id'])
    .execute();
  await db.schema
    .createIndex('message_topics_topic')
    .on('message_topics')
    .column('topic_id')
    .execute();
  await sql`insert into message_topics (message_id, topic_id, position)
    select id, topic_id, 0 from messages where topic_id is not null`.execute(db);
}

async function createRecipients(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('inboxes')
    .addColumn('user_id', 'bigint', (column) =>
      column.primaryKey().notNull().references('users.id').onDelete('cascade'),
    )
    .addColumn('last_seq', 'bigint', count)
    .execute();
  // Each message changes them: room in each page keeps that off the index.
  if (engine === 'postgres') await sql`alter table inboxes set (fillfactor = 50)`.execute(db);
  await db.schema
    .createTable('recipients')
    .addColumn('message_id', 'text', belongsTo('messages'))
    // Outlives its person, so that tallies stay: no foreign key. Ids are never used again.
    .addColumn('user_id', 'bigint', required)
    .addColumn('seq', 'bigint', required)
    .addColumn('topic_id', 'bigint')
    .addColumn('named', 'integer', count)
    .addColumn('state', 'text', required)
    .addColumn('devices', 'integer', count)
    .addColumn('waiting', 'integer', count)
    .addColumn('displayed_at', 'bigint')
    .addColumn('read_at', 'bigint')
    .addColumn('acknowledged_at', 'bigint')
    .addColumn('answer', 'text')
    .addColumn('late', 'integer', count)
    .addPrimaryKeyConstraint('recipients_key', ['user_id', 'seq'])
    .execute();
  await db.schema
    .createIndex('recipients_once')
    .unique()
    .on('recipients')
    .columns(['message_id', 'user_id'])
    .execute();
  await sql`create index recipients_unread on recipients (user_id) where read_at is null`.execute(
    db,
  );
}
