import { ConfigError } from './config/config';
import { isDamage } from './db/backup/backup-fault';
import { UnreleasedDatabaseError, databaseFault, findRejection } from './db/errors';
import { OutputError } from './lib/output';

const HOST_NOT_LOCAL = 'HOST must be an address of this machine.';

const byCode: Record<string, string> = {
  EADDRINUSE: 'The port is already in use. Set PORT to another port.',
  EADDRNOTAVAIL: HOST_NOT_LOCAL,
  ENOTFOUND: HOST_NOT_LOCAL,
  EAI_AGAIN: HOST_NOT_LOCAL,
  ENOSPC: 'No space is left on the disk of DATA_DIR.',
  ENOTDIR: 'DATA_DIR must be a folder.',
  EEXIST: 'DATA_DIR must be a folder.',
};

export function describeStartupError(error: unknown): string | undefined {
  if (error instanceof ConfigError || error instanceof UnreleasedDatabaseError)
    return error.message;
  if (error instanceof OutputError) {
    return "The first administrator's password could not be printed, so no administrator was created. Restart Fieldbell with standard output going to a terminal or log, or set ADMIN_PASSWORD_FILE.";
  }
  const rejection = findRejection(error);
  if (rejection !== undefined)
    return `PostgreSQL rejects the connection: ${rejection}. Check DATABASE_URL.`;
  if (isDamage(error))
    return 'The database in DATA_DIR is damaged. Move fieldbell.db* to another folder, and restore a backup with `admin restore`.';
  if (databaseFault(error) === 'unavailable')
    return 'The database cannot be used. Check DATABASE_URL, or DATA_DIR and its free disk space.';
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string'))
    return undefined;
  if (error.code === 'ENOENT' && 'syscall' in error && error.syscall === 'mkdir')
    return 'DATA_DIR cannot be created. Set it to another folder.';
  if (error.code === 'EACCES' || error.code === 'EROFS')
    return `Permission denied (${error.message}). Check DATA_DIR and PORT.`;
  return byCode[error.code];
}
