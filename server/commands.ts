/** The commands of `npm run admin`. Each ends with a sentence; nothing is asked. */
import * as v from 'valibot';
import { createAdministrator, replacePassword } from './accounts/operator';
import type { Config } from './config';
import { BackupError, backUp, restore } from './db/backup';
import type { BackupFault } from './db/backup';
import { migrate } from './db/migrate';
import { openDatabase } from './db/open';
import type { Database } from './db/open';
import { username } from './http/fields';

export interface Result {
  done: boolean;
  /** For the person at the terminal. May hold a new password: never to be logged. */
  said: string;
}

const USAGE = `Usage: npm run admin -- COMMAND

  create NAME           adds an administrator and prints the password
  reset-password NAME   gives an account a new password, prints it, and ends the account's sessions
  backup FILE           copies the embedded database into a new file; servers may run
  restore FILE          puts a backup in the place of all data; servers may run

They use the configuration of the server (.env and the environment). Back up the rest of DATA_DIR, too: it holds the
secret without which registration links end. For PostgreSQL there are pg_dump and pg_restore.`;

/** @param given the command and its one argument, as typed */
export async function runCommand(given: readonly string[], config: Config): Promise<Result> {
  const [command = '', argument = '', ...more] = given;
  if (argument.trim() === '' || more.length > 0) return failed(USAGE);
  if (command === 'create') return withDatabase(config, (db) => create(argument.trim(), db));
  if (command === 'reset-password') return withDatabase(config, (db) => resetPassword(argument.trim(), db));
  if (command !== 'backup' && command !== 'restore') return failed(USAGE);
  if (config.databaseUrl !== undefined) return failed('This is for the embedded database. For PostgreSQL use pg_dump and pg_restore.');
  return copyDatabase(command, argument, config.dataDir);
}

const done = (said: string): Result => ({ done: true, said });
const failed = (said: string): Result => ({ done: false, said });

async function withDatabase(config: Config, work: (db: Database) => Promise<Result>): Promise<Result> {
  await migrate(config);
  const { db, close } = openDatabase(config);
  try {
    return await work(db);
  } finally {
    await close();
  }
}

async function create(given: string, db: Database): Promise<Result> {
  const name = v.safeParse(username, given);
  if (!name.success) return failed(name.issues[0].message);
  const password = await createAdministrator(name.output, db, Date.now());
  if (password === undefined) return failed('This username is already taken.');
  return done(`The administrator ${name.output} was added.\n${show(password)}`);
}

async function resetPassword(name: string, db: Database): Promise<Result> {
  const outcome = await replacePassword(name, db);
  if (outcome === 'missing') return failed('There is no account with this username.');
  if (outcome === 'pending') return failed('This account waits for its registration. Its link is in the list of users.');
  return done(`${name} has a new password, and has to sign in again.\n${show(outcome.password)}`);
}

const show = (password: string): string => `Password: ${password}\nIt is shown this once, and only its hash is kept.`;

const reasons: Record<BackupFault, (file: string, dataDir: string) => string> = {
  'no-database': (_file, dataDir) => `There is no database in ${dataDir}. Check DATA_DIR.`,
  'file-exists': (file) => `${file} exists already, and is left as it is.`,
  'no-backup': (file) => `${file} is no backup of this product.`,
  newer: (file) => `${file} was written by a later version of this product.`,
};

async function copyDatabase(command: 'backup' | 'restore', file: string, dataDir: string): Promise<Result> {
  try {
    if (command === 'backup') {
      backUp(dataDir, file);
      return done(`All data was copied to ${file}.`);
    }
    await restore(dataDir, file);
    return done(`All data is as it was in ${file}. Everybody has to sign in again.`);
  } catch (error) {
    if (error instanceof BackupError) return failed(reasons[error.fault](file, dataDir));
    throw error;
  }
}
