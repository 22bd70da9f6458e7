/** Copies everything from the embedded database into an empty PostgreSQL. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type Embedded from 'libsql';
import { openExisting } from '../backup/backup';
import { readTableColumns } from '../backup/examine';
import { openDatabase } from '../open';
import type { Tables } from '../schema';
import { CopyError, toCopyError } from './copy-fault';
import {
  MAX_ROWS_PER_STATEMENT,
  insertJson,
  orderTables,
  prepareTarget,
  readTable,
  setSequences,
  lockTarget,
} from './target';

/** Limits one statement, as `MAX_ROWS_PER_STATEMENT` does, and so the memory. */
const MAX_CHARACTERS_PER_STATEMENT = 1024 * 1024;
const CONNECT_TIMEOUT_MS = 30_000;

interface CopyResult {
  /** The moment of the copy. Milliseconds since 1970. */
  at: number;
  tables: CopiedTable[];
}

export interface CopiedTable {
  name: string;
  rows: number;
}

interface CopyOptions {
  dataDir: string;
  /** The target's. */
  databaseUrl: string;
  /** The function is called for each copied table. */
  onTable(table: CopiedTable): void;
  /** The last write of the target's transaction. */
  finish(target: Transaction<Tables>): Promise<void>;
}

/**
 * Copies the state of one moment, while servers may go on, then reads it back and compares each
 * table. One transaction of the target holds all of it.
 * @throws MoveError, and BackupError without a database to copy
 */
export async function copyTo({
  dataDir,
  databaseUrl,
  onTable,
  finish,
}: CopyOptions): Promise<CopyResult> {
  const source = openExisting(dataDir);
  const config = {
    dataDir,
    databaseUrl,
    statementLimit: 0,
    connectLimit: CONNECT_TIMEOUT_MS,
  };
  try {
    await prepareTarget(config);
    const { db, close } = openDatabase(config);
    try {
      const copy = await db.transaction().execute(async (target) => {
        // SQLite's transaction sees the state at its first read.
        const copiedAt = Date.now();
        source.exec('begin');
        const tables = readTableColumns(source);
        await lockTarget([...tables.keys()], target);
        const copiedTables: CopiedTable[] = [];
        for (const name of await orderTables([...tables.keys()], target)) {
          const table = { name, columns: tables.get(name) ?? [] };
          const rows = await moveTable(table, source, target);
          copiedTables.push({ name, rows });
          onTable({ name, rows });
        }
        await setSequences(readUsedIds(source), target);
        await finish(target);
        return { at: copiedAt, tables: copiedTables };
      });
      // Without statistics, the planner thinks that large tables are empty.
      await sql`analyze`.execute(db);
      return copy;
    } finally {
      await close();
    }
  } finally {
    if (source.inTransaction) source.exec('rollback');
    source.close();
  }
}

interface TableToCopy {
  name: string;
  columns: readonly string[];
}

/**
 * @returns the number of rows.
 * @throws MoveError unstorable, differs
 */
async function moveTable(
  table: TableToCopy,
  source: Embedded.Database,
  target: Transaction<Tables>,
): Promise<number> {
  try {
    const sentFingerprint = await sendRows(table, source, target);
    const arrivedFingerprint = await readBack(table, target);
    if (!arrivedFingerprint.equals(sentFingerprint)) throw new CopyError('differs', table.name);
    return sentFingerprint.rows;
  } catch (error) {
    throw toCopyError(error, table.name);
  }
}

async function sendRows(
  { name, columns }: TableToCopy,
  source: Embedded.Database,
  target: Transaction<Tables>,
): Promise<Fingerprint> {
  const print = new Fingerprint();
  let batch: string[] = [];
  let characters = 0;
  const flushRows = async (): Promise<void> => {
    if (batch.length === 0) return;
    await insertJson(name, columns, `[${batch.join()}]`, target);
    batch = [];
    characters = 0;
  };
  // Rows are copied in the order of insertion: a row may refer to an earlier row of its table.
  const rows = source.prepare(`select ${columns.join()} from main.${name} order by rowid`);
  for (const row of rows.iterate([]) as Iterable<Record<string, unknown>>) {
    print.add(columns.map((column) => row[column]));
    const text = JSON.stringify(row);
    batch.push(text);
    characters += text.length;
    if (batch.length === MAX_ROWS_PER_STATEMENT || characters > MAX_CHARACTERS_PER_STATEMENT)
      await flushRows();
  }
  await flushRows();
  return print;
}

async function readBack(
  { name, columns }: TableToCopy,
  target: Transaction<Tables>,
): Promise<Fingerprint> {
  const print = new Fingerprint();
  for await (const rows of readTable(name, columns, target))
    for (const row of rows) print.add(columns.map((column) => row[column]));
  return print;
}

/** The highest id ever used by table, including deleted rows. */
function readUsedIds(source: Embedded.Database): Map<string, number> {
  const rows = source.prepare('select name, seq from sqlite_sequence').all([]) as {
    name: string;
    seq: number;
  }[];
  return new Map(rows.map(({ name, seq }) => [name, seq]));
}

/** Sums of row hashes: they need no memory and no order, and count duplicates. */
class Fingerprint {
  rows = 0;
  #first = 0n;
  #second = 0n;

  /** @param values texts, numbers and nulls in the order of the columns */
  add(values: readonly unknown[]): void {
    const hash = createHash('sha256').update(JSON.stringify(values)).digest();
    this.rows += 1;
    this.#first = BigInt.asUintN(64, this.#first + hash.readBigUInt64BE(0));
    this.#second = BigInt.asUintN(64, this.#second + hash.readBigUInt64BE(8));
  }

  equals(other: Fingerprint): boolean {
    return (
      this.rows === other.rows && this.#first === other.#first && this.#second === other.#second
    );
  }
}
