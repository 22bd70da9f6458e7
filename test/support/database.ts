/** A database for one test file: a new file, or a new database on the PostgreSQL of `TEST_DATABASE_URL`. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { DatabaseConfig } from '../../server/db/open';

export interface TestDatabase {
  config: DatabaseConfig;
  /** Removes it, once everything that used it is closed. */
  drop(): Promise<void>;
}

/** Where the other holder of a lock is in this very process, waiting for it cannot help. */
const LOCK_WAIT = 20;

export const onPostgres = Boolean(process.env.TEST_DATABASE_URL);

export async function makeDatabase(): Promise<TestDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'fieldbell-test-'));
  const dropFolder = (): Promise<void> => rm(dataDir, { recursive: true, force: true });
  const server = process.env.TEST_DATABASE_URL;
  if (!server) return { config: { dataDir, lockWait: LOCK_WAIT }, drop: dropFolder };

  const name = `test_${randomBytes(8).toString('hex')}`;
  const url = new URL(server);
  await administer(server, `create database ${name}`);
  url.pathname = `/${name}`;
  return {
    config: { dataDir, databaseUrl: url.href },
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
