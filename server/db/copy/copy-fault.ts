import { errorCode } from '../errors';

/** Why an installation was not copied. The command turns each into a sentence. */
export type CopyFault = 'not-empty' | 'not-ours' | 'newer' | 'in-use' | 'unstorable' | 'differs';

/** Nothing was copied: the transaction was rolled back. */
export class CopyError extends Error {
  readonly fault: CopyFault;
  /** What the fault is about, such as the name of a table. */
  readonly detail: string;

  constructor(fault: CopyFault, detail = '') {
    super(`${fault}: ${detail}`);
    this.fault = fault;
    this.detail = detail;
  }
}

/** PostgreSQL, appendix A: a lock that was not available in time. */
const LOCKED = '55P03';
/** PostgreSQL's class of errors for values that a column rejects (appendix A: data exceptions). */
const UNSTORABLE = /^22/;

/** Turns PostgreSQL's lock and data errors into a MoveError; returns others unchanged. */
export function toCopyError(error: unknown, table: string): unknown {
  const code = errorCode(error);
  if (code === LOCKED) return new CopyError('in-use', table);
  if (UNSTORABLE.test(code)) return new CopyError('unstorable', table);
  return error;
}
