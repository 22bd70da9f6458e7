/**
 * Counts what became of each step of an escalation, and names the step that asked for a call of a
 * webhook. Steps of before have no counts: of them it is unknown.
 */
import type { Kysely } from 'kysely';

export async function countOutcomes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('step_outcomes')
    .addColumn('message_id', 'text', (column) =>
      column.notNull().references('messages.id').onDelete('cascade'),
    )
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('people', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('step_outcomes_key', ['message_id', 'position', 'outcome', 'reason'])
    .execute();
  for (const [table, name, type] of [
    ['escalation_steps', 'round', 'integer'],
    ['escalation_steps', 'sent_id', 'text'],
    ['webhook_calls', 'message_id', 'text'],
    ['webhook_calls', 'position', 'integer'],
    ['webhook_calls', 'people', 'integer'],
  ] as const)
    await db.schema.alterTable(table).addColumn(name, type).execute();
  await db.schema
    .alterTable('recipients')
    .addColumn('round_accepted', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
