/** What went wrong in the database, in words that do not depend on the engine. */

export type DatabaseFault = 'duplicate' | 'missing-reference' | 'unavailable';

/** The database could not be reached or did not answer. */
export class DatabaseUnavailable extends Error {
  constructor(cause: unknown) {
    super('The database cannot be reached.', { cause });
  }
}

/** Versions before the first release had other tables. */
export class UnreleasedDatabase extends Error {
  constructor() {
    super(
      'The database was written by an unreleased version, whose tables this version does not know. Start with an empty DATA_DIR or database, or return to the version that wrote it.',
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

/** SQLite: busy, locked, full, read-only, broken file. */
const UNAVAILABLE_SQLITE =
  /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|NOTADB|CORRUPT|PROTOCOL|INTERRUPT)/;
/**
 * PostgreSQL, appendix A: connection, authorization, no such database, transaction rollback,
 * resources, operator intervention, system error.
 */
const UNAVAILABLE_POSTGRES = /^(08|28|3D|40|53|57|58)...$/;

/** Names the fault, or undefined if the error is not the database's or is a bug of ours. */
export function databaseFault(error: unknown): DatabaseFault | undefined {
  if (error instanceof DatabaseUnavailable) return 'unavailable';
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string')
    return undefined;
  if (UNAVAILABLE_SQLITE.test(error.code) || UNAVAILABLE_POSTGRES.test(error.code))
    return 'unavailable';
  return faults[error.code];
}

/** PostgreSQL, appendix A: serialization failure, deadlock. The transaction can be done again. */
const GAVE_WAY = /^(40001|40P01)$/;

/** Whether PostgreSQL ended the transaction for the sake of another one. */
export const gaveWay = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  GAVE_WAY.test(error.code);

/**
 * PostgreSQL, appendix A: authorization, no such database, no privilege, a database that takes no
 * connections.
 */
const REFUSED_POSTGRES = /^(28...|3D...|42501|55000)$/;
/**
 * Node and OpenSSL: a certificate that is expired, for another name, or by an unknown authority.
 */
const REFUSED_TLS = /^(CERT_|DEPTH_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_)/;
/**
 * pg gives these no code: a password is asked for and there is none, or encryption is and the
 * server has none.
 */
const REFUSED_BY_PG = /^SASL: |does not support SSL/;

/**
 * Why the database refuses us, in its own words, if waiting cannot cure it: a wrong name, role or
 * password, or a certificate. Undefined for everything else.
 */
export function refusalOf(error: unknown): string | undefined {
  const reason = error instanceof DatabaseUnavailable ? error.cause : error;
  if (!(reason instanceof Error)) return undefined;
  const code = 'code' in reason ? String(reason.code) : '';
  return REFUSED_POSTGRES.test(code) ||
    REFUSED_TLS.test(code) ||
    (code === '' && REFUSED_BY_PG.test(reason.message))
    ? reason.message
    : undefined;
}

/**
 * The code of what stands in the way, for the log: a network's, PostgreSQL's, or the error's name.
 */
export function faultCode(error: unknown): string {
  const reason = error instanceof DatabaseUnavailable ? error.cause : error;
  if (reason instanceof AggregateError) return faultCode(reason.errors[0]);
  return reason instanceof Error
    ? String('code' in reason && reason.code ? reason.code : reason.message)
    : typeof reason;
}
