import { join } from 'node:path';
import { Kysely } from 'kysely';
import type { CompiledQuery } from 'kysely';
import { createReadThread } from './engines/read-thread';
import type { ReadThread } from './engines/read-thread';
import { SQLITE_FILE_NAME, EmbeddedDialect, openFile } from './engines/embedded';
import { PooledDialect, openPool } from './engines/postgres';
import type { Tables } from './schema';

export type Engine = 'sqlite' | 'postgres';
export type Database = Kysely<Tables>;

export interface OpenDatabase {
  db: Database;
  engine: Engine;
  /** PostgreSQL's connections by state. */
  countConnections: (() => Record<string, number>) | undefined;
  close(): Promise<void>;
}

export interface DatabaseConfig {
  /** A PostgreSQL connection string. Without it, the embedded engine is used. */
  databaseUrl?: string | undefined;
  /** The folder of `fieldbell.db`. */
  dataDir: string;
  /** Milliseconds a write of the embedded engine waits for another process. */
  lockWait?: number;
  /** Milliseconds for a statement on PostgreSQL; 0 is unlimited. */
  statementLimit?: number;
  /** PostgreSQL: an advisory lock for each transaction. */
  transactionLock?: number;
  /** Milliseconds to wait for a connection to PostgreSQL. */
  connectLimit?: number;
}

const LOCK_WAIT_MS = 1500;
/** The app's own limit for a response. */
const STATEMENT_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 3000;

const readThreads = new WeakMap<Database, ReadThread>();

/** Runs a long read without blocking the event loop, which the embedded engine otherwise does. */
export async function queryInReadThread<Row>(
  query: CompiledQuery<Row>,
  db: Database,
): Promise<Row[]> {
  const rows = await readThreads.get(db)?.read(query);
  return (rows as Row[] | undefined) ?? (await db.executeQuery(query)).rows;
}

/** Opens the configured engine. `migrate` creates the tables. */
export function openDatabase(config: DatabaseConfig): OpenDatabase {
  const engine: Engine = config.databaseUrl === undefined ? 'sqlite' : 'postgres';
  const file = join(config.dataDir, SQLITE_FILE_NAME);
  const lockWait = config.lockWait ?? LOCK_WAIT_MS;
  const dialect =
    config.databaseUrl === undefined
      ? new EmbeddedDialect(openFile(file, lockWait))
      : openPool(config.databaseUrl, {
          statementLimit: config.statementLimit ?? STATEMENT_TIMEOUT_MS,
          connectLimit: config.connectLimit ?? CONNECT_TIMEOUT_MS,
          transactionLock: config.transactionLock,
        });
  const db = new Kysely<Tables>({ dialect });
  const readThread = engine === 'sqlite' ? createReadThread(file, lockWait) : undefined;
  if (readThread !== undefined) readThreads.set(db, readThread);
  const close = async (): Promise<void> => {
    await readThread?.close();
    await db.destroy();
  };
  const countConnections = dialect instanceof PooledDialect ? dialect.countConnections : undefined;
  return { db, engine, countConnections, close };
}
