/** HTTP/2 (RFC 9113), one connection per host. Only for trusted hosts, see client.ts. */
import type { ClientHttp2Session } from 'node:http2';
import type { Connection, HostConnections } from './connections';
import type { HttpsResponse, Http2Response, HttpsLimits, HttpsRequest } from './response';
import { openHttp2Session, sendHttp2Request } from './http2-session';

/** The protocol agreed by ALPN (RFC 7301). */
type SpokenProtocol =
  | { kind: 'http2'; session: ClientHttp2Session; connection: Connection }
  | { kind: 'http1' }
  | { kind: 'failed'; error: NodeJS.ErrnoException };

interface Http2Client {
  /**
   * Sends over the host's connection, which is opened if necessary.
   * @param timeout milliseconds in total
   * @returns `http1` if the host speaks no HTTP/2; `stale` if the connection closed first
   */
  post(request: HttpsRequest, timeout: number): Promise<Http2Response>;
}

const MAX_HTTP1_HOSTS = 1000;
/** Milliseconds until an HTTP/1.1 host is tried again. */
const HTTP1_FOR_MS = 10 * 60_000;

/** @param failureOf maps an error of a new connection */
export function createHttp2Client(
  connections: HostConnections,
  limits: HttpsLimits,
  failureOf: (error: NodeJS.ErrnoException) => HttpsResponse,
): Http2Client {
  /** A promise only while connecting, because awaiting one costs each push a timer. */
  const hosts = new Map<string, SpokenProtocol | Promise<SpokenProtocol>>();
  /** Hosts that speak only HTTP/1.1 until a monotonic time, oldest first. */
  const http1Until = new Map<string, number>();

  function connectOrReuse(url: URL): SpokenProtocol | Promise<SpokenProtocol> {
    const cachedProtocol = hosts.get(url.origin);
    if (cachedProtocol) return cachedProtocol;
    if ((http1Until.get(url.origin) ?? 0) > performance.now()) return { kind: 'http1' };
    const pendingProtocol = openConnection(url);
    hosts.set(url.origin, pendingProtocol);
    void pendingProtocol.then((host) => {
      if (hosts.get(url.origin) !== pendingProtocol) return;
      hosts.delete(url.origin);
      if (host.kind === 'http1') rememberHttp1(url.origin);
      if (host.kind !== 'http2' || host.session.closed) return;
      hosts.set(url.origin, host);
      const forgetHost = (): void => {
        if (hosts.get(url.origin) === host) hosts.delete(url.origin);
        host.connection.retire();
      };
      // The next request opens a new connection; running ones end on this one.
      for (const event of ['goaway', 'close', 'error']) host.session.on(event, forgetHost);
      host.connection.socket.once('close', forgetHost);
    });
    return pendingProtocol;
  }

  function rememberHttp1(origin: string): void {
    http1Until.delete(origin);
    http1Until.set(origin, performance.now() + HTTP1_FOR_MS);
    const [oldest] = http1Until.keys();
    if (http1Until.size > MAX_HTTP1_HOSTS && oldest !== undefined) http1Until.delete(oldest);
  }

  function openConnection(url: URL): Promise<SpokenProtocol> {
    return new Promise((resolve) => {
      const connection = connections.open(url, ['h2', 'http/1.1']);
      if (!connection) return resolve({ kind: 'failed', error: createError('busy') });
      const { socket } = connection;
      const finishConnecting = (host: SpokenProtocol): void => {
        clearTimeout(timer);
        connection.release();
        if (host.kind !== 'http2') connection.destroy();
        resolve(host);
      };
      // A connection in use does not count as idle.
      connection.use();
      const timer = setTimeout(
        () => finishConnecting({ kind: 'failed', error: createError('timeout') }),
        limits.timeout,
      );
      socket.once('error', (error) => finishConnecting({ kind: 'failed', error }));
      socket.once('close', () =>
        finishConnecting({ kind: 'failed', error: createError('ECONNRESET') }),
      );
      socket.once('secureConnect', () => {
        if (socket.alpnProtocol !== 'h2') return finishConnecting({ kind: 'http1' });
        finishConnecting({
          kind: 'http2',
          session: openHttp2Session(url.origin, connection),
          connection,
        });
      });
    });
  }

  return {
    async post(request, timeout) {
      const { url, maySendNow } = request;
      const deadline = performance.now() + timeout;
      const pendingProtocol = connectOrReuse(url);
      const host =
        pendingProtocol instanceof Promise
          ? await resolveWithin(timeout, pendingProtocol)
          : pendingProtocol;
      if (host === undefined) return { kind: 'unreachable', reason: 'timeout' };
      if (host.kind === 'http1') return 'http1';
      if (host.kind === 'failed') return failureOf(host.error);
      if (maySendNow && !(await maySendNow())) return { kind: 'withdrawn' };
      if (host.session.closed || host.session.destroyed) {
        if (hosts.get(url.origin) === host) hosts.delete(url.origin);
        return 'stale';
      }
      return sendHttp2Request(host, request, {
        timeout: Math.max(1, deadline - performance.now()),
        responseBytes: limits.responseBytes,
      });
    },
  };
}

function createError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code });
}

/** Returns undefined after `timeout` milliseconds. */
async function resolveWithin<Value>(
  timeout: number,
  promise: Promise<Value>,
): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<undefined>(
    (resolve) => (timer = setTimeout(resolve, timeout, undefined)),
  );
  const value = await Promise.race([promise, timedOut]);
  clearTimeout(timer);
  return value;
}
