/** One HTTP/2 connection to a push service, and a request over it. */
import http2, {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type SecureClientSessionOptions,
} from 'node:http2';
import type { Connection } from './connections';
import type { HttpsResponse, Http2Response, HttpsLimits, HttpsRequest } from './response';

const { HTTP2_HEADER_METHOD, HTTP2_HEADER_PATH, HTTP2_HEADER_STATUS, NGHTTP2_CANCEL } =
  http2.constants;

/** What the other side may send. `maxSessionMemory` is in megabytes, at least 1. */
const OFFER: SecureClientSessionOptions = {
  settings: { enablePush: false, maxHeaderListSize: 16 * 1024, headerTableSize: 4096 },
  maxReservedRemoteStreams: 0,
  maxHeaderListPairs: 64,
  maxDeflateDynamicTableSize: 4096,
  maxSessionMemory: 1,
};
/** Frames per connection that belong to no request: PING, SETTINGS, ALTSVC, ORIGIN. */
const MAX_UNREQUESTED_FRAMES = 1000;
/** Informational replies (1xx) per request. */
const MAX_INFORMATIONAL_REPLIES = 10;

/**
 * Opens an HTTP/2 session, whose end also retires its connection. Nothing is destroyed in its
 * callbacks, because that may abort the process (nodejs/node 64850).
 */
export function openHttp2Session(origin: string, connection: Connection): ClientHttp2Session {
  const session = http2.connect(origin, { ...OFFER, createConnection: () => connection.socket });
  let unsolicitedFrames = 0;
  const countUnsolicited = (): void => {
    unsolicitedFrames += 1;
    if (unsolicitedFrames > MAX_UNREQUESTED_FRAMES) connection.destroy();
  };
  for (const event of ['ping', 'remoteSettings', 'altsvc', 'origin', 'goaway'])
    session.on(event, countUnsolicited);
  // An unhandled error ends the process.
  session.on('error', () => connection.retire());
  // The other side may keep the socket open.
  session.on('close', () => connection.retire());
  // A host may push until it has seen our settings, and such a stream has its own errors.
  session.on('stream', (stream: ClientHttp2Stream) => {
    stream.on('error', () => undefined);
    connection.destroy();
  });
  return session;
}

/**
 * Keeps a session's native object until the native objects of its streams are collected. If all
 * were collected together, the process would abort (`current_nghttp2_memory_ == 0`; nodejs/node
 * 39951).
 */
const sessionKeeper = new FinalizationRegistry<object>(() => undefined);

function keepSession(session: ClientHttp2Session, stream: ClientHttp2Stream): void {
  const [halfOfStream, halfOfSession] = [findNativeHandle(stream), findNativeHandle(session)];
  if (halfOfStream && halfOfSession) sessionKeeper.register(halfOfStream, halfOfSession);
}

/** Node's name of the native half, cached because each push would search dozens of symbols. */
let handle: symbol | undefined;

function findNativeHandle(owner: object): object | undefined {
  handle ??= Object.getOwnPropertySymbols(owner).find(
    ({ description }) => description === 'kHandle',
  );
  return handle && (owner as Record<symbol, object | undefined>)[handle];
}

export function sendHttp2Request(
  { session, connection }: { session: ClientHttp2Session; connection: Connection },
  request: HttpsRequest,
  limits: Pick<HttpsLimits, 'timeout' | 'responseBytes'>,
): Promise<Http2Response> {
  return new Promise((resolve) => {
    const stream = openStream(session, request);
    if (!stream) return resolve('stale');
    connection.use();
    let response: Extract<HttpsResponse, { kind: 'responded' }> | undefined;
    const chunks: Buffer[] = [];
    let size = 0;
    let informational = 0;
    let isFinished = false;
    const finish = (failure: Http2Response): void => {
      if (isFinished) return;
      isFinished = true;
      clearTimeout(timer);
      const body = chunks.length === 0 ? '' : Buffer.concat(chunks).toString('utf8');
      resolve(response ? { ...response, body } : failure);
      // Our half may still be open, if the host replied without reading the body.
      setImmediate(() => {
        if (!stream.closed) stream.close(NGHTTP2_CANCEL);
        connection.release();
      });
    };
    const abandon = (reason: string): void => {
      // The host may be gone: running requests may end, new ones connect again.
      session.close();
      connection.retire();
      finish({ kind: 'unreachable', reason });
    };
    const timer = setTimeout(abandon, limits.timeout, 'timeout');

    stream.on('response', (headers) => {
      const retryAfter = headers['retry-after'];
      response = {
        kind: 'responded',
        status: Number(headers[HTTP2_HEADER_STATUS]),
        retryAfter: retryAfter === undefined ? undefined : String(retryAfter),
        body: '',
      };
    });
    stream.on('headers', () => {
      informational += 1;
      if (informational === MAX_INFORMATIONAL_REPLIES) setImmediate(abandon, 'protocol');
    });
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limits.responseBytes) chunks.push(chunk);
      else finish('stale');
    });
    stream.on('end', () => finish('stale'));
    // If there was no response, the connection ended or rejected the request, so it may be retried.
    stream.on('error', () => finish('stale'));
    stream.on('close', () => finish('stale'));
    stream.end(request.body);
  });
}

/** Returns undefined if the session accepts no more requests, or not this one. */
function openStream(
  session: ClientHttp2Session,
  { url, headers }: HttpsRequest,
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
