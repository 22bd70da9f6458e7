/**
 * Deleting a row makes the database look for rows that refer to it, which no plan of ours shows.
 */
import { sql } from 'kysely';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openDatabase } from '../../../server/db/open';
import { createDatabase, onPostgres } from '../../support/database/database';

const test = suite('references');

/** Referring columns, and the first columns of all indexes, as `table.column`. */
const REFERENCES_QUERY = onPostgres
  ? sql`select conrelid::regclass || '.' || attname as name from pg_constraint
      inner join pg_attribute on attrelid = conrelid and attnum = conkey[1] where contype = 'f'`
  : sql`select tables.name || '.' || part."from" as name from sqlite_schema as tables, pragma_foreign_key_list(tables.name) as part
      where tables.type = 'table'`;
const INDEXES_QUERY = onPostgres
  ? sql`select indrelid::regclass || '.' || attname as name from pg_index
      inner join pg_attribute on attrelid = indrelid and attnum = indkey[0] where indpred is null`
  : sql`select tables.name || '.' || part.name as name from sqlite_schema as tables, pragma_index_list(tables.name) as list,
      pragma_index_info(list.name) as part where tables.type = 'table' and list.partial = 0 and part.seqno = 0
    union select tables.name || '.' || part.name from sqlite_schema as tables, pragma_table_info(tables.name) as part
      where tables.type = 'table' and part.pk = 1`;

test('indexes each column that refers to another table', async () => {
  const { config, drop } = await createDatabase();
  const { db, close } = openDatabase(config);
  try {
    const indexed = new Set(
      (await sql<{ name: string }>`${INDEXES_QUERY}`.execute(db)).rows.map(({ name }) => name),
    );
    const { rows } = await sql<{ name: string }>`${REFERENCES_QUERY}`.execute(db);
    assert.ok(rows.length > 20);
    assert.equal(
      rows.map(({ name }) => name).filter((name) => !indexed.has(name)),
      [],
    );
  } finally {
    await close();
    await drop();
  }
});

test.run();
