/** The embedded engine: SQLite in one file, through libsql (better-sqlite3's interface). */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { SqliteAdapter, SqliteDialect } from 'kysely';
import type { DialectAdapter, SqliteDatabase, SqliteStatement } from 'kysely';
import Database from 'libsql';
import { keepPrepared } from './prepared';

/** Its name in the server's folder. */
export const DATABASE = 'fieldbell.db';

/**
 * Opens the file, creating it and its folder, and makes it keep what it acknowledged: WAL, so that
 * readers never wait, and synchronous=FULL, so that a commit survives a power cut. What is deleted is
 * overwritten, not only forgotten.
 * @param lockWait how many milliseconds a write waits for another process's write (and the event
 * loop with it)
 */
export function openFile(file: string, lockWait: number): Database.Database {
  mkdirSync(dirname(file), { recursive: true });
  createForOwner(file);
  const database = new Database(file, { timeout: lockWait });
  for (const setting of [
    'journal_mode=WAL',
    'synchronous=FULL',
    'foreign_keys=ON',
    'secure_delete=ON',
  ])
    database.pragma(setting);
  return database;
}

/**
 * Password hashes and device tokens are in it: a new one is its owner's only. SQLite's files beside
 * it follow. One that is there must not even be opened here: closing it would drop every lock that
 * this process has on it (POSIX), and the next process to close the database would take itself for
 * the last one and delete the log that we go on writing to.
 */
function createForOwner(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/**
 * Leaves all data in the one file, so that a copy of it, and of nothing beside it, has everything.
 * SQLite does so when the last connection closes, but libsql keeps that open as long as it has not
 * collected its statements as garbage.
 */
function moveLogIntoFile(database: Database.Database): void {
  try {
    database.exec('pragma wal_checkpoint(truncate)');
  } catch {
    // Another process reads or writes: the log is whole, and belongs to that now.
  }
}

const WRITES = /^\s*(insert|update|delete|replace|with|create|alter|drop)\b/i;

/**
 * The database as Kysely sees it, with three things made safe:
 *
 * - A transaction that reads and then writes takes the write lock at once. Otherwise a second
 *   process makes it fail half-way (SQLITE_BUSY, without any waiting).
 * - A statement that met a lock stays "in progress" in libsql until it is collected as garbage, and
 *   as long as it does, what is written after it is acknowledged but not committed. So a lock is
 *   only ever met inside `exec`, which clears up at once: a lone write gets a transaction of its
 *   own, too.
 * - When the disk is full SQLite has ended the transaction by itself; rolling back again would hide
 * the reason.
 */
function guard(database: Database.Database): SqliteDatabase {
  const prepared = keepPrepared(database);
  const rollBack = (): void => {
    if (database.inTransaction) database.exec('rollback');
  };
  return {
    close: () => {
      prepared.clear();
      moveLogIntoFile(database);
      database.close();
    },
    prepare: (sql) => {
      if (sql === 'begin') return perform(() => database.exec('begin immediate'));
      if (sql === 'commit') return perform(() => database.exec('commit'));
      if (sql === 'rollback') return perform(rollBack);
      const statement = prepared.of(sql);
      return WRITES.test(sql) && !database.inTransaction ? writeAlone(statement) : statement;
    },
  };

  function writeAlone(statement: SqliteStatement): SqliteStatement {
    const alone = <Result>(write: () => Result): Result => {
      database.exec('begin immediate');
      try {
        const result = write();
        database.exec('commit');
        return result;
      } catch (error) {
        rollBack();
        throw error;
      }
    };
    return {
      reader: statement.reader,
      all: (parameters) => alone(() => statement.all(parameters)),
      run: (parameters) => alone(() => statement.run(parameters)),
      iterate: (parameters) => statement.iterate(parameters),
    };
  }
}

/** A statement without parameters or rows. */
function perform(work: () => void): SqliteStatement {
  const run = (): { changes: number; lastInsertRowid: number } => {
    work();
    return { changes: 0, lastInsertRowid: 0 };
  };
  return { reader: false, all: () => [], run, iterate: () => [][Symbol.iterator]() };
}

/**
 * SQLite can change its tables inside a transaction, and the write lock lets one process migrate at
 * a time.
 */
class EmbeddedAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Kysely's SQLite dialect over an open database, safe when several processes share the file. */
export class EmbeddedDialect extends SqliteDialect {
  constructor(database: Database.Database) {
    super({ database: guard(database) });
  }
  override createAdapter(): DialectAdapter {
    return new EmbeddedAdapter();
  }
}
