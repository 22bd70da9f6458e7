import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { App } from '../app';

/** Slow clients are cut off: nobody may hold a connection without sending what they began. */
const limits = { headersTimeout: 10_000, requestTimeout: 14_000, connectionsCheckingInterval: 1000, keepAliveTimeout: 5000 };
const DRAIN_MILLISECONDS = 10_000;

export interface Listening {
  port: number;
  /** Takes no more requests and resolves when those under way are answered, after ten seconds at the latest. */
  stop(): Promise<void>;
}

/** @param port 0 lets the system choose. Rejects with the code `EADDRINUSE` if it is taken. */
export async function listen(app: App, port: number): Promise<Listening> {
  // The listener must leave the global Request and Response alone: delivery and tests use fetch in this process.
  const server = createServer(limits, getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, resolve);
  });
  return { port: (server.address() as AddressInfo).port, stop: () => drain(server) };
}

async function drain(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), DRAIN_MILLISECONDS);
  await closed;
  clearTimeout(timer);
}
