/** Connections to push services, which clients name: limits their number, idle time and bytes. */
import { constants } from 'node:crypto';
import tls, { type TLSSocket } from 'node:tls';
import type { AddressGuard } from './address-guard';

export interface HostConnectionLimits {
  /** Connections to all hosts. Must exceed the pushes in flight. */
  connections: number;
  /** Connections without a request. */
  idleConnections: number;
  /** Milliseconds until an idle connection is closed. */
  idle: number;
  /** Milliseconds until a retired connection is destroyed. */
  parting: number;
}

export interface Connection {
  readonly socket: TLSSocket;
  /** Call when a request begins. */
  use(): void;
  /** Call when a request ended. */
  release(): void;
  /** Accepts no more requests and closes after the running ones. */
  retire(): void;
  /** Destroys the connection later: within a callback of HTTP/2, this can abort the process. */
  destroy(): void;
}

export interface HostConnections {
  /**
   * Begins to connect; wait for `secureConnect`, `error` or `close`.
   * @param protocols for ALPN (RFC 7301)
   * @returns undefined if too many are in use
   */
  open(url: URL, protocols: string[]): Connection | undefined;
  /** A socket's connection, until it ends. */
  findConnection(socket: unknown): Connection | undefined;
  count(): number;
  close(): void;
}

/** A host that sends more bytes than this is flooding us. */
const ALLOWED_BYTES = 1024 * 1024;
const ALLOWED_BYTES_PER_REQUEST = 128 * 1024;
const SWEEP_EVERY_MS = 250;
const MAX_TLS_SESSIONS = 100;
const MAX_TLS_SESSION_BYTES = 16 * 1024;
/** Milliseconds per address before the next is tried too. Node's 250 is short for a far host. */
const ADDRESS_TIMEOUT_MS = 1000;

interface TrackedConnection extends Connection {
  inFlight: number;
  requests: number;
  isRetired: boolean;
  /** When the last request ended, by the monotonic clock. */
  idleSince: number;
}

export function createConnections(
  guard: AddressGuard,
  limits: HostConnectionLimits,
): HostConnections {
  // The context holds all certificates, so it is created late. It rejects repeated handshakes.
  let context: tls.SecureContext | undefined;
  const getContext = (): tls.SecureContext =>
    (context ??= tls.createSecureContext({ secureOptions: constants.SSL_OP_NO_RENEGOTIATION }));
  /** The least recently used connection comes first. */
  const connections = new Map<unknown, TrackedConnection>();
  /** Sessions to resume TLS cheaply, oldest first. */
  const sessions = new Map<string, Buffer>();
  let sweepTimer: NodeJS.Timeout | undefined;
  let closed = false;

  const listIdle = (): TrackedConnection[] =>
    [...connections.values()].filter(({ inFlight, isRetired }) => inFlight === 0 && !isRetired);

  function trackSocket(socket: TLSSocket): Connection {
    const connection: TrackedConnection = {
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
        if (connection.isRetired) return destroyLater(connection);
        if (!connections.delete(socket)) return;
        connections.set(socket, connection);
      },
      retire() {
        if (connection.isRetired) return;
        connection.isRetired = true;
        if (connection.inFlight === 0) destroyLater(connection);
      },
      destroy() {
        connection.isRetired = true;
        setImmediate(() => socket.destroy());
      },
    };
    connections.set(socket, connection);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      connections.delete(socket);
      if (connections.size > 0) return;
      clearInterval(sweepTimer);
      sweepTimer = undefined;
    });
    sweepTimer ??= setInterval(closeIdleAndFlooding, Math.min(SWEEP_EVERY_MS, limits.idle)).unref();
    return connection;
  }

  /** The other side may never close. */
  function destroyLater({ socket }: TrackedConnection): void {
    const timer = setTimeout(() => socket.destroy(), limits.parting).unref();
    socket.once('close', () => clearTimeout(timer));
  }

  function closeIdleAndFlooding(): void {
    const now = performance.now();
    for (const { socket, requests } of connections.values()) {
      if (socket.bytesRead > ALLOWED_BYTES + requests * ALLOWED_BYTES_PER_REQUEST) socket.destroy();
    }
    const idleConnections = listIdle();
    const tooMany = idleConnections.length - limits.idleConnections;
    idleConnections.forEach(({ socket, idleSince }, index) => {
      if (index < tooMany || now - idleSince > limits.idle) socket.destroy();
    });
  }

  /** Whether a connection may be opened, replacing the longest idle one if necessary. */
  function hasOrMakesRoom(): boolean {
    if (connections.size < limits.connections) return true;
    const oldest = listIdle()[0];
    if (!oldest) return false;
    connections.delete(oldest.socket);
    oldest.socket.destroy();
    return true;
  }

  function keepSession(origin: string, session: Buffer): void {
    sessions.delete(origin);
    if (session.length > MAX_TLS_SESSION_BYTES) return;
    sessions.set(origin, session);
    const [oldest] = sessions.keys();
    if (sessions.size > MAX_TLS_SESSIONS && oldest !== undefined) sessions.delete(oldest);
  }

  return {
    open(url, protocols) {
      if (closed || !hasOrMakesRoom()) return undefined;
      const host = url.hostname.replace(/^\[|\]$/g, '');
      const name = /[a-z]/i.test(host) && !host.includes(':') ? { servername: host } : {};
      const lookup = guard.lookupFor(url);
      const lookupOptions = {
        host,
        port: Number(url.port || 443),
        ...name,
        lookup,
        autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
      };
      const session = sessions.get(url.origin);
      const socket = tls.connect({
        ...lookupOptions,
        ALPNProtocols: protocols,
        secureContext: getContext(),
        ...(session && { session }),
      });
      socket.on('session', (tlsSession) => keepSession(url.origin, tlsSession));
      // The host may reject its own session.
      socket.once('error', () => sessions.delete(url.origin));
      return trackSocket(socket);
    },
    findConnection: (socket) => connections.get(socket),
    count: () => connections.size,
    close() {
      closed = true;
      for (const { socket } of connections.values()) socket.destroy();
    },
  };
}
