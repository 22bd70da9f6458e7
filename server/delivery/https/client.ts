/**
 * HTTPS POST to push services over kept connections, limited in time, size and number. HTTP/2 is
 * used only with the browsers' services: malformed frames can abort the process in Node's HTTP/2
 * (nghttp2 1.61, `iframe->state == NGHTTP2_IB_IGN_ALL`).
 */
import { ADDRESS_REJECTED, type AddressGuard } from './address-guard';
import { isBrowserService } from './browser-services';
import type { HttpsResponse, HttpsLimits, HttpsRequest, MaySendNow } from './response';
import { createConnections } from './connections';
import { createHttp1Client } from './http1';
import { createHttp2Client } from './http2';

export interface HttpsClient {
  /** Sends once, without redirects. A body beyond the limit is cut; its status stays valid. */
  post(
    url: URL,
    headers: Record<string, string>,
    body: Buffer,
    maySendNow?: MaySendNow,
  ): Promise<HttpsResponse>;
  connections(): number;
  close(): void;
}

export const DEFAULT_LIMITS: HttpsLimits = {
  timeout: 10_000,
  responseBytes: 64 * 1024,
  socketsPerHost: 64,
  requestsPerHost: 512,
  connections: 1024,
  idleConnections: 128,
  idle: 60_000,
  parting: 1000,
};

/** @param maySpeakHttp2 for tests */
export function createHttpsClient(
  guard: AddressGuard,
  limits: HttpsLimits = DEFAULT_LIMITS,
  maySpeakHttp2 = isBrowserService,
): HttpsClient {
  const connections = createConnections(guard, limits);
  const http1 = createHttp1Client(connections, limits, toFailedResponse);
  const http2 = createHttp2Client(
    connections,
    limits,
    (error) => toFailedResponse(error, false) as HttpsResponse,
  );
  const openRequests = new Map<string, number>();

  async function post(
    url: URL,
    headers: Record<string, string>,
    body: Buffer,
    maySendNow?: MaySendNow,
  ): Promise<HttpsResponse> {
    const fault = guard.findFault(url);
    if (fault) return { kind: 'rejected', reason: fault };
    const openCount = openRequests.get(url.origin) ?? 0;
    if (openCount >= limits.requestsPerHost) return { kind: 'unreachable', reason: 'busy' };
    openRequests.set(url.origin, openCount + 1);
    try {
      return await attemptTwice({ url, headers, body, maySendNow });
    } finally {
      const remainingCount = (openRequests.get(url.origin) ?? 1) - 1;
      if (remainingCount > 0) openRequests.set(url.origin, remainingCount);
      else openRequests.delete(url.origin);
    }
  }

  async function attemptTwice(request: HttpsRequest): Promise<HttpsResponse> {
    const deadline = performance.now() + limits.timeout;
    const firstResponse = await attemptOnce(request, limits.timeout);
    // The host may close a kept connection just as we use it, which says nothing about the host.
    const response =
      firstResponse === 'stale'
        ? await attemptOnce(request, Math.max(1, deadline - performance.now()))
        : firstResponse;
    return response === 'stale' ? { kind: 'unreachable', reason: 'ECONNRESET' } : response;
  }

  async function attemptOnce(
    request: HttpsRequest,
    timeout: number,
  ): Promise<HttpsResponse | 'stale'> {
    const deadline = performance.now() + timeout;
    const isHttp2 = maySpeakHttp2(request.url.hostname);
    const response = isHttp2 ? await http2.post(request, timeout) : 'http1';
    return response === 'http1'
      ? http1.post(request, Math.max(1, deadline - performance.now()))
      : response;
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

function toFailedResponse(
  error: NodeJS.ErrnoException,
  reusedSocket: boolean,
): HttpsResponse | 'stale' {
  if (error.code === ADDRESS_REJECTED) return { kind: 'rejected', reason: 'endpoint-address' };
  if (reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')) return 'stale';
  return { kind: 'unreachable', reason: error.code ?? 'network' };
}
