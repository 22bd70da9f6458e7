/** Work that is to be done at some time, by any process: mails, to begin with. */
import type { Kysely } from 'kysely';
import type { Engine } from '../open';

export async function keepJobs(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const table = db.schema.createTable('jobs');
  const identified =
    engine === 'sqlite'
      ? table.addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
      : table.addColumn('id', 'bigint', (column) =>
          column.primaryKey().generatedByDefaultAsIdentity(),
        );
  await identified
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .addColumn('generation', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('claimed_until', 'bigint')
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .addUniqueConstraint('jobs_subject', ['kind', 'subject'])
    .execute();
  await db.schema.createIndex('jobs_due').on('jobs').columns(['kind', 'due_at']).execute();
}
