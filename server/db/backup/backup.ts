/**
 * Backups of the embedded database, made while servers use it. PostgreSQL brings tools of its own.
 */
import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type Database from 'libsql';
import { BackupError, asFault, codeOf, isDamage } from './backup-fault';
import { checksumFile, synchronize, writeChecksum } from './checksum';
import { DATABASE, openFile } from '../engines/embedded';
import { removeLeftovers, unfinished } from './leftovers';
import { LAST_BACKUP } from '../settings';

/** A command may have to wait for a large message that is being stored. */
export const LOCK_WAIT_MILLISECONDS = 10_000;

/** Another machine may be writing its backup to the same folder; nothing of it is that old. */
const OTHERS_MILLISECONDS = 600_000;

/** @throws BackupError if there is no database in the folder. Opening it would make one */
export function openExisting(dataDir: string): Database.Database {
  if (!existsSync(join(dataDir, DATABASE))) throw new BackupError('no-database');
  return openFile(join(dataDir, DATABASE), LOCK_WAIT_MILLISECONDS);
}

/**
 * Writes all that was committed until now into a file of its own, readable by its owner only (it
 * holds password hashes), and its checksum beside it. No request waits for it. The file has its
 * name only once it is whole and on the disk.
 * @throws BackupError whatever stands in the way
 */
export function backUp(dataDir: string, file: string): void {
  for (const each of [file, checksumFile(file)])
    if (existsSync(each)) throw new BackupError('file-exists', each);
  if (!statSync(dirname(file), { throwIfNoEntry: false })?.isDirectory())
    throw new BackupError('no-folder', dirname(file));
  try {
    const database = openExisting(dataDir);
    try {
      copyInto(database, file);
      noteBackup(database);
    } finally {
      database.close();
    }
  } catch (error) {
    if (isDamage(error)) throw new BackupError('damaged-database', String(error));
    throw asFault(error);
  }
}

/** For the dashboard. The backup is made, whether this can be written or not. */
function noteBackup(database: Database.Database): void {
  try {
    database
      .prepare(
        'insert into settings (name, value) values (?, ?) on conflict do update set value = ?',
      )
      .run([LAST_BACKUP, String(Date.now()), String(Date.now())]);
  } catch (error) {
    if (!/^SQLITE_/.test(codeOf(error))) throw error;
  }
}

/** As `backUp`, of an open database. */
export function copyInto(database: Database.Database, file: string): void {
  removeLeftovers(dirname(file), OTHERS_MILLISECONDS);
  const [partial, sum] = [unfinished(file), unfinished(file)];
  try {
    // Made before it is filled, or it would be readable by everybody meanwhile. SQLite takes an
    // empty file for a new one.
    closeSync(openSync(partial, 'wx', 0o600));
    database.prepare('vacuum into ?').run([partial]);
    synchronize(partial);
    writeChecksum(partial, sum, file);
    // In this order: a backup without its checksum is restored with a warning only.
    renameSync(sum, checksumFile(file));
    renameSync(partial, file);
    synchronize(dirname(file));
  } finally {
    for (const each of [partial, sum]) rmSync(each, { force: true });
  }
}
