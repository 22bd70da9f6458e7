/** Backs up the embedded database while servers use it. PostgreSQL has tools of its own. */
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type Database from 'libsql';
import { errorCode } from '../errors';
import { BackupError, toBackupError, isDamage } from './backup-fault';
import { checksumFile, flushToDisk, writeChecksum } from './checksum';
import { SQLITE_FILE_NAME, openFile } from '../engines/embedded';
import { examineFile } from './examine';
import { removeLeftovers, unfinishedPath } from './leftovers';
import { LAST_BACKUP } from '../settings';

/** A command may wait for a large message that is being stored. */
export const LOCK_WAIT_MS = 10_000;

/** Another machine may write to the same folder, but none of its unfinished files is this old. */
const LEFTOVER_FILE_AGE_MS = 600_000;

/** @throws BackupError if the folder has no database, which opening would create */
export function openExisting(dataDir: string): Database.Database {
  if (!existsSync(join(dataDir, SQLITE_FILE_NAME))) throw new BackupError('no-database');
  return openFile(join(dataDir, SQLITE_FILE_NAME), LOCK_WAIT_MS);
}

/**
 * Writes all committed data into a new file, readable by its owner only, with its checksum beside
 * it. The file gets its name once it is complete and on the disk.
 * @throws BackupError
 */
export function backUp(dataDir: string, file: string): void {
  for (const path of [file, checksumFile(file)])
    if (existsSync(path)) throw new BackupError('file-exists', path);
  if (!statSync(dirname(file), { throwIfNoEntry: false })?.isDirectory())
    throw new BackupError('no-folder', dirname(file));
  try {
    const database = openExisting(dataDir);
    try {
      copyIntoFile(database, file);
      recordBackupTime(database);
    } finally {
      database.close();
    }
  } catch (error) {
    if (isDamage(error)) throw new BackupError('damaged-database', String(error));
    throw toBackupError(error);
  }
}

/** The dashboard shows this time. If storing it fails, the backup is still good. */
function recordBackupTime(database: Database.Database): void {
  try {
    writeSettingInFile(database, LAST_BACKUP, String(Date.now()));
  } catch (error) {
    if (!/^SQLITE_/.test(errorCode(error))) throw error;
  }
}

export function writeSettingInFile(database: Database.Database, name: string, value: string): void {
  database
    .prepare('insert or replace into settings (name, value) values (?, ?)')
    .run([name, value]);
}

export function copyIntoFile(database: Database.Database, file: string): void {
  removeLeftovers(dirname(file), LEFTOVER_FILE_AGE_MS);
  const [partial, sum] = [unfinishedPath(file), unfinishedPath(file)];
  try {
    // We create the file, because SQLite would let everyone read it. SQLite accepts an empty file.
    closeSync(openSync(partial, 'wx', 0o600));
    database.prepare('vacuum into ?').run([partial]);
    flushToDisk(partial);
    writeChecksum(partial, sum, file);
    // The checksum first: a backup without one restores with a warning only.
    renameSync(sum, checksumFile(file));
    renameSync(partial, file);
    flushToDisk(dirname(file));
  } finally {
    for (const path of [partial, sum]) rmSync(path, { force: true });
  }
}

/** Our rotated backups. Other files in the folder are never touched. */
const BACKUP_FILE_NAME = /^fieldbell\.\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z\.db$/;
const backupName = (now: number): string =>
  `fieldbell.${new Date(now).toISOString().replace(/:/g, '-')}.db`;

interface RotationResult {
  file: string;
  removed: string[];
}

/**
 * Makes and examines a backup, then removes the oldest ones until `maxBackups` are left.
 * @param now milliseconds since 1970
 * @throws BackupError and nothing was removed
 */
export function rotateBackups(
  dataDir: string,
  folder: string,
  maxBackups: number,
  now: number,
): RotationResult {
  const file = join(folder, backupName(now));
  backUp(dataDir, file);
  examineFile(file);
  const removedNames = readdirSync(folder)
    .filter((name) => BACKUP_FILE_NAME.test(name))
    .sort()
    .slice(0, -maxBackups);
  for (const name of removedNames)
    for (const path of [join(folder, name), checksumFile(join(folder, name))])
      rmSync(path, { force: true });
  return { file, removed: removedNames };
}
