import { COMMAND_LINE } from '../accounts/operator';
import { actAs, recordAudit } from '../audit/record-audit';
import { isConnectionString } from '../db/engines/postgres';
import { databaseFault, describeFaultCode, findRejection } from '../db/errors';
import { copyTo } from '../db/copy/copy-to';
import type { CopiedTable } from '../db/copy/copy-to';
import { CopyError } from '../db/copy/copy-fault';
import type { CopyFault } from '../db/copy/copy-fault';
import type { Database } from '../db/open';
import { LAST_BACKUP } from '../db/settings';
import { createSuccess, createFailure, recordCommand, oneLine } from './result';
import type { CommandResult } from './result';
import { toTime } from '../lib/clock';

const describeTable = ({ name, rows }: CopiedTable): string =>
  `  ${name.padEnd(20)} ${rows.toLocaleString('en')}`;

function describeTarget(databaseUrl: string): string {
  const { hostname, pathname } = new URL(databaseUrl);
  return [hostname, pathname.slice(1)].filter(Boolean).join('/');
}

const reasons: Record<CopyFault, (target: string, detail: string) => string> = {
  'not-empty': (target, table) =>
    `${target} is not empty: the table ${table} has rows. Copy into an empty database.`,
  'not-ours': (target, table) =>
    `${target} contains tables that are not Fieldbell’s (such as ${table}). Create a separate database with createdb.`,
  newer: (target) =>
    `A later version of Fieldbell created the tables in ${target}. Use that version, or an empty database.`,
  'in-use': (target) => `${target} is in use. Stop the servers that use it.`,
  unstorable: (_where, table) => `A row of ${table} has a value that PostgreSQL cannot store.`,
  differs: (target, table) =>
    `The table ${table} did not arrive unchanged in ${target}. The copy was undone: try again.`,
};

/** @param printLine gets a line for each copied table: large ones take minutes */
export async function copyToPostgres(
  databaseUrl: string,
  dataDir: string,
  db: Database,
  printLine: (line: string) => void,
): Promise<CommandResult> {
  const isAddress = /^postgres(ql)?:\/\//.test(databaseUrl) && URL.canParse(databaseUrl);
  if (!isAddress || !isConnectionString(databaseUrl))
    return createFailure(
      'copy-to needs the URL of a database: postgres://USER:PASSWORD@HOST/NAME.',
    );
  const target = describeTarget(databaseUrl);
  const entry = { action: 'backup.move', on: target } as const;
  try {
    const { at, tables } = await copyTo({
      dataDir,
      databaseUrl,
      onTable: (table) => printLine(describeTable(table)),
      async finish(transaction) {
        // Other tools back up PostgreSQL.
        await transaction.deleteFrom('settings').where('name', '=', LAST_BACKUP).execute();
        actAs({ by: COMMAND_LINE, at: Date.now() }, transaction);
        await recordAudit(entry, transaction);
      },
    });
    await recordCommand(entry, db);
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    return createSuccess(
      [
        `All data as of ${toTime(at)} was copied to ${target}: ${rows.toLocaleString('en')} rows in ${tables.length} tables. Each table was compared with the original, and matches.`,
        'Later changes are not copied. To switch for good, stop all servers and copy again, into an empty database.',
        'Then start the servers with DATABASE_URL and the same JWT_SECRET. If JWT_SECRET is stored in DATA_DIR, keep DATA_DIR.',
        'Never run servers on both databases: each would send the pending messages.',
      ].join('\n'),
    );
  } catch (error) {
    const reason = describeMovingFault(error, target);
    if (reason === undefined) throw error;
    return createFailure(`${reason} Nothing was copied.`);
  }
}

function describeMovingFault(error: unknown, target: string): string | undefined {
  if (error instanceof CopyError) return reasons[error.fault](target, error.detail);
  const rejection = findRejection(error);
  if (rejection !== undefined) return `PostgreSQL rejects the connection: ${oneLine(rejection)}.`;
  if (databaseFault(error) === 'unavailable')
    return `Cannot connect to ${target} (${oneLine(describeFaultCode(error))}).`;
  return undefined;
}
