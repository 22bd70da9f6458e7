/**
 * One HTTP/2 connection to a push service that may do anything: what it is offered, and one request
 * over it.
 */
import http2, {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type SecureClientSessionOptions,
} from 'node:http2';
import type { Connection } from './connections';
import type { HttpsAnswer, Http2Answer } from './answer';

const { HTTP2_HEADER_METHOD, HTTP2_HEADER_PATH, HTTP2_HEADER_STATUS, NGHTTP2_CANCEL } =
  http2.constants;

/**
 * What the other side may send, as little as an answer needs: no pushed streams, small headers, few
 * of them. The memory is in megabytes, at least 1. The body's window stays at its 64 kB: no more
 * than that is ever unread.
 */
const OFFER: SecureClientSessionOptions = {
  settings: { enablePush: false, maxHeaderListSize: 16 * 1024, headerTableSize: 4096 },
  maxReservedRemoteStreams: 0,
  maxHeaderListPairs: 64,
  maxDeflateDynamicTableSize: 4096,
  maxSessionMemory: 1,
};
/**
 * Of frames that answer nothing (PING, SETTINGS, ALTSVC, ORIGIN), as many are taken over a
 * connection.
 */
const MAX_UNASKED = 1000;
/** Informational answers (1xx) that are taken for one request. */
const MAX_INFORMATIONAL = 10;

/**
 * Speaks HTTP/2 over a connection. Whatever happens to the session ends the connection, too.
 * Nothing is destroyed within its callbacks: Node may then abort the process (nodejs/node 64850).
 */
export function openSession(origin: string, connection: Connection): ClientHttp2Session {
  const session = http2.connect(origin, { ...OFFER, createConnection: () => connection.socket });
  let unasked = 0;
  const count = (): void => {
    unasked += 1;
    if (unasked > MAX_UNASKED) connection.destroy();
  };
  for (const event of ['ping', 'remoteSettings', 'altsvc', 'origin', 'goaway'])
    session.on(event, count);
  // An error without a handler ends the process. Each means that the session is destroyed.
  session.on('error', () => connection.retire());
  // The socket may stay open for as long as the other side likes.
  session.on('close', () => connection.retire());
  // Until it has taken note of our settings a host may still push: such a stream has errors of its
  // own.
  session.on('stream', (pushed: ClientHttp2Stream) => {
    pushed.on('error', () => undefined);
    connection.destroy();
  });
  return session;
}

/**
 * Keeps a session's native half until those of its streams are collected, too: collected together,
 * in the middle of an
 * answer's headers, Node aborts the process (`current_nghttp2_memory_ == 0`; nodejs/node 39951). A
 * host needs only to close the connection at that moment. Where Node names its halves otherwise,
 * nothing is kept and nothing else changes.
 */
const kept = new FinalizationRegistry<object>(() => undefined);

function keepSession(session: ClientHttp2Session, stream: ClientHttp2Stream): void {
  const [halfOfStream, halfOfSession] = [nativeHalf(stream), nativeHalf(session)];
  if (halfOfStream && halfOfSession) kept.register(halfOfStream, halfOfSession);
}

/** How Node names them. Looked for until it is found: each push would go through dozens of names. */
let handle: symbol | undefined;

function nativeHalf(owner: object): object | undefined {
  handle ??= Object.getOwnPropertySymbols(owner).find(
    ({ description }) => description === 'kHandle',
  );
  return handle && (owner as Record<symbol, object | undefined>)[handle];
}

interface SendLimits {
  timeout: number;
  answerBytes: number;
}

/** Sends one request. Never rejects. */
export function send(
  { session, connection }: { session: ClientHttp2Session; connection: Connection },
  url: URL,
  headers: Record<string, string>,
  body: Buffer,
  limits: SendLimits,
): Promise<Http2Answer> {
  return new Promise((resolve) => {
    const stream = begin(session, url, headers);
    if (!stream) return resolve('stale');
    connection.use();
    let answer: Extract<HttpsAnswer, { is: 'answered' }> | undefined;
    const chunks: Buffer[] = [];
    let size = 0;
    let informational = 0;
    let isFinished = false;
    const finish = (failure: Http2Answer): void => {
      if (isFinished) return;
      isFinished = true;
      clearTimeout(timer);
      const said = chunks.length === 0 ? '' : Buffer.concat(chunks).toString('utf8');
      resolve(answer ? { ...answer, body: said } : failure);
      // Our own half may still be open: a host can answer without having taken the body, and never
      // let it end.
      setImmediate(() => {
        if (!stream.closed) stream.close(NGHTTP2_CANCEL);
        connection.release();
      });
    };
    const giveUp = (reason: string): void => {
      // Perhaps the host is gone; requests under way may end, the next ones try anew.
      session.close();
      connection.retire();
      finish({ is: 'unreachable', reason });
    };
    const timer = setTimeout(giveUp, limits.timeout, 'timeout');

    stream.on('response', (incoming) => {
      const retryAfter = incoming['retry-after'];
      answer = {
        is: 'answered',
        status: Number(incoming[HTTP2_HEADER_STATUS]),
        retryAfter: retryAfter === undefined ? undefined : String(retryAfter),
        body: '',
      };
    });
    stream.on('headers', () => {
      informational += 1;
      if (informational === MAX_INFORMATIONAL) setImmediate(giveUp, 'protocol');
    });
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limits.answerBytes) chunks.push(chunk);
      else finish('stale');
    });
    stream.on('end', () => finish('stale'));
    // Without an answer the connection ended, or the other side refused to begin: that says nothing
    // about the device.
    stream.on('error', () => finish('stale'));
    stream.on('close', () => finish('stale'));
    stream.end(body);
  });
}

/** Undefined if the session takes no more requests, or cannot carry this one. */
function begin(
  session: ClientHttp2Session,
  url: URL,
  headers: Record<string, string>,
): ClientHttp2Stream | undefined {
  try {
    const stream = session.request({
      [HTTP2_HEADER_METHOD]: 'POST',
      [HTTP2_HEADER_PATH]: `${url.pathname}${url.search}`,
      ...headers,
    });
    keepSession(session, stream);
    return stream;
  } catch {
    return undefined;
  }
}
