/** The embedded engine: SQLite in one file, through libsql (better-sqlite3's interface). */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { SqliteAdapter, SqliteDialect } from 'kysely';
import type { DialectAdapter, SqliteDatabase, SqliteStatement } from 'kysely';
import Database from 'libsql';

const nothing: SqliteStatement = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [][Symbol.iterator](),
};

/**
 * Opens the file, creating it and its folder, and makes it keep what it acknowledged: WAL, so that readers never wait,
 * and synchronous=FULL, so that a commit survives a power cut.
 * @param lockWait how many milliseconds a write waits for another process's write (and the event loop with it)
 */
export function openFile(file: string, lockWait: number): Database.Database {
  mkdirSync(dirname(file), { recursive: true });
  const database = new Database(file, { timeout: lockWait });
  for (const setting of ['journal_mode=WAL', 'synchronous=FULL', 'foreign_keys=ON']) database.pragma(setting);
  return database;
}

/**
 * Two things that Kysely leaves to chance. A transaction that first reads and then writes must take the write lock
 * at once, or a second process makes it fail half-way (SQLITE_BUSY, no waiting). And SQLite itself ends a transaction
 * when the disk is full: rolling back again would fail and hide the reason.
 */
function guardTransactions(database: Database.Database): SqliteDatabase {
  const prepare = (sql: string): SqliteStatement => database.prepare(sql);
  return {
    close: () => database.close(),
    prepare: (sql) => {
      if (sql === 'begin') return prepare('begin immediate');
      if (sql === 'rollback' && !database.inTransaction) return nothing;
      return prepare(sql);
    },
  };
}

/** SQLite can change its tables inside a transaction, and the write lock lets one process migrate at a time. */
class EmbeddedAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Kysely's SQLite dialect over an open database, safe when several processes share the file. */
export class EmbeddedDialect extends SqliteDialect {
  constructor(database: Database.Database) {
    super({ database: guardTransactions(database) });
  }
  override createAdapter(): DialectAdapter {
    return new EmbeddedAdapter();
  }
}
