import { once } from 'node:events';
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createAddressGuard, type Resolve } from '../../../server/delivery/address-guard';
import { createHttpsClient, DEFAULT_LIMITS, type HttpsClient } from '../../../server/delivery/https-client';
import { eventually } from '../../support/eventually';
import { localCertificate, trust } from '../../support/tls';

const test = suite('delivery over HTTP/2');

interface Received {
  path: string;
  authorization: string | undefined;
  body: string;
}
let server: Http2SecureServer;
let sessions: ServerHttp2Session[];
let received: Received[];
/** What the push service does with a request. */
let reply: (stream: ServerHttp2Stream) => void;
let client: HttpsClient;
let distrust: () => void;

const portOf = (listening: Server | Http2SecureServer) => (listening.address() as AddressInfo).port;
const post = (path = '/device', from = client) => from.post(new URL(`https://localhost:${portOf(server)}${path}`), { Authorization: 'vapid x' }, Buffer.from('text'));

test.before.each(async () => {
  distrust = trust(localCertificate());
  [sessions, received] = [[], []];
  reply = (stream) => {
    stream.respond({ ':status': 201 });
    stream.end();
  };
  server = createSecureServer(localCertificate());
  server.on('session', (session) => sessions.push(session));
  server.on('stream', async (stream, headers) => {
    stream.on('error', () => undefined);
    let body = '';
    for await (const chunk of stream.setEncoding('utf8')) body += String(chunk);
    received.push({ path: String(headers[':path']), authorization: headers.authorization, body });
    reply(stream);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = createHttpsClient(createAddressGuard([`localhost:${portOf(server)}`]), { ...DEFAULT_LIMITS, timeout: 500 });
});
test.after.each(async () => {
  client.close();
  for (const session of sessions) session.destroy();
  server.close();
  distrust();
});

test('all pushes to a host share one connection', async () => {
  const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => post(`/device-${index}?a=1`)));
  assert.equal(new Set(answers.map((answer) => answer.is === 'answered' && answer.status)), new Set([201]));
  assert.is(sessions.length, 1);
  assert.is(received.length, 30);
  assert.equal(received.find(({ path }) => path === '/device-7?a=1'), { path: '/device-7?a=1', authorization: 'vapid x', body: 'text' });
});

test('what the host says is passed on: status, Retry-After and text', async () => {
  reply = (stream) => {
    stream.respond({ ':status': 429, 'retry-after': '120' });
    stream.end('slow down');
  };
  assert.equal(await post(), { is: 'answered', status: 429, retryAfter: '120', body: 'slow down' });
});

test('a host that tells us to go is asked over a new connection', async () => {
  await post();
  sessions[0]!.goaway();
  sessions[0]!.close();
  await once(sessions[0]!, 'close');
  assert.is((await post()).is, 'answered');
  assert.is(sessions.length, 2);
});

test('a host that could not be reached is asked again with the next push', async () => {
  let isKnown = false;
  const resolve: Resolve = (_name, _options, done) => {
    if (isKnown) done(null, [{ address: '127.0.0.1', family: 4 }]);
    else done(Object.assign(new Error('Unknown'), { code: 'ENOTFOUND' }), []);
  };
  const own = createHttpsClient(createAddressGuard([`localhost:${portOf(server)}`], resolve));
  assert.equal(await post('/', own), { is: 'unreachable', reason: 'ENOTFOUND' });
  isKnown = true;
  assert.is((await post('/', own)).is, 'answered');
  own.close();
});

test('a connection that breaks before the answer is tried once more, and then given up', async () => {
  reply = (stream) => stream.session!.destroy();
  assert.equal(await post(), { is: 'unreachable', reason: 'ECONNRESET' });
  assert.is(received.length, 2);
});

test('a host that never answers is given up in time, and the next push takes a new connection', async () => {
  reply = () => undefined;
  const began = performance.now();
  assert.equal(await post(), { is: 'unreachable', reason: 'timeout' });
  assert.ok(performance.now() - began < 2000);
  reply = (stream) => {
    stream.respond({ ':status': 201 });
    stream.end();
  };
  assert.is((await post()).is, 'answered');
  assert.is(sessions.length, 2);
});

test('a host that never finishes greeting costs no more than the limit', async () => {
  let open = 0;
  const silent = createServer((socket) => {
    open += 1;
    socket.resume().on('close', () => (open -= 1)).on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const own = createHttpsClient(createAddressGuard(['localhost']), { ...DEFAULT_LIMITS, timeout: 100 });
  const answer = await own.post(new URL(`https://localhost:${portOf(silent)}/`), {}, Buffer.alloc(0));
  assert.equal(answer, { is: 'unreachable', reason: 'timeout' });
  await eventually(async () => open === 0, 'the connection to be ended');
  own.close();
  silent.close();
});

test('an endless answer is cut off, and its status counts', async () => {
  let ended = false;
  reply = (stream) => {
    stream.on('close', () => (ended = true));
    stream.respond({ ':status': 201 });
    const more = (): void => {
      while (!stream.destroyed && stream.write(Buffer.alloc(16_384)));
      stream.once('drain', more);
    };
    more();
  };
  const patient = createHttpsClient(createAddressGuard([`localhost:${portOf(server)}`]));
  const answer = await post('/', patient);
  assert.ok(answer.is === 'answered' && answer.status === 201 && answer.body.length <= DEFAULT_LIMITS.answerBytes);
  await eventually(async () => ended, 'the answer to be cut off');
  patient.close();
});

test('a name that leads to a private address is not connected to', async () => {
  const resolve: Resolve = (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]);
  const guarded = createHttpsClient(createAddressGuard([], resolve));
  assert.equal(await guarded.post(new URL('https://push.example/x'), {}, Buffer.alloc(0)), { is: 'refused', reason: 'endpoint-address' });
  assert.is(sessions.length, 0);
  guarded.close();
});

test.run();
