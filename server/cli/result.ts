/** What the commands share: how they end, and their entry in the audit log. */
import { resolve } from 'node:path';
import { COMMAND_LINE } from '../accounts/operator';
import { actAs, record } from '../audit/record';
import type { NewEntry } from '../audit/record';
import type { Database } from '../db/open';
import { inTransaction } from '../db/transaction';

export interface Result {
  done: boolean;
  /** For the person at the terminal. May hold a new password: never to be logged. */
  said: string;
}

export const done = (said: string): Result => ({ done: true, said });
export const failed = (said: string): Result => ({ done: false, said });

export const noDatabase = (dataDir: string): string =>
  `There is no database in ${resolve(dataDir)}. Start the server once, or set DATA_DIR to the folder in which it keeps its data.`;

/** What was done, where that was no transaction with room for an entry. */
export const noteCommand = (entry: NewEntry, db: Database): Promise<void> =>
  inTransaction(db, (transaction) => {
    actAs({ by: COMMAND_LINE, at: Date.now() }, transaction);
    return record(entry, transaction);
  });

/** Libraries end their messages in various ways, and some go on for lines. */
export const oneLine = (text: string): string =>
  text
    .replace(/^(SqliteError|Error): /, '')
    .replace(/\s+/g, ' ')
    .replace(/[. ]{1,9}$/, '');
