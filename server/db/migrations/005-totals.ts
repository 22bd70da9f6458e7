/** Lets the outbox forget rows: a message keeps their numbers, and what its sender was told. */
import type { Kysely } from 'kysely';

export async function keepTotals(db: Kysely<unknown>): Promise<void> {
  for (const outcome of ['accepted', 'failed', 'gone']) {
    await db.schema
      .alterTable('messages')
      .addColumn(outcome, 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  }
  await db.schema
    .alterTable('messages')
    .addColumn('answer', 'text', (column) => column.notNull().defaultTo('Notification sent.'))
    .execute();
}
