/** Database errors, named independently of the engine. */

type DatabaseFault = 'duplicate' | 'missing-reference' | 'unavailable';

export class DatabaseUnavailableError extends Error {
  constructor(cause: unknown) {
    super('The database is unreachable.', { cause });
  }
}

/** Versions before the first release had other tables. */
export class UnreleasedDatabaseError extends Error {
  constructor() {
    super(
      'An unreleased version of Fieldbell wrote this database. Only that version can read it. Start that version, or start with an empty DATA_DIR or database.',
    );
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

const UNAVAILABLE_SQLITE =
  /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|NOTADB|CORRUPT|PROTOCOL|INTERRUPT)/;
/** PostgreSQL, appendix A: classes of connection, authorization, resource and system errors. */
const UNAVAILABLE_POSTGRES = /^(08|28|3D|40|53|57|58)...$/;

/** The `code` of an error of Node, SQLite or PostgreSQL; empty without a code. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Returns undefined if the error is not the database's, or is our bug. */
export function databaseFault(error: unknown): DatabaseFault | undefined {
  if (error instanceof DatabaseUnavailableError) return 'unavailable';
  const code = errorCode(error);
  const isUnavailable = UNAVAILABLE_SQLITE.test(code) || UNAVAILABLE_POSTGRES.test(code);
  return isUnavailable ? 'unavailable' : faults[code];
}

/** PostgreSQL, appendix A: serialization failure, deadlock. Both may be retried. */
const DEADLOCK = /^(40001|40P01)$/;

export const isDeadlock = (error: unknown): boolean => DEADLOCK.test(errorCode(error));

/** PostgreSQL, appendix A: authorization, database, privilege, no connections allowed. */
const REJECTED_POSTGRES = /^(28...|3D...|42501|55000)$/;
/** Node and OpenSSL: an expired, mismatched or untrusted certificate. */
const REJECTED_TLS = /^(CERT_|DEPTH_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_)/;
/** pg gives no code when a password is missing, or encryption is not supported. */
const REJECTED_BY_PG = /^SASL: |does not support SSL/;

/** The database's reason to reject us, if waiting cannot fix it, such as a wrong password. */
export function findRejection(error: unknown): string | undefined {
  const reason = error instanceof DatabaseUnavailableError ? error.cause : error;
  if (!(reason instanceof Error)) return undefined;
  const code = errorCode(reason);
  return REJECTED_POSTGRES.test(code) ||
    REJECTED_TLS.test(code) ||
    (code === '' && REJECTED_BY_PG.test(reason.message))
    ? reason.message
    : undefined;
}

/** A code for the log: the network's or PostgreSQL's, else the error's message. */
export function describeFaultCode(error: unknown): string {
  const reason = error instanceof DatabaseUnavailableError ? error.cause : error;
  if (reason instanceof AggregateError) return describeFaultCode(reason.errors[0]);
  return reason instanceof Error ? errorCode(reason) || reason.message : typeof reason;
}

/** SQLite and PostgreSQL (appendix A): no space, read-only or no privilege. Not a lock, which passes. */
const REJECTED_WRITE = /^(SQLITE_(FULL|READONLY|IOERR)|25006|42501|53100|58030)/;

export const isWriteRejection = (error: unknown): boolean =>
  REJECTED_WRITE.test(describeFaultCode(error));
