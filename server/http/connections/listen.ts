import { createServer } from 'node:http';
import { BlockList } from 'node:net';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { App } from '../env';
import { limitConnections } from './connections';
import type { ClientLimits } from './connections';
import { createRequestQueue } from './request-queue';
import type { ResponseLimits } from './request-queue';

/** Idle connections outlive those of common proxies (a minute), which would return 502. */
export const connectionLimits: ServerLimits = {
  headersTimeout: 10_000,
  requestTimeout: 12_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 65_000,
  drain: 9000,
  // The app waits 10 s for a response, and loads some tens of kilobytes.
  responseTimeout: 30_000,
  maxUnread: 32 * 1024 * 1024,
  maxWaiting: 8,
  maxConnections: 4096,
  maxForAddress: 256,
};

/** Times are in milliseconds. */
export interface ServerLimits extends ResponseLimits, ClientLimits {
  headersTimeout: number;
  requestTimeout: number;
  connectionsCheckingInterval: number;
  keepAliveTimeout: number;
  drain: number;
}

export interface Listening {
  port: number;
  /** Closes each connection after its next response, so that clients reconnect to a successor. */
  leave(): void;
  /** Stops listening. Resolves once running requests have their response, within ten seconds. */
  stop(): Promise<void>;
}

interface ListenAt {
  /** The port; 0 lets the system choose. */
  port: number;
  host?: string;
}

/** Rejects with `EADDRINUSE` or `EADDRNOTAVAIL`. */
export async function listen(
  app: Pick<App, 'fetch'>,
  address: number | ListenAt,
  limits: ServerLimits = connectionLimits,
  trustedProxies = new BlockList(),
): Promise<Listening> {
  const server = createServer(limits);
  const connections = limitConnections(server, limits, trustedProxies);
  // Replaces the global `Request` and `Response` by lighter ones, which respond without streams.
  const respond = getRequestListener(app.fetch);
  let isLeaving = false;
  const queue = createRequestQueue(
    (request, response) => {
      if (isLeaving) response.shouldKeepAlive = false;
      return respond(request, response);
    },
    limits,
    connections.setBusy,
  );
  server.on('request', queue.listener);
  const checkTimer = setInterval(queue.check, limits.connectionsCheckingInterval);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // Node's default of 511 overflows in one burst; new connections then wait 1, 3 and 7 s.
    const backlog = limits.maxConnections;
    server.listen(
      { ...(typeof address === 'number' ? { port: address } : address), backlog },
      resolve,
    );
  }).catch((error: unknown) => {
    clearInterval(checkTimer);
    throw error;
  });
  const leave = (): void => {
    isLeaving = true;
  };
  const stop = async (): Promise<void> => {
    leave();
    // Let Node accept connections that the system already took: `close` would cut them.
    await new Promise((resolve) => setImmediate(resolve));
    const serverClosed = new Promise<void>((resolve) => server.close(() => resolve()));
    // Node counts a connection that never sent anything as busy, and would wait for it.
    connections.end();
    const timer = setTimeout(() => server.closeAllConnections(), limits.drain);
    await serverClosed;
    clearTimeout(timer);
    clearInterval(checkTimer);
  };
  return { port: (server.address() as AddressInfo).port, leave, stop };
}
