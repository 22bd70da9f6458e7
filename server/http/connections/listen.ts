import { createServer } from 'node:http';
import { BlockList } from 'node:net';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { App } from '../env';
import { limitConnections } from './connections';
import type { ClientLimits } from './connections';
import { takeTurns } from './turns';
import type { AnswerLimits } from './turns';

/**
 * Cuts slow clients off. Keeps idle connections longer than common proxies do (a minute): a close just
 * before the next request would make them answer 502.
 */
export const limits: ServerLimits = {
  headersTimeout: 10_000,
  requestTimeout: 12_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 65_000,
  drain: 9000,
  // The app waits 10 s for an answer, and what it loads are some tens of kilobytes.
  answerTimeout: 30_000,
  maxUnread: 32 * 1024 * 1024,
  maxWaiting: 8,
  maxConnections: 4096,
  maxForAddress: 256,
};

/** Times are in milliseconds. */
export interface ServerLimits extends AnswerLimits, ClientLimits {
  headersTimeout: number;
  requestTimeout: number;
  /** How often the two above and answers are looked after: limits may be exceeded by this much. */
  connectionsCheckingInterval: number;
  keepAliveTimeout: number;
  /** How long a stop waits for requests under way. */
  drain: number;
}

export interface Listening {
  port: number;
  /**
   * From now on each answer is the last of its connection: a client that asks again makes another
   * one, which finds whoever listens here next.
   */
  leave(): void;
  /**
   * Takes no more requests and resolves when those under way are answered, after ten seconds at the
   * latest.
   */
  stop(): Promise<void>;
}

/** Where to listen: on all interfaces, unless a host is named. */
interface ListenAt {
  /** 0 lets the system choose. */
  port: number;
  host?: string;
}

/**
 * Rejects with the code `EADDRINUSE` if the port is taken, `EADDRNOTAVAIL` if the host is not this
 * machine's.
 * @param trusted proxies of ours, to which the limit for one address does not apply
 */
export async function listen(
  app: Pick<App, 'fetch'>,
  at: number | ListenAt,
  given: ServerLimits = limits,
  trusted = new BlockList(),
): Promise<Listening> {
  const server = createServer(given);
  const connections = limitConnections(server, given, trusted);
  // Puts a lighter `Request` and `Response` in the place of the global ones: only of these it writes
  // an answer without making streams first.
  const answer = getRequestListener(app.fetch);
  let leaving = false;
  const turns = takeTurns(
    (request, response) => {
      if (leaving) response.shouldKeepAlive = false;
      return answer(request, response);
    },
    given,
    connections.setBusy,
  );
  server.on('request', turns.listener);
  const checking = setInterval(turns.check, given.connectionsCheckingInterval);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // Node's own 511 overflow in one burst of a stranger, and then everybody's new connections wait
    // for the system's retries: one second, three, seven.
    const backlog = given.maxConnections;
    server.listen({ ...(typeof at === 'number' ? { port: at } : at), backlog }, resolve);
  }).catch((error: unknown) => {
    clearInterval(checking);
    throw error;
  });
  const leave = (): void => {
    leaving = true;
  };
  const stop = async (): Promise<void> => {
    leave();
    // Connections that the system has taken for us and that wait would be cut by a close: they are
    // taken in the step before this one.
    await new Promise((resolve) => setImmediate(resolve));
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    // Node takes a connection that never sent anything for a busy one: a stop would wait for it in
    // vain.
    connections.end();
    const timer = setTimeout(() => server.closeAllConnections(), given.drain);
    await closed;
    clearTimeout(timer);
    clearInterval(checking);
  };
  return { port: (server.address() as AddressInfo).port, leave, stop };
}
