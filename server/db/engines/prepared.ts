/** Statements that SQLite has prepared, kept for the next time the same text is asked for. */
import type { SqliteStatement } from 'kysely';
import type Database from 'libsql';

/**
 * The server has some 300 texts; a screen or a job uses a dozen, again and again. Preparing most of
 * them takes longer than running them.
 */
export const MAX_KEPT = 256;
/** Longer texts are writes of many rows, whose number is another each time. In characters. */
export const MAX_KEPT_LENGTH = 8_000;

export interface Prepared {
  /** The statement of a text: kept, or prepared now. */
  of(sql: string): SqliteStatement;
  /** Lets all of them go: as long as one is held, libsql keeps its connection open. */
  clear(): void;
}

/**
 * Keeps the statements used last. SQLite itself prepares one again whose tables have changed since,
 * by whichever process. One that failed is let go, because libsql does not reset it: whatever it
 * holds ends when it is collected as garbage.
 */
export function keepPrepared(database: Database.Database): Prepared {
  const kept = new Map<string, SqliteStatement>();
  return {
    of(sql) {
      const known = kept.get(sql);
      if (known) {
        // A map keeps the order in which its keys came: the first is the one longest unused.
        kept.delete(sql);
        kept.set(sql, known);
        return known;
      }
      const statement = prepare(sql);
      if (sql.length > MAX_KEPT_LENGTH) return statement;
      kept.set(sql, statement);
      if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value ?? '');
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
      // It is in use until its last row was taken, and another must not begin with it meanwhile.
      iterate: (parameters) => {
        kept.delete(sql);
        return statement.iterate(parameters);
      },
    };
  }
}
