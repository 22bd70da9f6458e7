/** The embedded engine: SQLite in one file, through libsql (better-sqlite3's interface). */
import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { SqliteAdapter, SqliteDialect } from 'kysely';
import type { DialectAdapter, SqliteDatabase, SqliteStatement } from 'kysely';
import Database from 'libsql';
import { errorCode } from '../errors';
import { createFolder } from '../create-folder';
import { createStatementCache } from './statement-cache';

export const SQLITE_FILE_NAME = 'fieldbell.db';

/**
 * Opens the file, creating it and its folder. WAL lets readers never wait, synchronous=FULL makes a
 * commit survive a power cut, and secure_delete overwrites deleted data.
 * @param lockWait milliseconds a write blocks the event loop to wait for another process's write
 */
export function openFile(file: string, lockWait: number): Database.Database {
  createFolder(dirname(file));
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
 * Only the owner may read password hashes and device tokens. An existing file must not be opened:
 * closing it drops this process's POSIX locks, and another process could then delete the log.
 */
function createForOwner(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/** Lets a copy of the file alone be complete; libsql would move the log only much later. */
function moveLogIntoFile(database: Database.Database): void {
  try {
    database.exec('pragma wal_checkpoint(truncate)');
  } catch {
    // Another process uses the log, which is complete and now its responsibility.
  }
}

const WRITES = /^\s*(insert|update|delete|replace|with|create|alter|drop)\b/i;

/**
 * The database for Kysely, with three safeguards:
 *
 * - A transaction takes the write lock at its start. Otherwise another process makes it fail half-way
 *   with SQLITE_BUSY, without waiting.
 * - A lone write runs in its own transaction. A statement that meets a lock stays open in libsql, and
 *   later writes would be acknowledged but not committed; `exec` cleans up at once.
 * - A full disk ends the transaction, so a second rollback must not hide the cause.
 */
function wrapDatabase(database: Database.Database): SqliteDatabase {
  const statements = createStatementCache(database);
  const rollBack = (): void => {
    if (database.inTransaction) database.exec('rollback');
  };
  return {
    close: () => {
      statements.clear();
      moveLogIntoFile(database);
      database.close();
    },
    prepare: (sql) => {
      if (sql === 'begin') return prepareAction(() => database.exec('begin immediate'));
      if (sql === 'commit') return prepareAction(() => database.exec('commit'));
      if (sql === 'rollback') return prepareAction(rollBack);
      const statement = statements.getStatement(sql);
      return WRITES.test(sql) && !database.inTransaction ? writeAlone(statement) : statement;
    },
  };

  function writeAlone(statement: SqliteStatement): SqliteStatement {
    const runExclusively = <Result>(write: () => Result): Result => {
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
      all: (parameters) => runExclusively(() => statement.all(parameters)),
      run: (parameters) => runExclusively(() => statement.run(parameters)),
      iterate: (parameters) => statement.iterate(parameters),
    };
  }
}

/** A statement without parameters or rows. */
function prepareAction(work: () => void): SqliteStatement {
  const run = (): { changes: number; lastInsertRowid: number } => {
    work();
    return { changes: 0, lastInsertRowid: 0 };
  };
  return { reader: false, all: () => [], run, iterate: () => [][Symbol.iterator]() };
}

/** SQLite changes tables in a transaction, whose write lock lets one process migrate at a time. */
class EmbeddedAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

export class EmbeddedDialect extends SqliteDialect {
  constructor(database: Database.Database) {
    super({ database: wrapDatabase(database) });
  }
  override createAdapter(): DialectAdapter {
    return new EmbeddedAdapter();
  }
}
