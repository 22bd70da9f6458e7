/** Why an installation was not copied, in words that the command turns into sentences. */
export type MoveFault = 'not-empty' | 'not-ours' | 'newer' | 'in-use' | 'unstorable' | 'differs';

/** Nothing was copied: what was written of it is gone again. */
export class MoveError extends Error {
  readonly fault: MoveFault;
  /** What was found, such as the name of a table. */
  readonly detail: string;

  constructor(fault: MoveFault, detail = '') {
    super(`${fault}: ${detail}`);
    this.fault = fault;
    this.detail = detail;
  }
}

/** PostgreSQL, appendix A: a lock that could not be had in time. */
const LOCKED = '55P03';
/** … and what a column does not take: data exceptions. */
const UNSTORABLE = /^22/;

/** The error as a fault of what is done with that table, if it is one. */
export function asMoveFault(error: unknown, table: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === LOCKED) return new MoveError('in-use', table);
  if (UNSTORABLE.test(code)) return new MoveError('unstorable', table);
  return error;
}
