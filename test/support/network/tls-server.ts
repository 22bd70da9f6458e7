/** HTTP over TLS on a free local port. */
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { localCertificate } from './tls';

export interface TlsServer {
  port: number;
  close(): Promise<void>;
}

export async function startTlsServer(
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<TlsServer> {
  const server = createServer(localCertificate(), listener);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // `closeAllConnections` misses one that still shakes hands; its client would wait ten
        // seconds.
        for (const socket of sockets) socket.destroy();
      }),
  };
}

export interface TlsCall {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface TlsReply {
  status: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** Reads the whole request and sends what `handle` returns; an error becomes a 500. */
export function responding(
  handle: (call: TlsCall) => TlsReply | Promise<TlsReply>,
): (request: IncomingMessage, response: ServerResponse) => void {
  return async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const receivedRequest = { method, path, headers, body: Buffer.concat(chunks) };
    const reply = await Promise.resolve(receivedRequest)
      .then(handle)
      .catch((error: unknown) => ({ status: 500, body: String(error) }) as TlsReply);
    response.writeHead(reply.status, reply.headers).end(reply.body);
  };
}
