import { join } from 'node:path';
import { Kysely } from 'kysely';
import type { CompiledQuery } from 'kysely';
import { createAside } from './engines/aside';
import type { Aside } from './engines/aside';
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

const asides = new WeakMap<Database, Aside>();

/** Reads what takes long where there are many people, and keeps nobody waiting meanwhile. */
export async function readAside<Row>(query: CompiledQuery<Row>, db: Database): Promise<Row[]> {
  const rows = await asides.get(db)?.read(query);
  return (rows as Row[] | undefined) ?? (await db.executeQuery(query)).rows;
}

/** Opens the configured engine. Tables are not made here: see `migrate`. */
export function openDatabase(config: DatabaseConfig): OpenDatabase {
  const engine: Engine = config.databaseUrl === undefined ? 'sqlite' : 'postgres';
  const file = join(config.dataDir, DATABASE);
  const lockWait = config.lockWait ?? LOCK_WAIT_MILLISECONDS;
  const dialect =
    config.databaseUrl === undefined
      ? new EmbeddedDialect(openFile(file, lockWait))
      : openPool(config.databaseUrl, {
          statementLimit: config.statementLimit ?? STATEMENT_MILLISECONDS,
          connectLimit: config.connectLimit ?? CONNECT_MILLISECONDS,
          transactionLock: config.transactionLock,
        });
  const db = new Kysely<Tables>({ dialect });
  const aside = engine === 'sqlite' ? createAside(file, lockWait) : undefined;
  if (aside !== undefined) asides.set(db, aside);
  const close = async (): Promise<void> => {
    await aside?.close();
    await db.destroy();
  };
  return { db, engine, close };
}
