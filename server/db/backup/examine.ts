/**
 * Looks at a backup before anything is touched: whether it is one, is whole, and agrees with
 * itself.
 */
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { BackupError, isDamage } from './backup-fault';
import { verify } from './checksum';
import { DATABASE } from '../engines/embedded';
import { NOTED_IN, isLater, isUnreleased, migrate } from '../migrate';

/** How every file of SQLite 3 begins. */
const HEADER = 'SQLite format 3\0';

/**
 * Copies the backup, and nothing beside it, into a folder of its own.
 * @returns whether its checksum was there to be compared
 * @throws BackupError if it cannot be read or is not what was once written
 */
export function takeCopy(file: string, folder: string, dataDir: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new BackupError('missing');
  if (!found.isFile()) throw new BackupError('no-file');
  const main = statSync(join(dataDir, DATABASE), { throwIfNoEntry: false });
  // It must not even be opened: closing it would drop this process's locks on it (POSIX).
  if (main?.ino === found.ino && main.dev === found.dev) throw new BackupError('itself');
  if (readStart(file) !== HEADER) throw new BackupError('no-backup');
  mkdirSync(folder, { mode: 0o700, recursive: true });
  const copy = join(folder, DATABASE);
  copyFileSync(file, copy);
  const verified = verify(copy, file);
  if (verified === false) throw new BackupError('altered');
  // What a log holds belongs to the file, or to another that once had its name: SQLite would
  // believe either.
  const log = ['-wal', '-journal']
    .map((ending) => file + ending)
    .find((each) => existsSync(each) && statSync(each).size > 0);
  if (!verified && log !== undefined) throw new BackupError('log-beside', log);
  return verified ?? false;
}

function readStart(file: string): string {
  const descriptor = openSync(file, 'r');
  try {
    const start = Buffer.alloc(HEADER.length);
    readSync(descriptor, start, 0, HEADER.length, 0);
    return start.toString('latin1');
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Examines the copy in `folder` and brings its tables up to date.
 * @throws BackupError `no-backup`, `unreleased`, `newer`, `damaged`
 */
export async function examine(folder: string): Promise<void> {
  const copy = join(folder, DATABASE);
  try {
    withFile(copy, (database) => {
      const steps = readSteps(database);
      if (steps.length === 0) throw new BackupError('no-backup');
      if (isUnreleased(steps)) throw new BackupError('unreleased');
      if (isLater(steps)) throw new BackupError('newer');
      checkWhole(database);
    });
    await migrate({ dataDir: folder });
    await compareTables(folder);
  } catch (error) {
    if (error instanceof BackupError) throw error;
    if (isDamage(error) || isMigrationFault(error)) throw new BackupError('damaged', String(error));
    throw error;
  }
}

/** As far as one can look at a backup where it is. @throws BackupError `no-backup`, `damaged` */
export function examineFile(file: string): void {
  try {
    withFile(file, (database) => {
      if (readSteps(database).length === 0) throw new BackupError('no-backup');
      checkWhole(database);
    });
  } catch (error) {
    if (isDamage(error)) throw new BackupError('damaged', String(error));
    throw error;
  }
}

/** The pages, the indexes against their tables, every constraint, every reference. */
export function checkWhole(database: Database.Database): void {
  const [found] = database.prepare('pragma integrity_check(1)').all([]) as {
    integrity_check: string;
  }[];
  if (found?.integrity_check !== 'ok') throw new BackupError('damaged', found?.integrity_check);
  const [dangling] = database.prepare('pragma foreign_key_check').all([]) as {
    table: string;
    parent: string;
  }[];
  if (dangling !== undefined)
    throw new BackupError(
      'damaged',
      `a row of ${dangling.table} refers to one of ${dangling.parent} that is missing`,
    );
}

/**
 * A backup may lack a table although it says that its migrations were made: its tables must be
 * those of an empty installation.
 */
async function compareTables(folder: string): Promise<void> {
  const empty = join(folder, 'empty');
  await migrate({ dataDir: empty });
  const [expected, found] = [empty, folder].map((each) =>
    withFile(join(each, DATABASE), tablesOf),
  ) as [Tables, Tables];
  for (const [name, columns] of expected) {
    const missing = found.has(name)
      ? columns.filter((column) => !found.get(name)?.includes(column))
      : [name];
    if (missing.length > 0) throw new BackupError('damaged', `it lacks ${missing.join(' and ')}`);
  }
}

type Tables = Map<string, string[]>;

/** Our tables, with the names of their columns. */
export function tablesOf(database: Database.Database): Tables {
  const rows = database
    .prepare(
      `select m.name as name, c.name as "column" from main.sqlite_master m join pragma_table_info(m.name) c
       where m.type = 'table' and m.name not like 'sqlite%' and m.name not like 'kysely%' order by m.name, c.cid`,
    )
    .all([]) as { name: string; column: string }[];
  const tables: Tables = new Map();
  for (const { name, column } of rows) tables.set(name, [...(tables.get(name) ?? []), column]);
  return tables;
}

/** The migrations that a database has seen; none if it is not ours. */
export function readSteps(database: Database.Database): string[] {
  const notes = database.prepare('select 1 from sqlite_master where name = ?').all([NOTED_IN]);
  const rows = notes.length > 0 ? database.prepare(`select name from ${NOTED_IN}`).all([]) : [];
  return (rows as { name: string }[]).map(({ name }) => name);
}

/** SQL that does not fit the tables, or steps that were made in another order than ours. */
const isMigrationFault = (error: unknown): boolean =>
  error instanceof Error &&
  (/^corrupted migrations/.test(error.message) ||
    ('code' in error && error.code === 'SQLITE_ERROR'));

function withFile<Result>(file: string, look: (database: Database.Database) => Result): Result {
  const database = new Database(file);
  try {
    return look(database);
  } finally {
    database.close();
  }
}
