/**
 * HTTP/2 (RFC 9113) to hosts that speak it: all requests to a host share one connection. Every large push service does,
 * and one connection carries what would else take a socket for each push that is waiting for its answer.
 */
import http2, { type ClientHttp2Session } from 'node:http2';
import tls from 'node:tls';
import type { AddressGuard } from './address-guard';
import type { Answer, HttpsLimits } from './https-client';

/** Whether the host speaks HTTP/2 is agreed on with TLS (ALPN, RFC 7301). */
type Spoken = { is: 'http2'; session: ClientHttp2Session } | { is: 'http1' } | { is: 'failed'; error: NodeJS.ErrnoException };

/** How an attempt ended: `http1` and `stale` say that it did not take place. */
export type Http2Answer = Answer | 'http1' | 'stale';

export interface Http2Client {
  /**
   * Sends over the host's connection, opening it first where there is none.
   * @param timeout milliseconds for all of it
   * @returns `http1` if the host does not speak HTTP/2; `stale` if the connection was ended before it took the request
   */
  post(url: URL, headers: Record<string, string>, body: Buffer, timeout: number): Promise<Http2Answer>;
  close(): void;
}

const IDLE = 60_000;
/** Endpoints are the client's word: whoever invents hosts must not fill the memory. */
const MOST_HOSTS = 1000;

const { HTTP2_HEADER_METHOD, HTTP2_HEADER_PATH, HTTP2_HEADER_STATUS, NGHTTP2_CANCEL } = http2.constants;

/** @param failureOf what an error of a new connection means */
export function createHttp2Client(guard: AddressGuard, limits: HttpsLimits, failureOf: (error: NodeJS.ErrnoException) => Answer): Http2Client {
  /** A promise only while the connection is being opened: waiting costs a timer, and every push asks. */
  const hosts = new Map<string, Spoken | Promise<Spoken>>();
  /** Those of `hosts`, and those that still end what is under way. */
  const sessions = new Set<ClientHttp2Session>();
  let closed = false;

  function connect(url: URL): Spoken | Promise<Spoken> {
    const known = hosts.get(url.origin);
    if (known) return known;
    if (hosts.size >= MOST_HOSTS) hosts.clear();
    const opening = open(url, guard, limits.timeout);
    hosts.set(url.origin, opening);
    void opening.then((spoken) => {
      const isKnown = hosts.get(url.origin) === opening;
      if (isKnown && spoken.is === 'failed') hosts.delete(url.origin);
      else if (isKnown) hosts.set(url.origin, spoken);
      if (spoken.is !== 'http2') return;
      const forget = (): void => {
        if (hosts.get(url.origin) === spoken) hosts.delete(url.origin);
      };
      const { session } = spoken;
      sessions.add(session);
      // Told to go, or gone: what comes next takes a new connection, what is under way ends on this one.
      for (const event of ['goaway', 'close', 'error']) session.on(event, forget);
      session.on('close', () => sessions.delete(session));
      session.setTimeout(IDLE, () => session.close());
      if (closed) session.destroy();
    });
    return opening;
  }

  return {
    async post(url, headers, body, timeout) {
      const deadline = Date.now() + timeout;
      const found = connect(url);
      const spoken = found instanceof Promise ? await within(timeout, found) : found;
      if (spoken === undefined) return { is: 'unreachable', reason: 'timeout' };
      if (spoken.is === 'http1') return 'http1';
      if (spoken.is === 'failed') return failureOf(spoken.error);
      if (spoken.session.closed) {
        hosts.delete(url.origin);
        return 'stale';
      }
      return send(spoken.session, url, headers, body, { timeout: Math.max(1, deadline - Date.now()), answerBytes: limits.answerBytes });
    },
    close() {
      closed = true;
      for (const session of sessions) session.destroy();
    },
  };
}

function open(url: URL, guard: AddressGuard, timeout: number): Promise<Spoken> {
  return new Promise((resolve) => {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const name = /[a-z]/i.test(host) && !host.includes(':') ? { servername: host } : {};
    const socket = tls.connect({ host, port: Number(url.port || 443), ...name, lookup: guard.lookupFor(url), ALPNProtocols: ['h2', 'http/1.1'] });
    const end = (spoken: Spoken): void => {
      clearTimeout(timer);
      if (spoken.is !== 'http2') socket.destroy();
      resolve(spoken);
    };
    const timer = setTimeout(() => end({ is: 'failed', error: Object.assign(new Error('Timeout'), { code: 'timeout' }) }), timeout);
    socket.on('error', (error) => end({ is: 'failed', error }));
    socket.once('close', () => end({ is: 'failed', error: Object.assign(new Error('Closed'), { code: 'ECONNRESET' }) }));
    socket.once('secureConnect', () => {
      if (socket.alpnProtocol !== 'h2') return end({ is: 'http1' });
      end({ is: 'http2', session: http2.connect(url.origin, { createConnection: () => socket }) });
    });
  });
}

interface SendLimits {
  timeout: number;
  answerBytes: number;
}

function send(session: ClientHttp2Session, url: URL, headers: Record<string, string>, body: Buffer, limits: SendLimits): Promise<Http2Answer> {
  return new Promise((resolve) => {
    const stream = session.request({ [HTTP2_HEADER_METHOD]: 'POST', [HTTP2_HEADER_PATH]: `${url.pathname}${url.search}`, ...headers });
    let answer: Extract<Answer, { is: 'answered' }> | undefined;
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (failure: Http2Answer): void => {
      clearTimeout(timer);
      resolve(answer ? { ...answer, body: Buffer.concat(chunks).toString('utf8') } : failure);
    };
    const timer = setTimeout(() => {
      finish({ is: 'unreachable', reason: 'timeout' });
      stream.close(NGHTTP2_CANCEL);
      // Perhaps nobody is there any more; what is under way may end, what comes next tries anew.
      session.close();
    }, limits.timeout);

    stream.on('response', (incoming) => {
      const retryAfter = incoming['retry-after'];
      answer = { is: 'answered', status: Number(incoming[HTTP2_HEADER_STATUS]), retryAfter: retryAfter === undefined ? undefined : String(retryAfter), body: '' };
    });
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limits.answerBytes) return void chunks.push(chunk);
      finish('stale');
      stream.close(NGHTTP2_CANCEL);
    });
    // Without an answer the connection ended, or the other side refused to begin: that says nothing about the device.
    stream.on('error', () => finish('stale'));
    stream.on('close', () => finish('stale'));
    stream.end(body);
  });
}

/** Undefined if it takes longer, in milliseconds. */
async function within<Value>(timeout: number, work: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, timeout, undefined)));
  const value = await Promise.race([work, late]);
  clearTimeout(timer);
  return value;
}
