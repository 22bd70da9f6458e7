/** A cache of prepared SQLite statements, by their text. */
import type { SqliteStatement } from 'kysely';
import type Database from 'libsql';

/** The server has some 300 statements, and preparing one often takes longer than running it. */
export const MAX_CACHED_STATEMENTS = 256;
/** Longer statements write many rows and rarely repeat. */
const MAX_CACHED_STATEMENT_LENGTH = 8_000;

export interface StatementCache {
  getStatement(sql: string): SqliteStatement;
  /** Releases all statements: libsql keeps the connection open while a statement is held. */
  clear(): void;
}

/** The most recently used statements. A failed one is dropped, because libsql does not reset it. */
export function createStatementCache(database: Database.Database): StatementCache {
  const statements = new Map<string, SqliteStatement>();
  return {
    getStatement(sql) {
      const cachedStatement = statements.get(sql);
      if (cachedStatement) {
        // A map keeps insertion order, so the first key is the least recently used.
        statements.delete(sql);
        statements.set(sql, cachedStatement);
        return cachedStatement;
      }
      const statement = prepareStatement(sql);
      if (sql.length > MAX_CACHED_STATEMENT_LENGTH) return statement;
      statements.set(sql, statement);
      if (statements.size > MAX_CACHED_STATEMENTS)
        statements.delete(statements.keys().next().value ?? '');
      return statement;
    },
    clear: () => statements.clear(),
  };

  function prepareStatement(sql: string): SqliteStatement {
    const statement: SqliteStatement = database.prepare(sql);
    const runOrDiscard = <Result>(work: () => Result): Result => {
      try {
        return work();
      } catch (error) {
        statements.delete(sql);
        throw error;
      }
    };
    return {
      reader: statement.reader,
      all: (parameters) => runOrDiscard(() => statement.all(parameters)),
      run: (parameters) => runOrDiscard(() => statement.run(parameters)),
      // A statement is in use until its last row is read, so it must not be shared.
      iterate: (parameters) => {
        statements.delete(sql);
        return statement.iterate(parameters);
      },
    };
  }
}
