/**
 * The one way out to push services: HTTPS POST over connections that are kept, bounded in time, in size and in number.
 * HTTP/2 where the host speaks it, else HTTP/1.1.
 */
import { Agent, request as httpsRequest } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { ADDRESS_REFUSED, type AddressGuard } from './address-guard';
import { createHttp2Client } from './http2-client';

/** How a request ended. Anything that a push service can do to us is one of these; nothing is thrown. */
export type Answer =
  | { is: 'answered'; status: number; retryAfter: string | undefined; body: string }
  /** The guard did not let it leave, or not connect. */
  | { is: 'refused'; reason: string }
  /** No answer: `timeout`, or the system's code such as `ECONNREFUSED`. */
  | { is: 'unreachable'; reason: string };

export interface HttpsClient {
  /** Sends once, follows no redirect. A body beyond the limit is cut off, which leaves the status valid. */
  post(url: URL, headers: Record<string, string>, body: Buffer): Promise<Answer>;
  close(): void;
}

export interface HttpsLimits {
  /** Milliseconds for everything from resolving the name to the last byte of the answer. */
  timeout: number;
  /** Bytes of an answer's body that are read. */
  answerBytes: number;
  /** Connections to one host that speaks HTTP/1.1; further requests wait for one of them. */
  socketsPerHost: number;
}

export const DEFAULT_LIMITS: HttpsLimits = { timeout: 10_000, answerBytes: 64 * 1024, socketsPerHost: 64 };

export function createHttpsClient(guard: AddressGuard, limits: HttpsLimits = DEFAULT_LIMITS): HttpsClient {
  const agent = new Agent({
    keepAlive: true,
    maxSockets: limits.socketsPerHost,
    maxFreeSockets: limits.socketsPerHost,
    // The sockets used last stay in use, so that those beyond the need grow old and close.
    scheduling: 'lifo',
    timeout: 60_000,
  });

  const http2 = createHttp2Client(guard, limits, (error) => failureOf(error, false) as Answer);

  async function post(url: URL, headers: Record<string, string>, body: Buffer): Promise<Answer> {
    const fault = guard.fault(url);
    if (fault) return { is: 'refused', reason: fault };
    const deadline = Date.now() + limits.timeout;
    const first = await attempt(url, headers, body, limits.timeout);
    // A kept connection may have been closed by the other side just as we took it: that says nothing about the host.
    const retry = first === 'stale';
    const answer = retry ? await attempt(url, headers, body, Math.max(1, deadline - Date.now())) : first;
    return answer === 'stale' ? { is: 'unreachable', reason: 'ECONNRESET' } : answer;
  }

  async function attempt(url: URL, headers: Record<string, string>, body: Buffer, timeout: number): Promise<Answer | 'stale'> {
    const deadline = Date.now() + timeout;
    const answer = await http2.post(url, headers, body, timeout);
    return answer === 'http1' ? attemptHttp1(url, headers, body, Math.max(1, deadline - Date.now())) : answer;
  }

  function attemptHttp1(url: URL, headers: Record<string, string>, body: Buffer, timeout: number): Promise<Answer | 'stale'> {
    return new Promise((resolve) => {
      const request = httpsRequest(url, {
        method: 'POST',
        agent,
        lookup: guard.lookupFor(url),
        headers: { ...headers, 'Content-Length': body.length },
      });
      let response: IncomingMessage | undefined;
      const chunks: Buffer[] = [];
      const finish = (failure: Answer | 'stale') => {
        clearTimeout(timer);
        resolve(response ? answered(response, chunks) : failure);
      };
      const timer = setTimeout(() => {
        finish({ is: 'unreachable', reason: 'timeout' });
        request.destroy();
      }, timeout);

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
      request.on('error', (error: NodeJS.ErrnoException) => finish(failureOf(error, request.reusedSocket)));
      request.end(body);
    });
  }

  return {
    post,
    close() {
      agent.destroy();
      http2.close();
    },
  };
}

function answered(response: IncomingMessage, chunks: Buffer[]): Answer {
  return {
    is: 'answered',
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'],
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

function failureOf(error: NodeJS.ErrnoException, reusedSocket: boolean): Answer | 'stale' {
  if (error.code === ADDRESS_REFUSED) return { is: 'refused', reason: 'endpoint-address' };
  if (reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')) return 'stale';
  return { is: 'unreachable', reason: error.code ?? 'network' };
}
