import { ConfigError } from './config';
import { databaseFault } from './db/errors';

/** What the person who started a program can do about its failure, or undefined if that is nothing. */
export function explain(error: unknown): string | undefined {
  if (error instanceof ConfigError) return error.message;
  if (databaseFault(error) === 'unavailable') return 'The database cannot be used. Check DATABASE_URL, or DATA_DIR and the space left there.';
  if (!(error instanceof Error && 'code' in error)) return undefined;
  if (error.code === 'EADDRINUSE') return 'The port is already in use. Set PORT to another one.';
  if (error.code === 'EACCES' || error.code === 'EROFS') return `No permission: ${error.message}. Check DATA_DIR and PORT.`;
  return undefined;
}
