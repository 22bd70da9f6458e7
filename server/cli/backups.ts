import { resolve } from 'node:path';
import { backUp, rotateBackups } from '../db/backup/backup';
import { BackupError } from '../db/backup/backup-fault';
import type { BackupFault } from '../db/backup/backup-fault';
import { checksumFile } from '../db/backup/checksum';
import { restoreDatabase } from '../db/backup/restore';
import type { EndedAccessChoice } from '../db/backup/restore';
import { verifyBackup } from '../db/backup/verify';
import { SQLITE_FILE_NAME } from '../db/engines/embedded';
import type { DeletedPerson } from '../db/jobs/kinds';
import type { AuditAction } from '../../src/shared/audit-actions';
import { describeRevoked, deletePeopleAgain } from './access-since-backup';
import { openDatabase } from '../db/open';
import { createSuccess, createFailure, noDatabaseText, recordCommand, oneLine } from './result';
import type { CommandResult } from './result';

const reasons: Record<BackupFault, (file: string, dataDir: string, detail: string) => string> = {
  'no-database': (_file, dataDir) => noDatabaseText(dataDir),
  'newer-database': (_file, dataDir) =>
    `A later version of Fieldbell wrote the database in ${resolve(dataDir)}. Use that version.`,
  'damaged-database': (_file, dataDir, detail) =>
    `The database in ${resolve(dataDir)} is damaged: ${detail}. Stop the server, move ${SQLITE_FILE_NAME}* to another folder, and restore a backup.`,
  busy: (_file, dataDir) => `The database in ${resolve(dataDir)} is busy. Try again.`,
  'file-exists': (_file, _dataDir, detail) =>
    `${detail} already exists. Choose another name, or move the existing file away.`,
  'no-folder': (_file, _dataDir, folder) => `The folder ${folder} does not exist.`,
  'no-permission': (_file, _dataDir, detail) => `Permission denied (${detail}).`,
  'no-space': (_file, _dataDir, detail) => `Not enough disk space (${detail}).`,
  missing: (file) => `The file ${file} does not exist.`,
  'no-file': (file) => `${file} is not a file.`,
  itself: (file) => `${file} is the database itself, not a backup.`,
  altered: (file) =>
    `${file} was changed after the backup was created: it does not match its checksum in ${checksumFile(file)}.`,
  'log-beside': (file, _dataDir, log) =>
    `${file} has no checksum, so Fieldbell cannot tell whether ${log} belongs to this backup. Create a new backup. If you are sure that ${log} belongs to another file, move ${log} away.`,
  'no-backup': (file) => `${file} is not a Fieldbell backup.`,
  damaged: (file, _dataDir, detail) => `${file} is damaged: ${detail}.`,
  newer: (file) => `A later version of Fieldbell wrote ${file}. Use that version.`,
  unreleased: (file) =>
    `An unreleased version of Fieldbell wrote ${file}. Only that version can read it.`,
};

/** @throws anything but a fault of the file or database */
async function withExplanation(
  file: string,
  dataDir: string,
  runCommand: () => CommandResult | Promise<CommandResult>,
): Promise<CommandResult> {
  try {
    return await runCommand();
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    const reason = reasons[error.fault](file, dataDir, oneLine(error.detail));
    return createFailure(`${reason} The database was not changed.`);
  }
}

/**
 * The copy is valid even if this fails.
 * @param deletedPeople people to forget again
 */
async function recordCopy(
  action: AuditAction,
  dataDir: string,
  deletedPeople: readonly DeletedPerson[] = [],
): Promise<void> {
  const { db, close } = openDatabase({ dataDir });
  try {
    await deletePeopleAgain(deletedPeople, db);
    await recordCommand({ action }, db);
  } catch (error) {
    console.error(
      `Warning: the audit log has no entry for this command: ${oneLine(String(error))}`,
    );
  } finally {
    await close();
  }
}

const unverifiedWarning = (file: string): string =>
  `Warning: ${checksumFile(file)} is missing, so Fieldbell cannot check whether the backup was changed.`;

export const createBackup = (file: string, dataDir: string): Promise<CommandResult> =>
  withExplanation(file, dataDir, async () => {
    backUp(dataDir, file);
    await recordCopy('backup.make', dataDir);
    return createSuccess(
      `All data was copied to ${file}. Its checksum is in ${checksumFile(file)}. Keep both files.`,
    );
  });

export const createRotatedBackup = (
  folder: string,
  maxBackups: number,
  dataDir: string,
): Promise<CommandResult> =>
  withExplanation(folder, dataDir, async () => {
    const { file, removed } = rotateBackups(dataDir, folder, maxBackups, Date.now());
    await recordCopy('backup.make', dataDir);
    const removedFiles = removed.length > 0 ? ` Removed older backups: ${removed.join(', ')}.` : '';
    return createSuccess(`All data was copied to ${file}. The backup was verified.${removedFiles}`);
  });

export const restoreBackup = (
  file: string,
  dataDir: string,
  endedAccess: EndedAccessChoice,
): Promise<CommandResult> =>
  withExplanation(file, dataDir, async () => {
    const {
      formerFile,
      hasChecksum: verified,
      ended,
      deleted,
    } = await restoreDatabase(dataDir, file, endedAccess);
    if (endedAccess === 'list')
      return createSuccess(
        [...describeRevoked(ended), 'This is only a list. Nothing was restored.'].join('\n'),
      );
    await recordCopy('backup.restore', dataDir, deleted);
    const lines = [`All data was restored from ${file}. Everyone has to sign in again.`];
    if (endedAccess === 'apply' && ended.kinds.length > 0)
      lines.push(
        ...describeRevoked(ended),
        'These changes still apply. To undo them as well, restore again with --bring-back.',
      );
    if (formerFile !== undefined)
      lines.push(`The data from before the restore is in ${formerFile}.`);
    if (!verified) lines.push(unverifiedWarning(file));
    return createSuccess(lines.join('\n'));
  });

/** Needs no database, so it also works on another machine. */
export const checkBackup = (file: string, dataDir: string): Promise<CommandResult> =>
  withExplanation(file, dataDir, async () => {
    const { hasChecksum: verified, counts } = await verifyBackup(file, dataDir);
    const lines = [
      `${file} is complete. A test restore in memory worked, and all references between tables are valid.`,
      ...counts.map(({ name, rows }) => `  ${name.padEnd(20)} ${rows.toLocaleString('en')}`),
    ];
    if (!verified) lines.push(unverifiedWarning(file));
    return createSuccess(lines.join('\n'));
  });
