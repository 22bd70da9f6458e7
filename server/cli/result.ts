import { resolve } from 'node:path';
import { COMMAND_LINE } from '../accounts/operator';
import { actAs, recordAudit } from '../audit/record-audit';
import type { NewEntry } from '../audit/record-audit';
import type { Database } from '../db/open';
import { inTransaction } from '../db/transaction';

export interface CommandResult {
  done: boolean;
  /** The text for the terminal. Never log this text, which may hold a new password. */
  output: string;
}

export const createSuccess = (output: string): CommandResult => ({ done: true, output });
export const createFailure = (output: string): CommandResult => ({ done: false, output });

export const noDatabaseText = (dataDir: string): string =>
  `There is no database in ${resolve(dataDir)}. Start the server once, or set DATA_DIR to its data folder.`;

export const recordCommand = (entry: NewEntry, db: Database): Promise<void> =>
  inTransaction(db, (transaction) => {
    actAs({ by: COMMAND_LINE, at: Date.now() }, transaction);
    return recordAudit(entry, transaction);
  });

/** Shortens a library's message: some have several lines. */
export const oneLine = (text: string): string =>
  text
    .replace(/^(SqliteError|Error): /, '')
    .replace(/\s+/g, ' ')
    .replace(/[. ]{1,9}$/, '');
