/**
 * The one way out to push services: HTTPS POST over connections that are kept, bounded in time, in
 * size and in number.
 *
 * HTTP/2 only where a browser's own push service speaks it, else HTTP/1.1. A host of a stranger's
 * choice could end the
 * process: a few malformed frames make an assertion fail in Node's HTTP/2 (nghttp2 1.61:
 * `iframe->state ==
 * NGHTTP2_IB_IGN_ALL`), which aborts and cannot be caught.
 */
import { ADDRESS_REFUSED, type AddressGuard } from './address-guard';
import { isBrowserService } from './browser-services';
import type { HttpsAnswer, HttpsLimits, MayLeave } from './answer';
import { createConnections } from './connections';
import { createHttp1Client } from './http1';
import { createHttp2Client } from './http2';

export interface HttpsClient {
  /**
   * Sends once, follows no redirect. A body beyond the limit is cut off, which leaves the status
   * valid.
   */
  post(
    url: URL,
    headers: Record<string, string>,
    body: Buffer,
    mayLeave?: MayLeave,
  ): Promise<HttpsAnswer>;
  /** How many connections there are at the moment. */
  connections(): number;
  close(): void;
}

export const DEFAULT_LIMITS: HttpsLimits = {
  timeout: 10_000,
  answerBytes: 64 * 1024,
  socketsPerHost: 64,
  requestsPerHost: 512,
  connections: 1024,
  idleConnections: 128,
  idle: 60_000,
  parting: 1000,
};

/** @param maySpeakHttp2 given only by tests */
export function createHttpsClient(
  guard: AddressGuard,
  limits: HttpsLimits = DEFAULT_LIMITS,
  maySpeakHttp2 = isBrowserService,
): HttpsClient {
  const connections = createConnections(guard, limits);
  const http1 = createHttp1Client(connections, limits, failureOf);
  const http2 = createHttp2Client(
    connections,
    limits,
    (error) => failureOf(error, false) as HttpsAnswer,
  );
  /** Requests under way, by origin. */
  const underWay = new Map<string, number>();

  async function post(
    url: URL,
    headers: Record<string, string>,
    body: Buffer,
    mayLeave?: MayLeave,
  ): Promise<HttpsAnswer> {
    const fault = guard.fault(url);
    if (fault) return { is: 'refused', reason: fault };
    const others = underWay.get(url.origin) ?? 0;
    if (others >= limits.requestsPerHost) return { is: 'unreachable', reason: 'busy' };
    underWay.set(url.origin, others + 1);
    try {
      return await attemptTwice(url, headers, body, mayLeave);
    } finally {
      const rest = (underWay.get(url.origin) ?? 1) - 1;
      if (rest > 0) underWay.set(url.origin, rest);
      else underWay.delete(url.origin);
    }
  }

  async function attemptTwice(
    url: URL,
    headers: Record<string, string>,
    body: Buffer,
    mayLeave?: MayLeave,
  ): Promise<HttpsAnswer> {
    const deadline = performance.now() + limits.timeout;
    const first = await attempt(url, headers, body, limits.timeout, mayLeave);
    // A kept connection may have been closed by the other side just as we took it: that says
    // nothing about the host.
    const answer =
      first === 'stale'
        ? await attempt(url, headers, body, Math.max(1, deadline - performance.now()), mayLeave)
        : first;
    return answer === 'stale' ? { is: 'unreachable', reason: 'ECONNRESET' } : answer;
  }

  async function attempt(
    url: URL,
    headers: Record<string, string>,
    body: Buffer,
    timeout: number,
    mayLeave?: MayLeave,
  ): Promise<HttpsAnswer | 'stale'> {
    const deadline = performance.now() + timeout;
    const answer = maySpeakHttp2(url.hostname)
      ? await http2.post(url, headers, body, timeout, mayLeave)
      : 'http1';
    return answer === 'http1'
      ? http1.post(url, headers, body, Math.max(1, deadline - performance.now()), mayLeave)
      : answer;
  }

  return {
    post,
    connections: connections.count,
    close() {
      http1.close();
      connections.close();
    },
  };
}

function failureOf(error: NodeJS.ErrnoException, reusedSocket: boolean): HttpsAnswer | 'stale' {
  if (error.code === ADDRESS_REFUSED) return { is: 'refused', reason: 'endpoint-address' };
  if (reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')) return 'stale';
  return { is: 'unreachable', reason: error.code ?? 'network' };
}
