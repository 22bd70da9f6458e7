/** Checks that a backup is ours, complete and consistent before anything is changed. */
import { closeSync, copyFileSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { errorCode } from '../errors';
import { createFolder } from '../create-folder';
import { BackupError, isDamage } from './backup-fault';
import { verifyChecksum } from './checksum';
import { SQLITE_FILE_NAME } from '../engines/embedded';
import { MIGRATIONS_TABLE, isLater, isUnreleased, migrate } from '../migrate';

/** The first bytes of every SQLite 3 file. */
const HEADER = 'SQLite format 3\0';

/**
 * Copies the backup file alone into a folder of its own.
 * @returns whether it had a checksum
 * @throws BackupError if it cannot be read or its checksum differs
 */
export function copyBackup(file: string, folder: string, dataDir: string): boolean {
  const fileStatus = statSync(file, { throwIfNoEntry: false });
  if (fileStatus === undefined) throw new BackupError('missing');
  if (!fileStatus.isFile()) throw new BackupError('no-file');
  const main = statSync(join(dataDir, SQLITE_FILE_NAME), { throwIfNoEntry: false });
  // The file is not even opened: closing it would drop this process's POSIX locks on it.
  if (main?.ino === fileStatus.ino && main.dev === fileStatus.dev) throw new BackupError('itself');
  if (readStart(file) !== HEADER) throw new BackupError('no-backup');
  createFolder(folder, 0o700);
  const copy = join(folder, SQLITE_FILE_NAME);
  copyFileSync(file, copy);
  const checksumMatches = verifyChecksum(copy, file);
  if (checksumMatches === false) throw new BackupError('altered');
  // SQLite would apply such a log, which may belong to another file that once had this name.
  const log = ['-wal', '-journal']
    .map((suffix) => file + suffix)
    .find((path) => existsSync(path) && statSync(path).size > 0);
  if (!checksumMatches && log !== undefined) throw new BackupError('log-beside', log);
  return checksumMatches ?? false;
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
 * Examines the copy in `folder` and migrates it.
 * @throws BackupError `no-backup`, `unreleased`, `newer`, `damaged`
 */
export async function examineAndMigrate(folder: string): Promise<void> {
  const copy = join(folder, SQLITE_FILE_NAME);
  try {
    withFile(copy, (database) => {
      const steps = readSteps(database);
      if (steps.length === 0) throw new BackupError('no-backup');
      if (isUnreleased(steps)) throw new BackupError('unreleased');
      if (isLater(steps)) throw new BackupError('newer');
      checkDatabaseIntegrity(database);
    });
    await migrate({ dataDir: folder });
    await compareTables(folder);
  } catch (error) {
    if (error instanceof BackupError) throw error;
    if (isDamage(error) || isMigrationFault(error)) throw new BackupError('damaged', String(error));
    throw error;
  }
}

/**
 * Examines a backup in place, read-only.
 * @throws BackupError `no-backup`, `damaged`
 */
export function examineFile(file: string): void {
  try {
    withFile(file, (database) => {
      if (readSteps(database).length === 0) throw new BackupError('no-backup');
      checkDatabaseIntegrity(database);
    });
  } catch (error) {
    if (isDamage(error)) throw new BackupError('damaged', String(error));
    throw error;
  }
}

/** Checks pages, indexes, constraints and references. */
export function checkDatabaseIntegrity(database: Database.Database): void {
  const [integrityRow] = database.prepare('pragma integrity_check(1)').all([]) as {
    integrity_check: string;
  }[];
  if (integrityRow?.integrity_check !== 'ok')
    throw new BackupError('damaged', integrityRow?.integrity_check);
  const [danglingReference] = database.prepare('pragma foreign_key_check').all([]) as {
    table: string;
    parent: string;
  }[];
  if (danglingReference !== undefined)
    throw new BackupError(
      'damaged',
      `a row of ${danglingReference.table} refers to a missing row of ${danglingReference.parent}`,
    );
}

/** A backup may lack a table that its migrations claim to have made. */
async function compareTables(folder: string): Promise<void> {
  const emptyFolder = join(folder, 'empty');
  await migrate({ dataDir: emptyFolder });
  const [expectedTables, foundTables] = [emptyFolder, folder].map((folderTables) =>
    withFile(join(folderTables, SQLITE_FILE_NAME), readTableColumns),
  ) as [TableColumns, TableColumns];
  for (const [name, columns] of expectedTables) {
    const foundColumns = foundTables.get(name);
    if (foundColumns === undefined) throw new BackupError('damaged', `missing table ${name}`);
    const missingColumns = columns.filter((column) => !foundColumns.includes(column));
    if (missingColumns.length > 0)
      throw new BackupError('damaged', `missing columns of ${name}: ${missingColumns.join(', ')}`);
  }
}

type TableColumns = Map<string, string[]>;

/** Our tables with their columns. */
export function readTableColumns(database: Database.Database): TableColumns {
  const rows = database
    .prepare(
      `select m.name as name, c.name as "column" from main.sqlite_master m join pragma_table_info(m.name) c
       where m.type = 'table' and m.name not like 'sqlite%' and m.name not like 'kysely%' order by m.name, c.cid`,
    )
    .all([]) as { name: string; column: string }[];
  const tables: TableColumns = new Map();
  for (const { name, column } of rows) tables.set(name, [...(tables.get(name) ?? []), column]);
  return tables;
}

/** The migrations a database has had; none if it is not ours. */
export function readSteps(database: Database.Database): string[] {
  const notes = database
    .prepare('select 1 from sqlite_master where name = ?')
    .all([MIGRATIONS_TABLE]);
  const rows =
    notes.length > 0 ? database.prepare(`select name from ${MIGRATIONS_TABLE}`).all([]) : [];
  return (rows as { name: string }[]).map(({ name }) => name);
}

/** SQL that does not fit the tables, or steps in another order than ours. */
const isMigrationFault = (error: unknown): boolean =>
  errorCode(error) === 'SQLITE_ERROR' ||
  (error instanceof Error && /^corrupted migrations/.test(error.message));

function withFile<Result>(
  file: string,
  examineDatabase: (database: Database.Database) => Result,
): Result {
  const database = new Database(file);
  try {
    return examineDatabase(database);
  } finally {
    database.close();
  }
}
