import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { App } from '../app';

/**
 * Slow clients are cut off: nobody may hold a connection without sending what they began. A connection between two
 * requests is kept for longer than the minute of common proxies (nginx, load balancers): were it closed just when the next
 * request is on its way, they would answer 502, and a browser would send a POST a second time.
 */
export const limits: ServerLimits = {
  headersTimeout: 10_000,
  requestTimeout: 13_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 65_000,
  drain: 9000,
};

/** All in milliseconds. */
export interface ServerLimits {
  headersTimeout: number;
  requestTimeout: number;
  /** How often the two above are looked after: they may be exceeded by this much. */
  connectionsCheckingInterval: number;
  keepAliveTimeout: number;
  /** How long a stop waits for requests under way. */
  drain: number;
}

export interface Listening {
  port: number;
  /** Takes no more requests and resolves when those under way are answered, after ten seconds at the latest. */
  stop(): Promise<void>;
}

/** @param port 0 lets the system choose. Rejects with the code `EADDRINUSE` if it is taken. */
export async function listen(app: App, port: number, given: ServerLimits = limits): Promise<Listening> {
  // The listener must leave the global Request and Response alone: delivery and tests use fetch in this process.
  const server = createServer(given, getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  const endIdle = watchConnections(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, resolve);
  });
  const stop = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    endIdle();
    const timer = setTimeout(() => server.closeAllConnections(), given.drain);
    await closed;
    clearTimeout(timer);
  };
  return { port: (server.address() as AddressInfo).port, stop };
}

/**
 * Node takes a connection that never sent anything for a busy one, and browsers open such in advance: a stop would wait
 * for them in vain.
 * @returns ends every connection without a request under way, now and as soon as its request is answered
 */
function watchConnections(server: Server): () => void {
  const idle = new Set<Socket>();
  let ending = false;
  server.on('connection', (socket) => {
    idle.add(socket);
    socket.once('close', () => idle.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    idle.delete(socket);
    response.once('close', () => (ending || socket.destroyed ? socket.end() : idle.add(socket)));
  });
  return () => {
    ending = true;
    for (const socket of idle) socket.destroy();
  };
}
