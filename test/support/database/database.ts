/**
 * A database for one test file: a new file, or a new database on the PostgreSQL of
 * `TEST_DATABASE_URL`.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { migrate } from '../../../server/db/migrate';
import { openDatabase } from '../../../server/db/open';
import type { Database, DatabaseConfig } from '../../../server/db/open';
import { loadVapidKeys } from '../../../server/delivery/web-push/vapid';

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
 * here. Files are made and removed at once, which takes less than to wait for another thread.
 */
const temporary = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** A database without tables. */
export async function makeEmptyDatabase(): Promise<TestDatabase> {
  return make(undefined);
}

/** A database with all tables: a copy of one that was migrated once. */
export async function makeDatabase(): Promise<TestDatabase> {
  migrated ??= makeTemplate(async () => {});
  return make(await migrated);
}

/** A database as a server has it that was started before: it has its Web Push keys, too. */
export async function makeUsedDatabase(): Promise<TestDatabase> {
  used ??= makeTemplate(loadVapidKeys);
  return make(await used);
}

/** What a database is a copy of: the content of a file, or the name of another database. */
type Template = { content: Buffer } | { name: string };
let migrated: Promise<Template> | undefined;
let used: Promise<Template> | undefined;

async function makeTemplate(fill: (db: Database) => Promise<unknown>): Promise<Template> {
  const { config, drop } = await makeEmptyDatabase();
  await migrate(config);
  const { db, engine, close } = openDatabase(config);
  await fill(db);
  // Rows in the log beside the file would not be copied.
  if (engine === 'sqlite') await sql`pragma wal_checkpoint(truncate)`.execute(db);
  await close();
  if (config.databaseUrl === undefined) {
    const content = readFileSync(join(config.dataDir, 'fieldbell.db'));
    await drop();
    return { content };
  }
  // It serves until the process ends, and goes with the whole test server.
  process.on('exit', () => rmSync(config.dataDir, { recursive: true, force: true }));
  return { name: new URL(config.databaseUrl).pathname.slice(1) };
}

async function make(template: Template | undefined): Promise<TestDatabase> {
  const dataDir = mkdtempSync(join(temporary, 'fieldbell-test-'));
  const dropFolder = (): void => rmSync(dataDir, { recursive: true, force: true });
  const server = process.env.TEST_DATABASE_URL;
  if (!server) {
    if (template && 'content' in template)
      writeFileSync(join(dataDir, 'fieldbell.db'), template.content, { mode: 0o600 });
    return { config: { dataDir, lockWait: LOCK_WAIT }, drop: async () => dropFolder() };
  }
  const name = `test_${randomBytes(8).toString('hex')}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  const copied = template && 'name' in template ? `template ${template.name}` : '';
  await administer(server, `create database ${name} ${copied}`);
  return {
    config: { dataDir, databaseUrl: url.href, ...PATIENT },
    drop: async () => {
      await administer(server, `drop database ${name} with (force)`);
      dropFolder();
    },
  };
}

/** One connection for as long as the process lives: each would be a process of PostgreSQL's. */
let administrator: Promise<pg.Client> | undefined;

async function administer(server: string, statement: string): Promise<void> {
  administrator ??= connect(server);
  await (await administrator).query(statement);
}

async function connect(server: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  return client;
}
