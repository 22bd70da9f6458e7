/**
 * Finds who has not registered yet without reading everybody, and lets PostgreSQL sweep the outbox
 * before a message to a million has filled it with rows that have ended.
 */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Engine } from '../open';

export async function prepareForSize(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await sql`create index users_pending on users (id) where status = 'PENDING'`.execute(db);
  if (engine === 'sqlite') return;
  // Each push changes its row twice, and its person's row once.
  await sql`alter table deliveries set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000)`.execute(
    db,
  );
  await sql`alter table recipients set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 5000)`.execute(
    db,
  );
}
