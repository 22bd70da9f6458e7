/**
 * What each push service last did with our pushes, whichever process saw it, and when each push was
 * written. What is known so far is when a service last accepted a push, by the hour.
 */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';

export async function keepPushOutcomes(db: Kysely<unknown>): Promise<void> {
  for (const [column, type] of [
    ['state', 'text'],
    ['state_since', 'bigint'],
    ['accepted_at', 'bigint'],
    ['refused_at', 'bigint'],
    ['refused_reason', 'text'],
    ['unreachable_at', 'bigint'],
    ['unreachable_reason', 'text'],
  ] as const)
    await db.schema.alterTable('push_services').addColumn(column, type).execute();
  await sql`update push_services set state = 'accepting', state_since = proven_at, accepted_at = proven_at
    where proven_at is not null`.execute(db);
  await sql`create index push_services_state on push_services (id) where state is not null`.execute(
    db,
  );
  await db.schema.alterTable('deliveries').addColumn('created_at', 'bigint').execute();
}
