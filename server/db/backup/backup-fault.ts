import { errorCode } from '../errors';

/** Why a backup or restore was not made. The command turns each into a sentence. */
export type BackupFault =
  | 'no-database'
  | 'newer-database'
  | 'damaged-database'
  | 'busy'
  | 'file-exists'
  | 'no-folder'
  | 'no-permission'
  | 'no-space'
  | 'missing'
  | 'no-file'
  | 'itself'
  | 'altered'
  | 'log-beside'
  | 'no-backup'
  | 'damaged'
  | 'newer'
  | 'unreleased';

/** A backup or restore that was not made; nothing was changed. */
export class BackupError extends Error {
  readonly fault: BackupFault;
  readonly detail: string;

  constructor(fault: BackupFault, detail = '') {
    super(fault);
    this.fault = fault;
    this.detail = detail;
  }
}

const ofTheSystem: Record<string, BackupFault> = {
  EACCES: 'no-permission',
  EPERM: 'no-permission',
  EROFS: 'no-permission',
  SQLITE_READONLY: 'no-permission',
  SQLITE_CANTOPEN: 'no-permission',
  ENOSPC: 'no-space',
  EDQUOT: 'no-space',
  EFBIG: 'no-space',
  SQLITE_FULL: 'no-space',
  SQLITE_BUSY: 'busy',
  SQLITE_LOCKED: 'busy',
};

/** Whether SQLite found that the file is damaged or not a database. */
export const isDamage = (error: unknown): boolean =>
  /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ|FORMAT|SCHEMA)/.test(errorCode(error));

/** Turns faults of the disk or of another process into a BackupError; returns others unchanged. */
export function toBackupError(error: unknown): unknown {
  const code = errorCode(error);
  const systemFault = ofTheSystem[code] ?? ofTheSystem[code.split('_').slice(0, 2).join('_')];
  if (systemFault === undefined) return error;
  return new BackupError(systemFault, error instanceof Error ? error.message : '');
}
