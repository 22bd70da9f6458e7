/** PostgreSQL through a connection pool, for several server processes. */
import { PostgresAdapter, PostgresDialect } from 'kysely';
import type { DialectAdapter, PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { DatabaseUnavailableError } from '../errors';

const MAX_CONNECTIONS = 10;

/** All our 64-bit integers are ids and milliseconds below 2^53, so they are read as numbers. */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary'): ((text: string) => unknown) =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

/** Connection errors (rejected, cut off, timed out) have no reliable code, so they get a type. */
function throwUnavailable(error: unknown): never {
  throw error instanceof pg.DatabaseError ? error : new DatabaseUnavailableError(error);
}

/** PostgreSQL closes the connection after such an error (documentation, 54.2.1). */
const isFatal = (error: pg.DatabaseError): boolean =>
  error.severity === 'FATAL' || error.severity === 'PANIC';

/** Why a connection must not be used again. It may break while no statement runs. */
const brokenConnections = new WeakMap<pg.ClientBase, unknown>();

/** The pool listens for `error` only while idle, and an unhandled one ends the process. */
class Client extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', (error) => {
      if (!brokenConnections.has(this)) brokenConnections.set(this, error);
    });
  }
}

/**
 * Stops using a connection after any failure that PostgreSQL did not report itself.
 * @param begin the statement that begins a transaction
 */
function guardClient(client: pg.PoolClient, begin: string): PostgresPoolClient {
  const query = async (...request: unknown[]): Promise<unknown> => {
    // The connection is not used even for a rollback, which would time out again.
    if (brokenConnections.has(client))
      throw new DatabaseUnavailableError(brokenConnections.get(client));
    if (request[0] === 'begin') request[0] = begin;
    try {
      return await (Reflect.apply(client.query, client, request) as Promise<unknown>);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || isFatal(error))
        brokenConnections.set(client, error);
      return throwUnavailable(error);
    }
  };
  return {
    query: query as PostgresPoolClient['query'],
    release: () => client.release(brokenConnections.has(client)),
  };
}

/** Whether pg can parse it, including the certificate files it names. */
export function isConnectionString(text: string): boolean {
  try {
    new pg.Client(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * A dialect that fails with PostgreSQL's own errors or `DatabaseUnavailable`.
 * @param limits milliseconds for a statement (0: unlimited) and for a connection, and the advisory
 * lock of each transaction
 */
export function openPool(
  connectionString: string,
  {
    statementLimit,
    connectLimit,
    transactionLock,
  }: { statementLimit: number; connectLimit: number; transactionLock?: number | undefined },
): PooledDialect {
  const pool = new pg.Pool({
    Client,
    connectionString,
    // The name in pg_stat_activity and PostgreSQL's log; the address may contain another.
    application_name: 'fieldbell',
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: connectLimit,
    statement_timeout: statementLimit,
    // A server that is cut off never replies, and the system would wait for 15 minutes.
    query_timeout: statementLimit * 1.2,
    types,
  });
  // An idle connection that breaks would end the process. The next query reports the fault.
  pool.on('error', () => undefined);
  let begin =
    transactionLock === undefined
      ? 'begin'
      : `begin; select pg_advisory_xact_lock(${transactionLock})`;
  /** PgBouncer in transaction mode accepts no limit per connection, so each transaction sets it. */
  const limitTransactions = (error: unknown): Promise<pg.PoolClient> => {
    if (!isProtocolFault(error) || statementLimit === 0) throw error;
    pool.options.statement_timeout = 0;
    begin = `begin; set local statement_timeout = ${statementLimit}`;
    return pool.connect();
  };
  const guardedPool: PostgresPool = {
    connect: () =>
      pool
        .connect()
        .catch(limitTransactions)
        .then((client) => guardClient(client, begin), throwUnavailable),
    end: () => pool.end(),
  };
  return new PooledDialect(guardedPool, () => ({
    used: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
  }));
}

/** A pooler in transaction mode may unlock another session, so `migrate` locks its transaction. */
class PooledAdapter extends PostgresAdapter {
  override acquireMigrationLock = (): Promise<void> => Promise.resolve();
  override releaseMigrationLock = (): Promise<void> => Promise.resolve();
}

export class PooledDialect extends PostgresDialect {
  /** @param countConnections by state, and requests that wait for one */
  constructor(
    pool: PostgresPool,
    readonly countConnections: () => Record<string, number>,
  ) {
    super({ pool });
  }
  override createAdapter(): DialectAdapter {
    return new PooledAdapter();
  }
}

/** PostgreSQL, appendix A: protocol violation. PgBouncer uses it for every error. */
const isProtocolFault = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '08P01';
