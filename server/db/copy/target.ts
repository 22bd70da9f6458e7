/** The PostgreSQL that an installation is copied to. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { isLater, migrate, readAppliedSteps } from '../migrate';
import { openDatabase } from '../open';
import type { Database, DatabaseConfig } from '../open';
import type { Tables } from '../schema';
import { CopyError, toCopyError } from './copy-fault';

const KYSELY_TABLE = /^kysely_/;
const LOCK_SECONDS = 5;
/** Rows in one fetch and one statement. */
export const MAX_ROWS_PER_STATEMENT = 1000;

/**
 * Creates our tables in a database without tables, or with empty ones of a failed attempt.
 * @throws MoveError not-ours, newer, not-empty
 */
export async function prepareTarget(config: DatabaseConfig): Promise<void> {
  const { db, close } = openDatabase(config);
  try {
    const names = (await listTables(db)).filter((name) => !KYSELY_TABLE.test(name));
    const appliedSteps = await readAppliedSteps(db);
    if (appliedSteps.length === 0 && names.length > 0) throw new CopyError('not-ours', names[0]);
    if (isLater(appliedSteps)) throw new CopyError('newer');
    await requireEmpty(names, db);
  } finally {
    await close();
  }
  await migrate(config);
}

async function listTables(db: Database): Promise<string[]> {
  const { rows } = await sql<{
    name: string;
  }>`select tablename as name from pg_tables where schemaname = current_schema() order by 1`.execute(
    db,
  );
  return rows.map(({ name }) => name);
}

async function requireEmpty(names: readonly string[], db: Database): Promise<void> {
  for (const name of names) {
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(db);
    if (rows.length > 0) throw new CopyError('not-empty', name);
  }
}

/**
 * Locks these tables until the transaction ends.
 * @throws MoveError in-use, not-empty
 */
export async function lockTarget(
  names: readonly string[],
  target: Transaction<Tables>,
): Promise<void> {
  await sql.raw(`set local lock_timeout = '${LOCK_SECONDS}s'`).execute(target);
  const tables = sql.join(names.map((name) => sql.table(name)));
  await sql`lock table ${tables} in access exclusive mode`.execute(target).catch((error) => {
    throw toCopyError(error, '');
  });
  await requireEmpty(names, target);
}

/** Sorts tables so that each comes after those it refers to. */
export async function orderTables(
  names: readonly string[],
  target: Transaction<Tables>,
): Promise<string[]> {
  const { rows } = await sql<{ child: string; parent: string }>`
    select child.relname as child, parent.relname as parent
    from pg_constraint
    inner join pg_class as child on child.oid = conrelid
    inner join pg_class as parent on parent.oid = confrelid
    where contype = 'f' and connamespace = cast(current_schema() as regnamespace)`.execute(target);
  const orderedNames: string[] = [];
  const remainingNames = new Set(names);
  const refersToRemaining = (name: string): boolean =>
    rows.some(
      ({ child, parent }) => child === name && parent !== name && remainingNames.has(parent),
    );
  while (remainingNames.size > 0) {
    const sortableNames = [...remainingNames].filter((name) => !refersToRemaining(name));
    if (sortableNames.length === 0)
      throw new Error(
        `Cannot sort these tables, because they refer to each other: ${[...remainingNames].join(', ')}.`,
      );
    for (const name of sortableNames) {
      orderedNames.push(name);
      remainingNames.delete(name);
    }
  }
  return orderedNames;
}

/**
 * Continues ids after all that were ever used, including deleted rows.
 * @param highestIds the highest id by table
 */
export async function setSequences(
  highestIds: ReadonlyMap<string, number>,
  target: Transaction<Tables>,
): Promise<void> {
  const { rows } = await sql<{ name: string }>`select table_name as name
    from information_schema.columns where table_schema = current_schema()
    and column_name = 'id' and is_identity = 'YES'`.execute(target);
  for (const { name } of rows) {
    const highestSequence = await sql<{
      highest: number | null;
    }>`select max(id) as highest from ${sql.table(name)}`.execute(target);
    const highest = Math.max(highestIds.get(name) ?? 0, highestSequence.rows[0]?.highest ?? 0);
    if (highest > 0)
      await sql`select setval(pg_get_serial_sequence(${name}, 'id'), ${highest})`.execute(target);
  }
}

const listColumns = (columns: readonly string[]) =>
  sql.join(columns.map((column) => sql.ref(column)));

/** Reads a table through a cursor, because it may be large. */
export async function* readTable(
  table: string,
  columns: readonly string[],
  transaction: Transaction<Tables>,
): AsyncGenerator<Record<string, unknown>[]> {
  await sql`declare reading no scroll cursor for select ${listColumns(columns)}
    from ${sql.table(table)}`.execute(transaction);
  for (;;) {
    const { rows } = await sql
      .raw<Record<string, unknown>>(`fetch ${MAX_ROWS_PER_STATEMENT} from reading`)
      .execute(transaction);
    if (rows.length > 0) yield rows;
    if (rows.length < MAX_ROWS_PER_STATEMENT) break;
  }
  await sql`close reading`.execute(transaction);
}

/** Inserts a JSON array of rows, because `COPY` would need another package. */
export async function insertJson(
  table: string,
  columns: readonly string[],
  rows: string,
  transaction: Transaction<Tables>,
): Promise<void> {
  const [name, columnLists] = [sql.table(table), listColumns(columns)];
  await sql`insert into ${name} (${columnLists}) select ${columnLists}
    from json_populate_recordset(cast(null as ${name}), cast(${rows} as json))`.execute(
    transaction,
  );
}
