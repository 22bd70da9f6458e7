/** HTTP/1.1 over kept connections. Node reports truncated replies differently than for HTTP/2. */
import { Agent, request as httpsRequest } from 'node:https';
import type { ClientRequestArgs, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { HostConnections } from './connections';
import type { HttpsResponse, HttpsLimits, HttpsRequest, MaySendNow } from './response';

interface Http1Client {
  /**
   * Sends over a connection to the host, waiting for a free one.
   * @param timeout milliseconds in total
   * @returns `stale` if a kept connection closed before it took the request
   */
  post(request: HttpsRequest, timeout: number): Promise<HttpsResponse | 'stale'>;
  close(): void;
}

/** Node allows 2,000 headers and any number of informational replies (1xx). */
const HEADER_BYTES = 16 * 1024;
const MAX_HEADERS = 64;
const MAX_INFORMATIONAL_REPLIES = 10;

/** Node's agent over our connections. */
class PushAgent extends Agent {
  constructor(
    private readonly connections: HostConnections,
    socketsPerHost: number,
  ) {
    // LIFO, so that surplus sockets stay idle and close.
    super({
      keepAlive: true,
      maxSockets: socketsPerHost,
      maxFreeSockets: socketsPerHost,
      scheduling: 'lifo',
    });
  }

  override createConnection(
    { host, port }: ClientRequestArgs,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | undefined {
    const name = host?.includes(':') ? `[${host}]` : host;
    const connection = this.connections.open(new URL(`https://${name}:${port}`), ['http/1.1']);
    // Types require a stream, which is ignored with an error.
    if (!connection)
      callback?.(
        Object.assign(new Error('Too many connections'), { code: 'busy' }),
        undefined as unknown as Duplex,
      );
    return connection?.socket;
  }

  /** Unrequested bytes would be taken for the next reply. */
  override keepSocketAlive(socket: Duplex): boolean {
    socket.on('data', destroySocket);
    return super.keepSocketAlive(socket) as unknown as boolean; // typed as void
  }

  override reuseSocket(socket: Duplex, request: Parameters<Agent['reuseSocket']>[1]): void {
    socket.off('data', destroySocket);
    super.reuseSocket(socket, request);
  }
}

function destroySocket(this: Duplex): void {
  this.destroy();
}

/** @param failureOf maps an error of a request */
export function createHttp1Client(
  connections: HostConnections,
  limits: HttpsLimits,
  failureOf: (error: NodeJS.ErrnoException, reusedSocket: boolean) => HttpsResponse | 'stale',
): Http1Client {
  const agent: Agent = new PushAgent(connections, limits.socketsPerHost);

  function post(
    { url, headers, body, maySendNow }: HttpsRequest,
    timeout: number,
  ): Promise<HttpsResponse | 'stale'> {
    return new Promise((resolve) => {
      const request = httpsRequest(url, {
        method: 'POST',
        agent,
        maxHeaderSize: HEADER_BYTES,
        headers: { ...headers, 'Content-Length': body.length },
      });
      request.maxHeadersCount = MAX_HEADERS;
      let response: IncomingMessage | undefined;
      let informational = 0;
      const chunks: Buffer[] = [];
      const finishRequest = (failure: HttpsResponse | 'stale'): void => {
        clearTimeout(timer);
        resolve(response ? toResponse(response, chunks) : failure);
      };
      const abandon = (reason: string): void => {
        finishRequest({ kind: 'unreachable', reason });
        request.destroy();
      };
      const sendIfWanted = async (ask: MaySendNow): Promise<void> => {
        if (await ask()) return void request.end(body);
        finishRequest({ kind: 'withdrawn' });
        request.destroy();
      };
      const timer = setTimeout(abandon, timeout, 'timeout');

      request.on('socket', (socket) => {
        const connection = connections.findConnection(socket);
        connection?.use();
        request.once('close', () => connection?.release());
        if (!maySendNow) return;
        // Nothing is sent before `end`, however long it waited for a connection.
        if ((socket as TLSSocket & { secureConnecting?: boolean }).secureConnecting)
          socket.once('secureConnect', () => void sendIfWanted(maySendNow));
        else void sendIfWanted(maySendNow);
      });
      request.on('information', () => {
        informational += 1;
        if (informational > MAX_INFORMATIONAL_REPLIES) abandon('protocol');
      });
      request.on('response', (incoming) => {
        response = incoming;
        let size = 0;
        incoming.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size <= limits.responseBytes) return void chunks.push(chunk);
          finishRequest('stale');
          request.destroy();
        });
        incoming.on('close', () => finishRequest('stale'));
        incoming.on('error', () => finishRequest('stale'));
      });
      request.on('error', (error: NodeJS.ErrnoException) =>
        finishRequest(failureOf(error, request.reusedSocket)),
      );
      // A reply without a response, such as 101, ends with this event, too.
      request.on('close', () => finishRequest({ kind: 'unreachable', reason: 'protocol' }));
      if (!maySendNow) request.end(body);
    });
  }

  return { post, close: () => agent.destroy() };
}

function toResponse(response: IncomingMessage, chunks: Buffer[]): HttpsResponse {
  return {
    kind: 'responded',
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'],
    body: Buffer.concat(chunks).toString('utf8'),
  };
}
