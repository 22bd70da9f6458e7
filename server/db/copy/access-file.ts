/**
 * PostgreSQL's own tools restore a database. This file, written before, lists the access that had
 * ended, so that the restored database ends it too: lines of JSON with a header, rows and an end
 * mark.
 */
import { createHash } from 'node:crypto';
import { closeSync, createReadStream, fsyncSync, openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { DeletedPerson } from '../jobs/kinds';
import {
  ADMINISTRATORS_LEFT_SQL,
  REVOKE_SESSIONS_AND_LINKS,
  APPLY_ENDED_ACCESS,
  DELETED_PEOPLE,
  ENDED_ACCESS_LISTS,
  ACCESS_TABLES,
  NOTHING_ENDED,
  accessColumns,
  snapshotAccess,
  snapshotName,
} from '../backup/access-since-backup';
import type { EndedAccess, AccessTable } from '../backup/access-since-backup';
import type { Database } from '../open';
import type { Tables } from '../schema';
import { readSetting } from '../settings';
import { insertJson, readTable, setSequences } from './target';

export type AccessFault = 'no-access-file' | 'not-whole' | 'another-installation' | 'older';

export class AccessError extends Error {
  readonly fault: AccessFault;

  constructor(fault: AccessFault) {
    super(fault);
    this.fault = fault;
  }
}

interface AccessFileHeader {
  kind: 'fieldbell-access';
  at: number;
  /** A hash of the installation's own Web Push key. */
  installation: string;
  /** The highest id ever used, by table. */
  ids: Record<string, number>;
}

/**
 * @returns the number of people in the file.
 * @throws Error such as EEXIST, ENOENT
 */
export async function saveAccess(file: string, db: Database, now: number): Promise<number> {
  const descriptor = openSync(file, 'wx', 0o600);
  const writeLine = (line: unknown): void =>
    void writeSync(descriptor, `${JSON.stringify(line)}\n`);
  try {
    const people = await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (transaction) => {
        const installation = await nameInstallation(transaction);
        writeLine({
          kind: 'fieldbell-access',
          at: now,
          installation,
          ids: await readIds(transaction),
        });
        let users = 0;
        for (const table of ACCESS_TABLES)
          for await (const rows of readTable(table, accessColumns(table).split(','), transaction)) {
            writeLine({ table, rows });
            if (table === 'users') users += rows.length;
          }
        writeLine('end');
        return users;
      });
    fsyncSync(descriptor);
    return people;
  } finally {
    closeSync(descriptor);
  }
}

async function nameInstallation(db: Transaction<Tables>): Promise<string> {
  const key = (await readSetting('vapid', db)) ?? '';
  return createHash('sha256').update(key).digest('base64url');
}

/** The sequences have the ids, because the row with the highest id may be gone. */
async function readIds(transaction: Transaction<Tables>): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string; used: number | null }>`select table_name as name,
      pg_sequence_last_value(cast(pg_get_serial_sequence(table_name, 'id') as regclass)) as used
    from information_schema.columns
    where table_schema = current_schema() and column_name = 'id' and is_identity = 'YES'`.execute(
    transaction,
  );
  return Object.fromEntries(rows.map(({ name, used }) => [name, Number(used ?? 0)]));
}

/**
 * Ends what had ended when the file was written, in a database restored since.
 * @param finish the last write of the transaction; without it, changes are only listed
 * @throws AccessError
 */
export async function applyAccess(
  file: string,
  db: Database,
  finish?: (deleted: DeletedPerson[], transaction: Transaction<Tables>) => Promise<void>,
): Promise<EndedAccess> {
  let endedAccess = NOTHING_ENDED;
  const onlyListed = new Error('only listed');
  try {
    await db.transaction().execute(async (transaction) => {
      const runStatement = (statement: string): Promise<unknown> =>
        sql.raw(statement).execute(transaction);
      for (const statement of snapshotAccess('with no data')) await runStatement(statement);
      const { ids } = await readInto(file, transaction);
      endedAccess = await listEnded(transaction);
      if (finish === undefined) throw onlyListed;
      const { rows } = await sql.raw<DeletedPerson>(DELETED_PEOPLE).execute(transaction);
      for (const statement of [...APPLY_ENDED_ACCESS, ...REVOKE_SESSIONS_AND_LINKS])
        await runStatement(statement);
      await setSequences(new Map(Object.entries(ids)), transaction);
      await finish(rows, transaction);
      for (const table of ACCESS_TABLES) await runStatement(`drop table ${snapshotName(table)}`);
    });
  } catch (error) {
    if (error !== onlyListed) throw error;
  }
  return endedAccess;
}

async function listEnded(transaction: Transaction<Tables>): Promise<EndedAccess> {
  const kinds: EndedAccess['kinds'] = [];
  for (const { kind, statement } of ENDED_ACCESS_LISTS) {
    const { rows } = await sql.raw<{ name: string }>(statement).execute(transaction);
    if (rows.length > 0) kinds.push({ kind, names: rows.map(({ name }) => name) });
  }
  const { rows: administrators } = await sql.raw(ADMINISTRATORS_LEFT_SQL).execute(transaction);
  return { kinds, leavesNoAdministrator: administrators.length === 0 };
}

async function readInto(file: string, transaction: Transaction<Tables>): Promise<AccessFileHeader> {
  let header: AccessFileHeader | undefined;
  let isWhole = false;
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity });
  for await (const line of lines) {
    const parsedLine = parseLine(line);
    if (header === undefined) {
      header = asHeader(parsedLine);
      await compareContent(header, transaction);
    } else if (parsedLine === 'end') isWhole = true;
    else await insertContent(parsedLine, transaction);
  }
  if (header === undefined) throw new AccessError('no-access-file');
  if (!isWhole) throw new AccessError('not-whole');
  return header;
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new AccessError('no-access-file');
  }
}

function asHeader(value: unknown): AccessFileHeader {
  if ((value as AccessFileHeader | null)?.kind !== 'fieldbell-access')
    throw new AccessError('no-access-file');
  return value as AccessFileHeader;
}

/** A file older than the backup would end sessions and devices that are newer than the file. */
async function compareContent(
  { installation, at }: AccessFileHeader,
  transaction: Transaction<Tables>,
): Promise<void> {
  if (installation !== (await nameInstallation(transaction)))
    throw new AccessError('another-installation');
  const { newest } = await transaction
    .selectFrom('audit_entries')
    .select(({ fn }) => fn.max('at').as('newest'))
    .executeTakeFirstOrThrow();
  if (Number(newest) > at) throw new AccessError('older');
}

async function insertContent(content: unknown, transaction: Transaction<Tables>): Promise<void> {
  const { table, rows } = content as { table: AccessTable; rows: unknown[] };
  if (!ACCESS_TABLES.includes(table)) throw new AccessError('no-access-file');
  const columns = accessColumns(table).split(',');
  await insertJson(snapshotName(table), columns, JSON.stringify(rows), transaction);
}
