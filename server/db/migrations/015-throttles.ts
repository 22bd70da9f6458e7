/** Push services that limit how many pushes we may send. */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';

export async function addThrottleColumns(db: Kysely<unknown>): Promise<void> {
  for (const column of ['throttled_until', 'paced_to'])
    await sql.raw(`alter table push_services add column ${column} bigint`).execute(db);
}
