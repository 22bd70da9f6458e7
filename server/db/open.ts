import { join } from 'node:path';
import { Kysely } from 'kysely';
import { DATABASE, EmbeddedDialect, openFile } from './engines/embedded';
import { openPool } from './engines/postgres';
import type { Tables } from './schema';

export type Engine = 'sqlite' | 'postgres';
export type Database = Kysely<Tables>;

export interface OpenDatabase {
  db: Database;
  engine: Engine;
  close(): Promise<void>;
}

export interface DatabaseConfig {
  /** A PostgreSQL connection string; without it the embedded engine is used. */
  databaseUrl?: string | undefined;
  /** Where the embedded engine keeps `fieldbell.db`. */
  dataDir: string;
  /** Milliseconds that a write of the embedded engine waits for another process's write. */
  lockWait?: number;
  /** Milliseconds that one statement may take on PostgreSQL; 0 for as long as it needs. */
  statementLimit?: number;
  /** On PostgreSQL: an advisory lock that each transaction takes. */
  transactionLock?: number;
  /** Milliseconds that a request waits for one of the connections to PostgreSQL. */
  connectLimit?: number;
}

const LOCK_WAIT_MILLISECONDS = 1500;
/** The app waits no longer for an answer. */
const STATEMENT_MILLISECONDS = 10_000;
const CONNECT_MILLISECONDS = 3000;

/** Opens the configured engine. Tables are not made here: see `migrate`. */
export function openDatabase(config: DatabaseConfig): OpenDatabase {
  const engine: Engine = config.databaseUrl === undefined ? 'sqlite' : 'postgres';
  const dialect =
    config.databaseUrl === undefined
      ? new EmbeddedDialect(
          openFile(join(config.dataDir, DATABASE), config.lockWait ?? LOCK_WAIT_MILLISECONDS),
        )
      : openPool(config.databaseUrl, {
          statementLimit: config.statementLimit ?? STATEMENT_MILLISECONDS,
          connectLimit: config.connectLimit ?? CONNECT_MILLISECONDS,
          transactionLock: config.transactionLock,
        });
  const db = new Kysely<Tables>({ dialect });
  return { db, engine, close: () => db.destroy() };
}
