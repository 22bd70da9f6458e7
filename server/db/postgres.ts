/** The engine for several server processes: PostgreSQL through a connection pool. */
import { PostgresDialect } from 'kysely';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { DatabaseUnavailable } from './errors';

const CONNECT_MILLISECONDS = 3000;
const STATEMENT_MILLISECONDS = 10_000;
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

function guardClient(client: pg.PoolClient): PostgresPoolClient {
  const query = (...request: unknown[]): unknown => {
    const result: unknown = Reflect.apply(client.query, client, request);
    return result instanceof Promise ? result.catch(unavailable) : result;
  };
  return { query: query as PostgresPoolClient['query'], release: () => client.release() };
}

/** A dialect whose every failure is either PostgreSQL's own error, with its code, or `DatabaseUnavailable`. */
export function openPool(connectionString: string): PostgresDialect {
  const pool = new pg.Pool({
    connectionString,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MILLISECONDS,
    statement_timeout: STATEMENT_MILLISECONDS,
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
