/** What a key was held back from, and what people did so often that it is counted. */
import type { Kysely } from 'kysely';

export async function keepLimits(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('topic_keys').addColumn('held_back', 'integer').execute();
  await db.schema.alterTable('topic_keys').addColumn('held_back_at', 'bigint').execute();
  await db.schema
    .createIndex('topic_keys_held_back')
    .on('topic_keys')
    .column('held_back_at')
    .execute();
  await db.schema
    .createTable('audit_repeats')
    .addColumn('key', 'text', (column) => column.primaryKey().notNull())
    .addColumn('actor_id', 'bigint', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('network', 'text')
    .addColumn('target_id', 'bigint')
    .addColumn('target', 'text', (column) => column.notNull())
    .addColumn('detail', 'text', (column) => column.notNull())
    .addColumn('times', 'integer', (column) => column.notNull())
    .addColumn('untold', 'integer', (column) => column.notNull())
    .addColumn('untold_since', 'bigint')
    .addColumn('ends_at', 'bigint', (column) => column.notNull())
    .execute();
  for (const column of ['untold_since', 'ends_at'])
    await db.schema
      .createIndex(`audit_repeats_${column}`)
      .on('audit_repeats')
      .column(column)
      .execute();
}
