/** Backup and restore of the embedded database, both while servers use it. PostgreSQL brings tools of its own. */
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { openFile } from './embedded';
import { isKnownStep, migrate } from './migrate';

const DATABASE = 'fieldbell.db';
/** A restore may have to wait for a large message that is being stored. */
const LOCK_WAIT_MILLISECONDS = 10_000;

export type BackupFault = 'no-database' | 'file-exists' | 'no-backup' | 'newer';

/** A backup or restore that was not begun; nothing was changed. */
export class BackupError extends Error {
  readonly fault: BackupFault;

  constructor(fault: BackupFault) {
    super(fault);
    this.fault = fault;
  }
}

/**
 * Writes all that was committed until now into a file of its own, readable by its owner only (it holds password hashes).
 * Nobody waits for it. The file has its name only once it is whole and on the disk.
 * @throws BackupError `no-database` in `dataDir`, or `file-exists`
 */
export function backUp(dataDir: string, file: string): void {
  if (!existsSync(join(dataDir, DATABASE))) throw new BackupError('no-database');
  if (existsSync(file)) throw new BackupError('file-exists');
  const partial = aside(file);
  const database = openFile(join(dataDir, DATABASE), LOCK_WAIT_MILLISECONDS);
  try {
    // Made before it is filled, or it would be readable by everybody meanwhile. SQLite takes an empty file for a new one.
    closeSync(openSync(partial, 'wx', 0o600));
    database.prepare('vacuum into ?').run([partial]);
    synchronize(partial);
    renameSync(partial, file);
  } finally {
    database.close();
    rmSync(partial, { force: true });
  }
}

/**
 * Puts the contents of a backup in the place of all that is there, in one transaction: running servers see either the
 * old or the new. What a restore must not bring back, it does not: everybody has to sign in again, because a session that
 * was ended since the backup would be valid once more, and mailed links do not work a second time.
 * The backup may be of an older version. Without a database in `dataDir` one is made.
 * @throws BackupError `no-backup` if the file is none of ours; `newer` if a later version wrote it
 */
export async function restore(dataDir: string, file: string): Promise<void> {
  const folder = aside(join(dataDir, 'restore'));
  try {
    const copy = prepare(file, folder);
    for (const each of [folder, dataDir]) await migrate({ dataDir: each });
    const database = openFile(join(dataDir, DATABASE), LOCK_WAIT_MILLISECONDS);
    try {
      replace(database, copy);
    } finally {
      database.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A copy of the backup, as its tables may have to change before they fit. */
function prepare(file: string, folder: string): string {
  if (!existsSync(file)) throw new BackupError('no-backup');
  mkdirSync(folder, { mode: 0o700 });
  const copy = join(folder, DATABASE);
  const steps = readSteps(file);
  if (steps.length === 0) throw new BackupError('no-backup');
  if (!steps.every(isKnownStep)) throw new BackupError('newer');
  // Not a copy of the file: somebody may have opened it, and part of it may still lie in a log beside it.
  const database = new Database(file);
  database.prepare('vacuum into ?').run([copy]);
  database.close();
  return copy;
}

/** The migrations that a file has seen; none if it is not ours. An empty file would else become an empty installation. */
function readSteps(file: string): string[] {
  try {
    const database = new Database(file);
    const migrated = database.prepare(`select 1 from sqlite_master where name = 'kysely_migration'`).all([]).length === 1;
    const rows = migrated ? (database.prepare('select name from kysely_migration').all([]) as { name: string }[]) : [];
    database.close();
    return rows.map(({ name }) => name);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_NOTADB') return [];
    throw error;
  }
}

function replace(database: Database.Database, copy: string): void {
  const tables = database
    .prepare(`select name from sqlite_master where type = 'table' and name not like 'sqlite%' and name not like 'kysely%'`)
    .all([]) as { name: string }[];
  // Whole tables come and go: references hold again at the end, and following each until then takes long.
  database.pragma('foreign_keys=OFF');
  database.prepare('attach ? as backup').run([copy]);
  database.exec('begin immediate');
  try {
    const [{ newest }] = database.prepare('select coalesce(max(session_version), 0) as newest from users').all([]) as [{ newest: number }];
    // Ids are never used again: `sqlite_sequence` is left as it is, and only grows.
    for (const { name } of tables) database.exec(`delete from main.${name}; insert into main.${name} select * from backup.${name};`);
    database.exec(`update users set session_version = max(session_version, ${newest}) + 1`);
    database.exec(`delete from one_time_tokens where purpose <> 'registration'`);
    database.exec('commit');
  } catch (error) {
    if (database.inTransaction) database.exec('rollback');
    throw error;
  }
}

const aside = (name: string): string => `${name}.${randomBytes(6).toString('hex')}`;

function synchronize(file: string): void {
  const descriptor = openSync(file, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
