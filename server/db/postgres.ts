/** The engine for several server processes: PostgreSQL through a connection pool. */
import { PostgresDialect } from 'kysely';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { DatabaseUnavailable } from './errors';

const CONNECT_MILLISECONDS = 3000;
const CONNECTIONS = 10;

/** All our 64-bit integers are ids and milliseconds, far below 2^53, so they may be numbers. */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary'): ((text: string) => unknown) =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

/** What does not come from the server itself (refused, cut off, timed out) has no reliable code: give it a type. */
function unavailable(error: unknown): never {
  throw error instanceof pg.DatabaseError ? error : new DatabaseUnavailable(error);
}

/** A connection that failed other than by PostgreSQL's own word is not used again: what it would answer next is anybody's guess. */
function guardClient(client: pg.PoolClient): PostgresPoolClient {
  let broken: unknown;
  const query = async (...request: unknown[]): Promise<unknown> => {
    // Not even for the rollback, which would be waited for as long again.
    if (broken !== undefined) return unavailable(broken);
    try {
      return await (Reflect.apply(client.query, client, request) as Promise<unknown>);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) broken = error;
      return unavailable(error);
    }
  };
  return { query: query as PostgresPoolClient['query'], release: () => client.release(broken !== undefined) };
}

/**
 * A dialect whose every failure is either PostgreSQL's own error, with its code, or `DatabaseUnavailable`.
 * @param statementLimit milliseconds that a statement may take; 0 for as long as it needs
 */
export function openPool(connectionString: string, statementLimit: number): PostgresDialect {
  const pool = new pg.Pool({
    connectionString,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MILLISECONDS,
    statement_timeout: statementLimit,
    // A server that is cut off rather than down says nothing: the system would wait for it for a quarter of an hour.
    query_timeout: statementLimit * 1.2,
    types,
  });
  // An idle connection that breaks would end the process. The next query meets the trouble and reports it.
  pool.on('error', () => undefined);
  const guarded: PostgresPool = {
    connect: () => pool.connect().then(guardClient, unavailable),
    end: () => pool.end(),
  };
  return new PostgresDialect({ pool: guarded });
}
