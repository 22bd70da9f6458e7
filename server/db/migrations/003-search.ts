/**
 * Lets PostgreSQL find text inside text by an index (trigrams), where the extension is there and
 * may be used; it comes with PostgreSQL itself. Without it, and in SQLite, searches read the table,
 * which is quick up to many thousand rows.
 */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Engine } from '../open';

const searched = [
  ['users', 'username_key'],
  ['users', 'email_key'],
  ['topics', 'search_key'],
  ['messages', 'search_key'],
] as const;

export async function indexSearches(db: Kysely<unknown>, engine: Engine): Promise<void> {
  if (engine !== 'postgres') return;
  // Inside a block of its own, because a refusal would otherwise end the whole migration's
  // transaction.
  await sql`do $$ begin create extension if not exists pg_trgm; exception when others then null; end $$`.execute(
    db,
  );
  const { rows } = await sql`select 1 from pg_extension where extname = 'pg_trgm'`.execute(db);
  if (rows.length === 0) return;
  for (const [table, column] of searched) {
    const name = sql.id(`${table}_${column}_trigrams`);
    await sql`create index ${name} on ${sql.table(table)} using gin (${sql.id(column)} gin_trgm_ops)`.execute(
      db,
    );
  }
}
