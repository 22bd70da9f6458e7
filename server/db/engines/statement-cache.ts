/** A cache of prepared SQLite statements, by their text. */
import type { SqliteStatement } from 'kysely';
import type Database from 'libsql';

/** The server has some 300 statements, and preparing one often takes longer than running it. */
export const MAX_STATEMENTS = 256;
/** In characters. Longer texts write many rows and rarely repeat. */
const MAX_KEPT_LENGTH = 8_000;

export interface StatementCache {
  of(sql: string): SqliteStatement;
  /** Releases all statements; libsql keeps the connection open while one is held. */
  clear(): void;
}

/** The most recently used statements. A failed one is dropped, because libsql does not reset it. */
export function createStatementCache(database: Database.Database): StatementCache {
  const kept = new Map<string, SqliteStatement>();
  return {
    of(sql) {
      const known = kept.get(sql);
      if (known) {
        // A map keeps insertion order, so the first key is the least recently used.
        kept.delete(sql);
        kept.set(sql, known);
        return known;
      }
      const statement = prepare(sql);
      if (sql.length > MAX_KEPT_LENGTH) return statement;
      kept.set(sql, statement);
      if (kept.size > MAX_STATEMENTS) kept.delete(kept.keys().next().value ?? '');
      return statement;
    },
    clear: () => kept.clear(),
  };

  function prepare(sql: string): SqliteStatement {
    const statement: SqliteStatement = database.prepare(sql);
    const orLetGo = <Result>(work: () => Result): Result => {
      try {
        return work();
      } catch (error) {
        kept.delete(sql);
        throw error;
      }
    };
    return {
      reader: statement.reader,
      all: (parameters) => orLetGo(() => statement.all(parameters)),
      run: (parameters) => orLetGo(() => statement.run(parameters)),
      // In use until its last row is read, so it must not be shared.
      iterate: (parameters) => {
        kept.delete(sql);
        return statement.iterate(parameters);
      },
    };
  }
}
