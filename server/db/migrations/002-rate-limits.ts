/**
 * Counters that all server processes share, so that a limit holds however many of them there are.
 */
import type { Kysely } from 'kysely';

export async function limitRates(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('rate_limits')
    .addColumn('key', 'text', (column) => column.primaryKey().notNull())
    .addColumn('count', 'integer', (column) => column.notNull())
    .addColumn('ends_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('rate_limits_end').on('rate_limits').column('ends_at').execute();
}
