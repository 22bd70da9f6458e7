/** The commands of `npm run admin`. Each ends with a sentence; nothing is asked. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as v from 'valibot';
import {
  COMMAND_LINE,
  createAdministrator,
  removeWay,
  replacePassword,
} from '../accounts/operator';
import type { Way } from '../accounts/operator';
import { actAs, record } from '../audit/record';
import type { Entry } from '../audit/record';
import type { AuditAction } from '../../src/shared/audit-actions';
import type { Config } from '../config/config';
import { backUp } from '../db/backup/backup';
import { BackupError } from '../db/backup/backup-fault';
import type { Fault } from '../db/backup/backup-fault';
import { checksumFile } from '../db/backup/checksum';
import { DATABASE } from '../db/engines/embedded';
import { migrate } from '../db/migrate';
import { openDatabase } from '../db/open';
import type { Database } from '../db/open';
import { restore } from '../db/backup/restore';
import { inTransaction } from '../db/transaction';
import { username } from '../lib/fields';
import { forgetSecret } from '../accounts/secret-fingerprint';

export interface Result {
  done: boolean;
  /** For the person at the terminal. May hold a new password: never to be logged. */
  said: string;
}

const USAGE = `Usage: npm run admin -- COMMAND

  create NAME           adds an administrator and prints the password
  reset-password NAME   gives an account a new password, prints it, and ends the account's sessions
  remove-totp NAME      asks an account for no code of an authenticator app any more: the phone and the recovery codes are lost
  unlink NAME           forgets as whom the company's sign-in knows an account; the next sign-in links it anew
  backup FILE           copies the embedded database into a new file, with a checksum beside it; servers may run
  restore FILE          examines a backup, keeps what is there, and puts the backup in its place; servers may run
  new-secret            lets the next start use another JWT_SECRET; stop all servers before

They use the configuration of the server (.env and the environment). Back up the rest of DATA_DIR, too: it holds the
secret without which registration links end. For PostgreSQL there are pg_dump and pg_restore.`;

/** @param given the command and its one argument, as typed */
export async function runCommand(given: readonly string[], config: Config): Promise<Result> {
  const [command = '', argument = '', ...more] = given;
  if (command === 'new-secret' && given.length === 1) return withDatabase(config, acceptSecret);
  if (argument.trim() === '' || more.length > 0) return failed(USAGE);
  if (command === 'create') return withDatabase(config, (db) => create(argument.trim(), db));
  if (command === 'reset-password')
    return withDatabase(config, (db) => resetPassword(argument.trim(), db));
  if (command === 'remove-totp')
    return withDatabase(config, (db) => remove('totp', argument.trim(), db));
  if (command === 'unlink')
    return withDatabase(config, (db) => remove('company', argument.trim(), db));
  if (command !== 'backup' && command !== 'restore') return failed(USAGE);
  if (config.databaseUrl !== undefined)
    return failed('This is for the embedded database. For PostgreSQL use pg_dump and pg_restore.');
  return copyDatabase(command, argument, config.dataDir);
}

const noDatabase = (dataDir: string): string =>
  `There is no database in ${resolve(dataDir)}. Start the server once, or set DATA_DIR to the folder in which it keeps its data.`;
const NO_TABLES =
  'The database of DATABASE_URL has no tables of this product. Start the server once, or check the name of the database.';

const done = (said: string): Result => ({ done: true, said });
const failed = (said: string): Result => ({ done: false, said });

/**
 * A command never makes a database: in the wrong folder, it would add an administrator whom no
 * server knows.
 */
async function withDatabase(
  config: Config,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  if (config.databaseUrl === undefined && !existsSync(join(config.dataDir, DATABASE)))
    return failed(noDatabase(config.dataDir));
  const { db, close } = openDatabase(config);
  try {
    const tables = await db.introspection.getTables();
    if (!tables.some(({ name }) => name === 'users'))
      return failed(config.databaseUrl === undefined ? noDatabase(config.dataDir) : NO_TABLES);
    await migrate(config);
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
  const outcome = await replacePassword(name, db, Date.now());
  if (outcome === 'missing') return failed('There is no account with this username.');
  if (outcome === 'pending')
    return failed('This account waits for its registration. Its link is in the list of users.');
  return done(`${name} has a new password, and has to sign in again.\n${show(outcome.password)}`);
}

/** What was done, where that was no transaction with room for an entry. */
const note = (entry: Entry, db: Database): Promise<void> =>
  inTransaction(db, (transaction) => {
    actAs({ by: COMMAND_LINE, at: Date.now() }, transaction);
    return record(entry, transaction);
  });

const removed: Record<Way, { was: string; wasNot: string }> = {
  totp: {
    was: 'is asked for no code any more. An authenticator app can be set up anew in Account.',
    wasNot: 'has no authenticator app.',
  },
  company: {
    was: 'is linked to no sign-in of the company any more.',
    wasNot: 'is linked to no sign-in of the company.',
  },
};

async function remove(way: Way, name: string, db: Database): Promise<Result> {
  const had = await removeWay(way, name, db, Date.now());
  if (had === undefined) return failed('There is no account with this username.');
  return had ? done(`${name} ${removed[way].was}`) : failed(`${name} ${removed[way].wasNot}`);
}

async function acceptSecret(db: Database): Promise<Result> {
  await forgetSecret(db);
  await note({ action: 'secret.change' }, db);
  return done(
    'The next server that starts may bring another JWT_SECRET. Give all servers the same; everybody has to sign in again.',
  );
}

const show = (password: string): string =>
  `Password: ${password}\nIt is shown this once, and only its hash is kept.`;

/** Why nothing was done. `found` tells what was seen, exactly. */
const reasons: Record<Fault, (file: string, dataDir: string, found: string) => string> = {
  'no-database': (_file, dataDir) => noDatabase(dataDir),
  'newer-database': (_file, dataDir) =>
    `The database in ${resolve(dataDir)} was written by a later version of this product.`,
  'damaged-database': (_file, dataDir, found) =>
    `The database in ${resolve(dataDir)} is damaged itself (${found}). Stop the server, move ${DATABASE} and what is called like it to another folder, and restore a backup.`,
  busy: (_file, dataDir) =>
    `The database in ${resolve(dataDir)} is being used by others all the time. Try again.`,
  'file-exists': (_file, _dataDir, existing) => `${existing} exists already, and is left as it is.`,
  'no-folder': (_file, _dataDir, folder) => `There is no folder ${folder}.`,
  'no-permission': (_file, _dataDir, found) => `No permission: ${found}.`,
  'no-space': (_file, _dataDir, found) => `There is not enough space (${found}).`,
  missing: (file) => `There is no file ${file}.`,
  'no-file': (file) => `${file} is no file.`,
  itself: (file) => `${file} is the database itself, and no backup of it.`,
  altered: (file) =>
    `${file} is not what was once written: it does not fit its checksum in ${checksumFile(file)}.`,
  'log-beside': (file, _dataDir, log) =>
    `${file} has no checksum, and ${log} may hold a part of it or be of another file. Make a new backup, or move that away if you are sure.`,
  'no-backup': (file) => `${file} is no backup of this product.`,
  damaged: (file, _dataDir, found) => `${file} is damaged: ${found}.`,
  newer: (file) => `${file} was written by a later version of this product.`,
};

/** It is made, whether this can be written or not: an earlier version's tables have no audit log. */
async function noteCopy(action: AuditAction, dataDir: string): Promise<void> {
  const { db, close } = openDatabase({ dataDir });
  try {
    await note({ action }, db);
  } catch (error) {
    console.error(`The audit log has no entry of this: ${oneLine(String(error))}`);
  } finally {
    await close();
  }
}

async function copyDatabase(
  command: 'backup' | 'restore',
  file: string,
  dataDir: string,
): Promise<Result> {
  try {
    if (command === 'backup') {
      backUp(dataDir, file);
      await noteCopy('backup.make', dataDir);
      return done(
        `All data was copied to ${file}. Its checksum is in ${checksumFile(file)}: keep both.`,
      );
    }
    const { before, verified } = await restore(dataDir, file);
    await noteCopy('backup.restore', dataDir);
    const said = [`All data is as it was in ${file}. Everybody has to sign in again.`];
    if (before !== undefined) said.push(`What was there before is kept in ${before}.`);
    if (!verified)
      said.push(
        `Warning: there is no ${checksumFile(file)}, so a change of a single text in the backup would not have been noticed.`,
      );
    return done(said.join('\n'));
  } catch (error) {
    if (error instanceof BackupError)
      return failed(
        `${reasons[error.fault](file, dataDir, oneLine(error.detail))} Nothing was changed.`,
      );
    throw error;
  }
}

/** Libraries end their messages in various ways, and some go on for lines. */
const oneLine = (text: string): string =>
  text
    .replace(/^(SqliteError|Error): /, '')
    .replace(/\s+/g, ' ')
    .replace(/[.\s]+$/, '');
