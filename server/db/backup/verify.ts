/** Checks that a backup can be restored, by restoring it into memory. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { SQLITE_FILE_NAME } from '../engines/embedded';
import { migrateEmbedded } from '../migrate';
import { toBackupError } from './backup-fault';
import { checkDatabaseIntegrity, examineAndMigrate, readTableColumns, copyBackup } from './examine';
import { replaceDatabase } from './restore';

/** Tables whose rows a restore removes on purpose. */
const TABLES_EMPTIED_BY_RESTORE = ['email_changes', 'jobs', 'one_time_tokens', 'settings'];

interface Verification {
  /** Whether the backup had a checksum. */
  hasChecksum: boolean;
  /** Rows per table of the backup, without empty tables. */
  counts: { name: string; rows: number }[];
}

/**
 * Restores a temporary copy into a database in memory, so nothing else is touched. Needs as much
 * memory as the backup is large.
 * @param dataDir of the installation whose own database is rejected; may be missing
 * @throws BackupError
 */
export async function verifyBackup(file: string, dataDir: string): Promise<Verification> {
  const folder = mkdtempSync(join(tmpdir(), 'fieldbell-verify-'));
  const memory = new Database(':memory:');
  try {
    const verified = copyBackup(file, folder, dataDir);
    await examineAndMigrate(folder);
    await migrateEmbedded(memory);
    replaceDatabase(memory, join(folder, SQLITE_FILE_NAME), 'bring-back', () => {});
    checkDatabaseIntegrity(memory);
    return { hasChecksum: verified, counts: compareCounts(memory) };
  } catch (error) {
    throw toBackupError(error);
  } finally {
    memory.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @throws Error if a restore loses rows, which is our bug */
function compareCounts(memory: Database.Database): Verification['counts'] {
  const counts: Verification['counts'] = [];
  for (const name of readTableColumns(memory).keys()) {
    const [rows, restoredRows] = ['backup', 'main'].map((schema) => {
      const [countRow] = memory
        .prepare(`select count(*) as rows from ${schema}.${name}`)
        .all([]) as [{ rows: number }];
      return countRow.rows;
    }) as [number, number];
    if (rows !== restoredRows && !TABLES_EMPTIED_BY_RESTORE.includes(name))
      throw new Error(`The backup has ${rows} rows of ${name}, but ${restoredRows} were restored.`);
    if (rows > 0) counts.push({ name, rows });
  }
  return counts;
}
