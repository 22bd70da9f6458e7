import { ConfigError } from './config/config';
import { UnreleasedDatabase, databaseFault, refusalOf } from './db/errors';
import { OutputError } from './lib/output';

const byCode: Record<string, string> = {
  EADDRINUSE: 'The port is already in use. Set PORT to another one.',
  EADDRNOTAVAIL: 'HOST is no address of this machine.',
  ENOTFOUND: 'HOST is no address of this machine.',
  EAI_AGAIN: 'HOST is no address of this machine.',
  ENOSPC: 'There is no space left where DATA_DIR is.',
  ENOTDIR: 'DATA_DIR must be a folder.',
  EEXIST: 'DATA_DIR must be a folder.',
};

export function describeStartupError(error: unknown): string | undefined {
  if (error instanceof ConfigError || error instanceof UnreleasedDatabase) return error.message;
  if (error instanceof OutputError) {
    return "The first administrator's password could not be written to the output, so no administrator was made. Start again where the output can be seen, or set ADMIN_PASSWORD.";
  }
  const refusal = refusalOf(error);
  if (refusal !== undefined) return `PostgreSQL refuses: ${refusal}. Check DATABASE_URL.`;
  if (databaseFault(error) === 'unavailable')
    return 'The database cannot be used. Check DATABASE_URL, or DATA_DIR and the space left there.';
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string'))
    return undefined;
  if (error.code === 'EACCES' || error.code === 'EROFS')
    return `No permission: ${error.message}. Check DATA_DIR and PORT.`;
  return byCode[error.code];
}
