/** The commands of `npm run admin`. None asks questions. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { createAdministrator, removeSignInMethod, replacePassword } from '../accounts/operator';
import type { SignInMethod } from '../accounts/operator';
import { deleteStoredSecret } from '../accounts/secret-fingerprint';
import type { Settings } from '../config/config';
import { SQLITE_FILE_NAME } from '../db/engines/embedded';
import { migrate } from '../db/migrate';
import { openDatabase } from '../db/open';
import type { Database } from '../db/open';
import { LAST_BACKUP, writeSetting } from '../db/settings';
import { usernameSchema } from '../../src/shared/contract/fields';
import { checkBackup, createBackup, createRotatedBackup, restoreBackup } from './backups';
import { applyAccessFrom, saveAccessTo } from './access-since-backup';
import { copyToPostgres } from './copy-to-postgres';
import { createSuccess, createFailure, noDatabaseText, recordCommand } from './result';
import type { CommandResult } from './result';

export type { CommandResult as Result } from './result';

const USAGE = `Usage: node dist/server/admin.js COMMAND
In a clone of the repository: npm run admin -- COMMAND

  create NAME           Add an administrator and print the password.
  reset-password NAME   Set a new password, print it, and sign the account out everywhere.
  remove-totp NAME      Remove an account's authenticator app, such as after a phone and its recovery codes are lost.
  remove-passkeys NAME  Remove all passkeys of an account. Its password still works.
  unlink NAME           Unlink an account from its company account. The next company sign-in links it again.

  backup FILE           Copy the SQLite database to a new file, with a checksum.
  backup --keep N DIR   Copy the SQLite database to a new file in the folder DIR, and keep only the newest N backups there.
  verify FILE           Check a backup: restore it into memory and count the rows of each table.
  restore FILE          Check a backup, save the current data to a file, and replace the data with the backup.
                        Accounts and access that were removed or changed since the backup are listed and stay as they are now.
  restore --list FILE         List the accounts and access that were removed or changed since the backup. Restores nothing.
  restore --bring-back FILE   Restore everything, including accounts and access that were removed or changed since the backup.

  save-access FILE      For PostgreSQL, before pg_restore: save everyone’s current access to a new file.
  apply-access FILE     For PostgreSQL, after pg_restore: remove the accounts and access that pg_restore brought back, and list them.
  apply-access --list FILE    List what apply-access would remove. Changes nothing.
  backup-made           Record that another tool, such as pg_dump, made a backup. The dashboard then shows the time of this backup.
  copy-to URL           Copy the SQLite database into an empty PostgreSQL database (postgres://…).
  new-secret            Let the servers start with a new JWT_SECRET. Stop all servers first.

Stop all servers before save-access, apply-access and new-secret. The other commands also work while servers run. All commands
read the server's settings from the environment and from .env. A backup contains only the database. Also back up the file jwt-secret in DATA_DIR. Without it, after
a restore authenticator apps stop working, and registration links may stop working. For PostgreSQL, back up and restore with pg_dump and pg_restore.`;

const MAX_KEPT_BACKUPS = 1000;

type Command = (
  argument: string,
  config: Settings,
  printLine: (line: string) => void,
) => Promise<CommandResult>;

const embeddedOnly =
  (work: (argument: string, dataDir: string) => Promise<CommandResult>): Command =>
  async (argument, { databaseUrl, dataDir }) =>
    databaseUrl === undefined
      ? work(argument, dataDir)
      : createFailure('This command is for SQLite. For PostgreSQL, use pg_dump and pg_restore.');
const postgresOnly =
  (work: (argument: string, db: Database) => Promise<CommandResult>): Command =>
  (argument, config) =>
    config.databaseUrl === undefined
      ? Promise.resolve(createFailure('This command is for PostgreSQL. For SQLite, use restore.'))
      : withDatabase(config, (db) => work(argument, db), 0);
const onAccount =
  (work: (name: string, db: Database) => Promise<CommandResult>): Command =>
  (name, config) =>
    withDatabase(config, (db) => work(name.trim(), db));

const WITH_OPTION: Record<string, Command> = {
  'restore --list': embeddedOnly((file, dataDir) => restoreBackup(file, dataDir, 'list')),
  'restore --bring-back': embeddedOnly((file, dataDir) =>
    restoreBackup(file, dataDir, 'bring-back'),
  ),
  'apply-access --list': postgresOnly((file, db) => applyAccessFrom(file, db, false)),
};

const COMMANDS: Record<string, Command> = {
  create: onAccount(addAdministrator),
  'reset-password': onAccount(resetPassword),
  'remove-totp': onAccount((name, db) => removeFromAccount('totp', name, db)),
  'remove-passkeys': onAccount((name, db) => removeFromAccount('passkeys', name, db)),
  unlink: onAccount((name, db) => removeFromAccount('company', name, db)),
  backup: embeddedOnly(createBackup),
  verify: (file, { dataDir }) => checkBackup(file, dataDir),
  restore: embeddedOnly((file, dataDir) => restoreBackup(file, dataDir, 'apply')),
  'save-access': postgresOnly(saveAccessTo),
  'apply-access': postgresOnly((file, db) => applyAccessFrom(file, db, true)),
  // Ignores DATABASE_URL, which may already name the target.
  'copy-to': (databaseUrl, { dataDir }, printLine) =>
    withDatabase({ dataDir, databaseUrl: undefined }, (db) =>
      copyToPostgres(databaseUrl, dataDir, db, printLine),
    ),
};

const COMMAND_NAMES = new Set([...Object.keys(COMMANDS), 'new-secret', 'backup-made']);

const usageOf = (command: string): string =>
  command === ''
    ? USAGE
    : [
        'Usage: node dist/server/admin.js COMMAND',
        ...USAGE.split('\n').filter((line) => line.startsWith(`  ${command} `)),
        'See also node dist/server/admin.js --help.',
      ].join('\n');

/** The list of commands, for `--help`, which needs no valid settings. */
export const helpFor = ([command]: readonly string[]): string | undefined =>
  command === '--help' || command === '-h' || command === 'help' ? USAGE : undefined;

/** @param printLine gets lines of progress */
export async function runCommand(
  commandLine: readonly string[],
  config: Settings,
  printLine: (line: string) => void = () => {},
): Promise<CommandResult> {
  const [command = '', argument = '', ...extraArguments] = commandLine;
  if (command !== '' && !COMMAND_NAMES.has(command))
    return createFailure(`Unknown command "${command}".\n\n${USAGE}`);
  if (commandLine.length === 1) {
    if (command === 'new-secret') return withDatabase(config, acceptNewSecret);
    if (command === 'backup-made') return withDatabase(config, recordBackup);
  }
  const backupsToKeep = /^[1-9]\d{0,3}$/.test(extraArguments[0] ?? '')
    ? Number(extraArguments[0])
    : 0;
  if (
    command === 'backup' &&
    argument === '--keep' &&
    extraArguments.length === 2 &&
    backupsToKeep <= MAX_KEPT_BACKUPS &&
    backupsToKeep > 0
  )
    return embeddedOnly((folder, dataDir) => createRotatedBackup(folder, backupsToKeep, dataDir))(
      extraArguments[1] ?? '',
      config,
      printLine,
    );
  const [file = ''] = extraArguments;
  const withOption = `${command} ${argument}`;
  if (Object.hasOwn(WITH_OPTION, withOption) && extraArguments.length === 1 && file.trim() !== '')
    return WITH_OPTION[withOption]?.(file, config, printLine) ?? createFailure(usageOf(command));
  const run = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  if (
    run === undefined ||
    argument.trim() === '' ||
    argument.startsWith('--') ||
    extraArguments.length > 0
  )
    return createFailure(usageOf(command));
  return run(argument, config, printLine);
}

const MISSING_TABLES =
  'The database in DATABASE_URL has no Fieldbell tables. Start the server once, or check the name of the database.';

/** This creates no database: in a wrong folder, an administrator would be added for no server. */
async function withDatabase(
  config: Pick<Settings, 'dataDir' | 'databaseUrl'>,
  work: (db: Database) => Promise<CommandResult>,
  statementLimit?: number,
): Promise<CommandResult> {
  if (config.databaseUrl === undefined && !existsSync(join(config.dataDir, SQLITE_FILE_NAME)))
    return createFailure(noDatabaseText(config.dataDir));
  const limit = statementLimit === undefined ? {} : { statementLimit };
  const { db, close } = openDatabase({ ...config, ...limit });
  try {
    const tables = await db.introspection.getTables();
    if (!tables.some(({ name }) => name === 'users'))
      return createFailure(
        config.databaseUrl === undefined ? noDatabaseText(config.dataDir) : MISSING_TABLES,
      );
    await migrate(config);
    return await work(db);
  } finally {
    await close();
  }
}

async function addAdministrator(input: string, db: Database): Promise<CommandResult> {
  const name = v.safeParse(usernameSchema, input);
  if (!name.success) return createFailure(name.issues[0].message);
  const password = await createAdministrator(name.output, db, Date.now());
  if (password === undefined) return createFailure('This username is already taken.');
  return createSuccess(
    `The administrator ${name.output} was added.\n${describePassword(password)}`,
  );
}

async function resetPassword(name: string, db: Database): Promise<CommandResult> {
  const outcome = await replacePassword(name, db, Date.now());
  if (outcome === 'missing') return createFailure('There is no account with this username.');
  if (outcome === 'pending')
    return createFailure(
      'This account is not registered yet. Its registration link is in the list of users.',
    );
  return createSuccess(
    `${name} has a new password and has to sign in again.\n${describePassword(outcome.password)}`,
  );
}

const removalTexts: Record<SignInMethod, { was: string; wasNot: string }> = {
  totp: {
    was: 'no longer has an authenticator app. A new one can be set up at the next sign-in or under Account.',
    wasNot: 'has no authenticator app.',
  },
  passkeys: {
    was: 'no longer has a passkey. The password still works.',
    wasNot: 'has no passkey.',
  },
  company: {
    was: 'is no longer linked to the company sign-in.',
    wasNot: 'is not linked to the company sign-in.',
  },
};

async function removeFromAccount(
  method: SignInMethod,
  name: string,
  db: Database,
): Promise<CommandResult> {
  const wasRemoved = await removeSignInMethod(method, name, db, Date.now());
  if (wasRemoved === undefined) return createFailure('There is no account with this username.');
  return wasRemoved
    ? createSuccess(`${name} ${removalTexts[method].was}`)
    : createFailure(`${name} ${removalTexts[method].wasNot}`);
}

async function acceptNewSecret(db: Database): Promise<CommandResult> {
  await deleteStoredSecret(db);
  await recordCommand({ action: 'secret.change' }, db);
  return createSuccess(
    'You can now start the servers with a new JWT_SECRET. Give all servers the same secret. Everyone has to sign in again.',
  );
}

async function recordBackup(db: Database): Promise<CommandResult> {
  await writeSetting(LAST_BACKUP, String(Date.now()), db);
  await recordCommand({ action: 'backup.make' }, db);
  return createSuccess('The backup was recorded. The dashboard and the metrics show its time.');
}

const describePassword = (password: string): string =>
  `Password: ${password}\nIt is shown only once. Only its hash is stored.`;
