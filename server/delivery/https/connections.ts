/**
 * Every connection to a push service, counted. Endpoints are the client's word, so what is behind
 * them may keep a connection open and say nothing, or never stop: idle ones are closed, all
 * together are bounded, floods are cut off.
 */
import { constants } from 'node:crypto';
import tls, { type TLSSocket } from 'node:tls';
import type { AddressGuard } from './address-guard';

export interface HostConnectionLimits {
  /**
   * Connections to all hosts together. Must exceed the pushes in flight, or healthy hosts are
   * refused one.
   */
  connections: number;
  /** Of these, how many may wait for their next request. */
  idleConnections: number;
  /** Milliseconds that one waits for its next request. */
  idle: number;
  /** Milliseconds that the other side has to close a connection that we no longer use. */
  parting: number;
}

export interface Connection {
  readonly socket: TLSSocket;
  /** A request begins on it. */
  use(): void;
  /** A request on it has ended. */
  release(): void;
  /** Takes no more requests: is destroyed soon after those under way have ended. */
  retire(): void;
  /**
   * Destroys it in the next turn of the event loop: within a callback of Node's HTTP/2, that can
   * abort the process.
   */
  destroy(): void;
}

export interface HostConnections {
  /**
   * Begins to connect. The caller waits for `secureConnect`, `error` or `close`.
   * @param protocols what to offer (ALPN, RFC 7301)
   * @returns undefined if too many are in use
   */
  open(url: URL, protocols: string[]): Connection | undefined;
  /** The connection to which a socket belongs; undefined once it has ended. */
  of(socket: unknown): Connection | undefined;
  /** How many there are. */
  count(): number;
  close(): void;
}

/**
 * What may come over a connection: so much, and so much more with each request. Beyond it is a
 * flood.
 */
const ALLOWED_BYTES = 1024 * 1024;
const ALLOWED_BYTES_PER_REQUEST = 128 * 1024;
const LOOK_EVERY = 250;
const MAX_SESSIONS = 100;
const MAX_SESSION = 16 * 1024;
/**
 * Milliseconds for each of a host's addresses before the next is tried, too. Node's own 250 is
 * short for a far host.
 */
const ADDRESS_TIMEOUT = 1000;

interface Tracked extends Connection {
  inFlight: number;
  requests: number;
  isRetired: boolean;
  /** When the last request ended, on the monotonic clock. */
  idleSince: number;
}

export function createConnections(
  guard: AddressGuard,
  limits: HostConnectionLimits,
): HostConnections {
  // Made once, and only where something is called: it holds the certificates of all authorities. A
  // host that asks for handshakes again and again gets none.
  let context: tls.SecureContext | undefined;
  const getContext = (): tls.SecureContext =>
    (context ??= tls.createSecureContext({ secureOptions: constants.SSL_OP_NO_RENEGOTIATION }));
  /** Those used longest ago come first. */
  const all = new Map<unknown, Tracked>();
  /**
   * Lets the next connection to a host resume TLS, at a fraction of a handshake's cost. The oldest
   * comes first.
   */
  const sessions = new Map<string, Buffer>();
  let looking: NodeJS.Timeout | undefined;
  let closed = false;

  const idle = (): Tracked[] =>
    [...all.values()].filter(({ inFlight, isRetired }) => inFlight === 0 && !isRetired);

  function track(socket: TLSSocket): Connection {
    const connection: Tracked = {
      socket,
      inFlight: 0,
      requests: 0,
      isRetired: false,
      idleSince: performance.now(),
      use() {
        connection.inFlight += 1;
        connection.requests += 1;
      },
      release() {
        connection.inFlight -= 1;
        if (connection.inFlight > 0) return;
        connection.idleSince = performance.now();
        if (connection.isRetired) return part(connection);
        if (!all.delete(socket)) return;
        all.set(socket, connection);
      },
      retire() {
        if (connection.isRetired) return;
        connection.isRetired = true;
        if (connection.inFlight === 0) part(connection);
      },
      destroy() {
        connection.isRetired = true;
        setImmediate(() => socket.destroy());
      },
    };
    all.set(socket, connection);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      all.delete(socket);
      if (all.size > 0) return;
      clearInterval(looking);
      looking = undefined;
    });
    looking ??= setInterval(look, Math.min(LOOK_EVERY, limits.idle)).unref();
    return connection;
  }

  /** The other side may never close its half. */
  function part({ socket }: Tracked): void {
    const timer = setTimeout(() => socket.destroy(), limits.parting).unref();
    socket.once('close', () => clearTimeout(timer));
  }

  function look(): void {
    const now = performance.now();
    for (const { socket, requests } of all.values()) {
      if (socket.bytesRead > ALLOWED_BYTES + requests * ALLOWED_BYTES_PER_REQUEST) socket.destroy();
    }
    const waiting = idle();
    const tooMany = waiting.length - limits.idleConnections;
    waiting.forEach(({ socket, idleSince }, index) => {
      if (index < tooMany || now - idleSince > limits.idle) socket.destroy();
    });
  }

  /**
   * Whether one more may be opened, if need be in place of the one that has been idle for the
   * longest time.
   */
  function makeRoom(): boolean {
    if (all.size < limits.connections) return true;
    const oldest = idle()[0];
    if (!oldest) return false;
    all.delete(oldest.socket);
    oldest.socket.destroy();
    return true;
  }

  function keepSession(origin: string, session: Buffer): void {
    sessions.delete(origin);
    if (session.length > MAX_SESSION) return;
    sessions.set(origin, session);
    const [oldest] = sessions.keys();
    if (sessions.size > MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest);
  }

  return {
    open(url, protocols) {
      if (closed || !makeRoom()) return undefined;
      const host = url.hostname.replace(/^\[|\]$/g, '');
      const name = /[a-z]/i.test(host) && !host.includes(':') ? { servername: host } : {};
      const lookup = guard.lookupFor(url);
      const where = {
        host,
        port: Number(url.port || 443),
        ...name,
        lookup,
        autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT,
      };
      const session = sessions.get(url.origin);
      const socket = tls.connect({
        ...where,
        ALPNProtocols: protocols,
        secureContext: getContext(),
        ...(session && { session }),
      });
      socket.on('session', (made) => keepSession(url.origin, made));
      // A host may not like what it gave us.
      socket.once('error', () => sessions.delete(url.origin));
      return track(socket);
    },
    of: (socket) => all.get(socket),
    count: () => all.size,
    close() {
      closed = true;
      for (const { socket } of all.values()) socket.destroy();
    },
  };
}
