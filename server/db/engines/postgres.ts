/** The engine for several server processes: PostgreSQL through a connection pool. */
import { PostgresAdapter, PostgresDialect } from 'kysely';
import type { DialectAdapter, PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { DatabaseUnavailable } from '../errors';

const CONNECTIONS = 10;

/** All our 64-bit integers are ids and milliseconds, far below 2^53, so they may be numbers. */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary'): ((text: string) => unknown) =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

/**
 * What does not come from the server itself (refused, cut off, timed out) has no reliable code:
 * give it a type.
 */
function unavailable(error: unknown): never {
  throw error instanceof pg.DatabaseError ? error : new DatabaseUnavailable(error);
}

/**
 * PostgreSQL ends the connection after such an error by itself (documentation, 54.2.1), whatever
 * its code.
 */
const isFatal = (error: pg.DatabaseError): boolean =>
  error.severity === 'FATAL' || error.severity === 'PANIC';

/**
 * Why a connection must not be used again. Kept beside it, as its end may be heard of while no
 * statement is under way.
 */
const broken = new WeakMap<pg.ClientBase, unknown>();

/**
 * An `error` without a listener ends the process, and the pool listens only while a connection is
 * idle: from the first moment to the last there is a listener of ours.
 */
class Client extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', (error) => {
      if (!broken.has(this)) broken.set(this, error);
    });
  }
}

/**
 * A connection that failed other than by PostgreSQL's own word is not used again: what it would
 * answer next is anybody's guess.
 * @param begin what begins a transaction
 */
function guardClient(client: pg.PoolClient, begin: string): PostgresPoolClient {
  const query = async (...request: unknown[]): Promise<unknown> => {
    // Not even for the rollback, which would be waited for as long again.
    if (broken.has(client)) throw new DatabaseUnavailable(broken.get(client));
    if (request[0] === 'begin') request[0] = begin;
    try {
      return await (Reflect.apply(client.query, client, request) as Promise<unknown>);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || isFatal(error)) broken.set(client, error);
      return unavailable(error);
    }
  };
  return {
    query: query as PostgresPoolClient['query'],
    release: () => client.release(broken.has(client)),
  };
}

/** Whether pg understands it, with the files of certificates that it may name. */
export function isConnectionString(text: string): boolean {
  try {
    new pg.Client(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * A dialect whose every failure is either PostgreSQL's own error, with its code, or
 * `DatabaseUnavailable`.
 * @param limits milliseconds that a statement may take, 0 for as long as it needs, and that is
 * waited for a connection; and the advisory lock that each transaction takes
 */
export function openPool(
  connectionString: string,
  {
    statementLimit,
    connectLimit,
    transactionLock,
  }: { statementLimit: number; connectLimit: number; transactionLock?: number | undefined },
): PostgresDialect {
  const pool = new pg.Pool({
    Client,
    connectionString,
    max: CONNECTIONS,
    connectionTimeoutMillis: connectLimit,
    statement_timeout: statementLimit,
    // A server that is cut off rather than down says nothing: the system would wait for it for a
    // quarter of an hour.
    query_timeout: statementLimit * 1.2,
    types,
  });
  // An idle connection that breaks would end the process. The next query meets the trouble and
  // reports it.
  pool.on('error', () => undefined);
  let begin =
    transactionLock === undefined
      ? 'begin'
      : `begin; select pg_advisory_xact_lock(${transactionLock})`;
  /**
   * A pooler that gives each transaction another connection (PgBouncer) takes no limit for the
   * connection: from then on each transaction brings its own.
   */
  const limitTransactions = (error: unknown): Promise<pg.PoolClient> => {
    if (!isProtocolFault(error) || statementLimit === 0) throw error;
    pool.options.statement_timeout = 0;
    begin = `begin; set local statement_timeout = ${statementLimit}`;
    return pool.connect();
  };
  const guarded: PostgresPool = {
    connect: () =>
      pool
        .connect()
        .catch(limitTransactions)
        .then((client) => guardClient(client, begin), unavailable),
    end: () => pool.end(),
  };
  return new PooledDialect({ pool: guarded });
}

/**
 * The lock of Kysely's migrator belongs to a session. A pooler in transaction mode may unlock another
 * session, and the lock would stay for ever: `migrate` locks its transaction.
 */
class PooledAdapter extends PostgresAdapter {
  override acquireMigrationLock = (): Promise<void> => Promise.resolve();
  override releaseMigrationLock = (): Promise<void> => Promise.resolve();
}

class PooledDialect extends PostgresDialect {
  override createAdapter(): DialectAdapter {
    return new PooledAdapter();
  }
}

/** PostgreSQL, appendix A: protocol violation, of which PgBouncer makes all that it has to say. */
const isProtocolFault = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '08P01';
