/** What went wrong in the database, in words that do not depend on the engine. */

export type DatabaseFault = 'duplicate' | 'missing-reference' | 'unavailable';

/** The database could not be reached or did not answer. */
export class DatabaseUnavailable extends Error {
  constructor(cause: unknown) {
    super('The database cannot be reached.', { cause });
  }
}

const faults: Record<string, DatabaseFault> = {
  SQLITE_CONSTRAINT_UNIQUE: 'duplicate',
  SQLITE_CONSTRAINT_PRIMARYKEY: 'duplicate',
  SQLITE_CONSTRAINT_FOREIGNKEY: 'missing-reference',
  23505: 'duplicate',
  23503: 'missing-reference',
  '25006': 'unavailable',
};

/** SQLite: busy, locked, full, read-only, broken file. */
const UNAVAILABLE_SQLITE = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|NOTADB|CORRUPT|PROTOCOL|INTERRUPT)/;
/**
 * PostgreSQL, appendix A: connection, authorization, no such database, transaction rollback, resources, operator
 * intervention, system error.
 */
const UNAVAILABLE_POSTGRES = /^(08|28|3D|40|53|57|58)...$/;

/** Names the fault, or undefined if the error is not the database's or is a bug of ours. */
export function databaseFault(error: unknown): DatabaseFault | undefined {
  if (error instanceof DatabaseUnavailable) return 'unavailable';
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  if (UNAVAILABLE_SQLITE.test(error.code) || UNAVAILABLE_POSTGRES.test(error.code)) return 'unavailable';
  return faults[error.code];
}
