/**
 * A database for one test file: a new file, or a new database on the PostgreSQL of
 * `TEST_DATABASE_URL`.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { migrate } from '../../../server/db/migrate';
import { openDatabase } from '../../../server/db/open';
import type { Database, DatabaseConfig } from '../../../server/db/open';
import { loadVapidKeys } from '../../../server/delivery/web-push/vapid-keys';

export interface TestDatabase {
  config: DatabaseConfig;
  /** Removes it, once everything that used it is closed. */
  drop(): Promise<void>;
}

/** Where the other holder of a lock is in this very process, waiting for it cannot help. */
const LOCK_WAIT = 20;

/** A busy machine keeps within no limit of seconds, and few tests are about them. */
const PATIENT = { statementLimit: 60_000, connectLimit: 60_000 };

export const onPostgres = Boolean(process.env.TEST_DATABASE_URL);

/**
 * In memory where there is such a folder: waiting for a disk after every commit proves nothing
 * here.
 */
const temporary = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** A database without tables. */
export async function makeEmptyDatabase(): Promise<TestDatabase> {
  return make(undefined);
}

/** A database with all tables: a copy of one that was migrated once. */
export async function makeDatabase(): Promise<TestDatabase> {
  template ??= makeTemplate(async () => {});
  return make(await template);
}

/** A database as a server has it that was started before: it has its Web Push keys, too. */
export async function makeUsedDatabase(): Promise<TestDatabase> {
  used ??= makeTemplate(loadVapidKeys);
  return make(await used);
}

let template: Promise<DatabaseConfig> | undefined;
let used: Promise<DatabaseConfig> | undefined;

async function makeTemplate(fill: (db: Database) => Promise<unknown>): Promise<DatabaseConfig> {
  const { config } = await makeEmptyDatabase();
  await migrate(config);
  const { db, engine, close } = openDatabase(config);
  await fill(db);
  // What is still in the log beside the file would not be copied.
  if (engine === 'sqlite') await sql`pragma wal_checkpoint(truncate)`.execute(db);
  await close();
  // It serves until the process ends; on PostgreSQL it goes with the whole test server.
  process.on('exit', () => rmSync(config.dataDir, { recursive: true, force: true }));
  return config;
}

async function make(original: DatabaseConfig | undefined): Promise<TestDatabase> {
  const dataDir = await mkdtemp(join(temporary, 'fieldbell-test-'));
  const dropFolder = (): Promise<void> => rm(dataDir, { recursive: true, force: true });
  const server = process.env.TEST_DATABASE_URL;
  if (!server) {
    if (original !== undefined)
      await copyFile(join(original.dataDir, 'fieldbell.db'), join(dataDir, 'fieldbell.db'));
    return { config: { dataDir, lockWait: LOCK_WAIT }, drop: dropFolder };
  }
  const name = `test_${randomBytes(8).toString('hex')}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  const copied =
    original?.databaseUrl === undefined
      ? ''
      : `template ${new URL(original.databaseUrl).pathname.slice(1)}`;
  await administer(server, `create database ${name} ${copied}`);
  return {
    config: { dataDir, databaseUrl: url.href, ...PATIENT },
    drop: async () => {
      await administer(server, `drop database ${name} with (force)`);
      await dropFolder();
    },
  };
}

async function administer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
