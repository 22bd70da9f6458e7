/**
 * HTTP/1.1 to hosts that speak nothing newer: connections are kept, a host has a bounded number of
 * them. It ends its requests in its own way: Node reports an answer that ends too early by other
 * events than in HTTP/2.
 */
import { Agent, request as httpsRequest } from 'node:https';
import type { ClientRequestArgs, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { HostConnections } from './connections';
import type { HttpsAnswer, HttpsLimits, MayLeave } from './answer';

interface Http1Client {
  /**
   * Sends over one of the host's connections, waiting for it where all are in use.
   * @param timeout milliseconds for all of it
   * @returns `stale` if a kept connection was ended before it took the request
   */
  post(
    url: URL,
    headers: Record<string, string>,
    body: Buffer,
    timeout: number,
    mayLeave?: MayLeave,
  ): Promise<HttpsAnswer | 'stale'>;
  close(): void;
}

/**
 * Node's own limits are 16 kB of headers, 2,000 of them, and no bound to informational answers
 * (1xx).
 */
const HEADER_BYTES = 16 * 1024;
const MAX_HEADERS = 64;
const MAX_INFORMATIONAL = 10;

/** Node's agent, whose connections are ours. */
class PushAgent extends Agent {
  constructor(
    private readonly connections: HostConnections,
    socketsPerHost: number,
  ) {
    // The sockets used last stay in use, so that those beyond the need grow old and close.
    super({
      keepAlive: true,
      maxSockets: socketsPerHost,
      maxFreeSockets: socketsPerHost,
      scheduling: 'lifo',
    });
  }

  override createConnection(
    { host, port }: ClientRequestArgs,
    done?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | undefined {
    const name = host?.includes(':') ? `[${host}]` : host;
    const connection = this.connections.open(new URL(`https://${name}:${port}`), ['http/1.1']);
    // With an error the stream is not looked at, but the types want one.
    if (!connection)
      done?.(
        Object.assign(new Error('Too many connections'), { code: 'busy' }),
        undefined as unknown as Duplex,
      );
    return connection?.socket;
  }

  /** Bytes that come unasked would be taken for the next request's answer. */
  override keepSocketAlive(socket: Duplex): boolean {
    socket.on('data', destroyIt);
    return super.keepSocketAlive(socket) as unknown as boolean; // the types say that it returns nothing
  }

  override reuseSocket(socket: Duplex, request: Parameters<Agent['reuseSocket']>[1]): void {
    socket.off('data', destroyIt);
    super.reuseSocket(socket, request);
  }
}

function destroyIt(this: Duplex): void {
  this.destroy();
}

/** @param failureOf what an error of a request means */
export function createHttp1Client(
  connections: HostConnections,
  limits: HttpsLimits,
  failureOf: (error: NodeJS.ErrnoException, reusedSocket: boolean) => HttpsAnswer | 'stale',
): Http1Client {
  const agent: Agent = new PushAgent(connections, limits.socketsPerHost);

  function post(
    url: URL,
    headers: Record<string, string>,
    body: Buffer,
    timeout: number,
    mayLeave?: MayLeave,
  ): Promise<HttpsAnswer | 'stale'> {
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
      const finish = (failure: HttpsAnswer | 'stale'): void => {
        clearTimeout(timer);
        resolve(response ? answered(response, chunks) : failure);
      };
      const giveUp = (reason: string): void => {
        finish({ is: 'unreachable', reason });
        request.destroy();
      };
      const leave = async (ask: MayLeave): Promise<void> => {
        if (await ask()) return void request.end(body);
        finish({ is: 'withdrawn' });
        request.destroy();
      };
      const timer = setTimeout(giveUp, timeout, 'timeout');

      request.on('socket', (socket) => {
        const connection = connections.of(socket);
        connection?.use();
        request.once('close', () => connection?.release());
        if (!mayLeave) return;
        // Nothing leaves before `end`, however long it waited for a connection.
        if ((socket as TLSSocket & { secureConnecting?: boolean }).secureConnecting)
          socket.once('secureConnect', () => void leave(mayLeave));
        else void leave(mayLeave);
      });
      request.on('information', () => {
        informational += 1;
        if (informational > MAX_INFORMATIONAL) giveUp('protocol');
      });
      request.on('response', (incoming) => {
        response = incoming;
        let size = 0;
        incoming.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size <= limits.answerBytes) return void chunks.push(chunk);
          finish('stale');
          request.destroy();
        });
        incoming.on('close', () => finish('stale'));
        incoming.on('error', () => finish('stale'));
      });
      request.on('error', (error: NodeJS.ErrnoException) =>
        finish(failureOf(error, request.reusedSocket)),
      );
      // Also after an answer that is none, such as 101.
      request.on('close', () => finish({ is: 'unreachable', reason: 'protocol' }));
      if (!mayLeave) request.end(body);
    });
  }

  return { post, close: () => agent.destroy() };
}

function answered(response: IncomingMessage, chunks: Buffer[]): HttpsAnswer {
  return {
    is: 'answered',
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'],
    body: Buffer.concat(chunks).toString('utf8'),
  };
}
