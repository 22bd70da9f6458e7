/**
 * A database for one test file: a new file, or a new database on `TEST_DATABASE_URL`'s PostgreSQL.
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
  drop(): Promise<void>;
}

/** Waiting cannot help where this very process holds the lock. */
const LOCK_WAIT_MS = 20;

/** Busy machines are slow, and few tests are about these limits. */
const LONG_LIMITS = { statementLimit: 60_000, connectLimit: 60_000 };

export const onPostgres = Boolean(process.env.TEST_DATABASE_URL);

/** The folder is in memory if possible: waiting for a disk after each commit proves nothing. */
const temporary = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export async function createEmptyDatabase(): Promise<TestDatabase> {
  return createFromTemplate(undefined);
}

/** A copy of a database that was migrated once. */
export async function createDatabase(): Promise<TestDatabase> {
  migrated ??= createTemplate(async () => {});
  return createFromTemplate(await migrated);
}

/** The database has Web Push keys, too, as after a server's start. */
export async function createUsedDatabase(): Promise<TestDatabase> {
  used ??= createTemplate(loadVapidKeys);
  return createFromTemplate(await used);
}

/** A file's content, or another database's name. */
type Template = { content: Buffer } | { name: string };
let migrated: Promise<Template> | undefined;
let used: Promise<Template> | undefined;

async function createTemplate(fill: (db: Database) => Promise<unknown>): Promise<Template> {
  const { config, drop } = await createEmptyDatabase();
  await migrate(config);
  const { db, engine, close } = openDatabase(config);
  await fill(db);
  // A copy of the file alone would lack rows of its log.
  if (engine === 'sqlite') await sql`pragma wal_checkpoint(truncate)`.execute(db);
  await close();
  if (config.databaseUrl === undefined) {
    const content = readFileSync(join(config.dataDir, 'fieldbell.db'));
    await drop();
    return { content };
  }
  process.on('exit', () => rmSync(config.dataDir, { recursive: true, force: true }));
  return { name: new URL(config.databaseUrl).pathname.slice(1) };
}

async function createFromTemplate(template: Template | undefined): Promise<TestDatabase> {
  const dataDir = mkdtempSync(join(temporary, 'fieldbell-test-'));
  const dropFolder = (): void => rmSync(dataDir, { recursive: true, force: true });
  const server = process.env.TEST_DATABASE_URL;
  if (!server) {
    if (template && 'content' in template)
      writeFileSync(join(dataDir, 'fieldbell.db'), template.content, { mode: 0o600 });
    return { config: { dataDir, lockWait: LOCK_WAIT_MS }, drop: async () => dropFolder() };
  }
  const name = `test_${randomBytes(8).toString('hex')}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  const copied = template && 'name' in template ? `template ${template.name}` : '';
  await administer(server, `create database ${name} ${copied}`);
  return {
    config: { dataDir, databaseUrl: url.href, ...LONG_LIMITS },
    drop: async () => {
      await administer(server, `drop database ${name} with (force)`);
      dropFolder();
    },
  };
}

/** One connection suffices: each costs a process of PostgreSQL's. */
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
