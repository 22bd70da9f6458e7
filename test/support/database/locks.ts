/** What waits for another transaction: on PostgreSQL, where several write at once. */
import { sql } from 'kysely';
import type { Database } from '../../../server/db/open';
import { eventually } from '../eventually';

/** Resolves once a transaction of this database waits for what another one holds. */
export async function othersWait(db: Database): Promise<void> {
  const waiting = sql`select 1 from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()`;
  await eventually(
    async () => (await waiting.execute(db)).rows.length > 0,
    'somebody to wait for a lock',
  );
}
