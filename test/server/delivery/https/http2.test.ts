import { once } from 'node:events';
import {
  createSecureServer,
  type Http2SecureServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import tls, { createServer as createTlsServer, type ConnectionOptions } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createAddressGuard } from '../../../../server/delivery/https/address-guard';
import type { Resolve } from '../../../../server/delivery/https/resolver';
import {
  createHttpsClient,
  DEFAULT_LIMITS,
  type HttpsClient,
} from '../../../../server/delivery/https/client';
import { eventually } from '../../../support/eventually';
import {
  encodeHttp2Frame,
  encodeHpackHeader,
  encodeHttp2Setting,
} from '../../../support/push-services/hostile-push-service.mjs';
import { localCertificate, trust } from '../../../support/network/tls';

const test = suite('delivery over HTTP/2');

interface ReceivedRequest {
  path: string;
  authorization: string | undefined;
  body: string;
}
let server: Http2SecureServer;
let sessions: ServerHttp2Session[];
let received: ReceivedRequest[];
let reply: (stream: ServerHttp2Stream) => void;
let client: HttpsClient;
let removeTrust: () => void;
/** Treats every host as a browser's own push service. */
const trustEveryHost = () => true;

const portOf = (listening: Server) => (listening.address() as AddressInfo).port;
const post = (path = '/device', from = client) =>
  from.post(
    new URL(`https://localhost:${portOf(server)}${path}`),
    { Authorization: 'vapid x' },
    Buffer.from('text'),
  );

test.before.each(async () => {
  removeTrust = trust(localCertificate());
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
  client = createHttpsClient(
    createAddressGuard([`localhost:${portOf(server)}`]),
    DEFAULT_LIMITS,
    trustEveryHost,
  );
});
test.after.each(async () => {
  client.close();
  for (const session of sessions) session.destroy();
  server.close();
  removeTrust();
});

test('shares one connection between all pushes to a host', async () => {
  const responses = await Promise.all(
    Array.from({ length: 30 }, (_, index) => post(`/device-${index}?a=1`)),
  );
  assert.equal(
    new Set(responses.map((response) => response.kind === 'responded' && response.status)),
    new Set([201]),
  );
  assert.is(sessions.length, 1);
  assert.is(received.length, 30);
  assert.equal(
    received.find(({ path }) => path === '/device-7?a=1'),
    { path: '/device-7?a=1', authorization: 'vapid x', body: 'text' },
  );
});

test('passes on status, Retry-After and text of the host', async () => {
  reply = (stream) => {
    stream.respond({ ':status': 429, 'retry-after': '120' });
    stream.end('slow down');
  };
  assert.equal(await post(), {
    kind: 'responded',
    status: 429,
    retryAfter: '120',
    body: 'slow down',
  });
});

test('opens a new connection after GOAWAY', async () => {
  await post();
  sessions[0]!.goaway();
  sessions[0]!.close();
  await once(sessions[0]!, 'close');
  assert.is((await post()).kind, 'responded');
  assert.is(sessions.length, 2);
});

test('retries once after a connection breaks before the response', async () => {
  reply = (stream) => stream.session!.destroy();
  assert.equal(await post(), { kind: 'unreachable', reason: 'ECONNRESET' });
  assert.is(received.length, 2);
});

test('gives up a silent host in time, and opens a new connection for the next push', async () => {
  const own = createHttpsClient(
    createAddressGuard([`localhost:${portOf(server)}`]),
    { ...DEFAULT_LIMITS, timeout: 200 },
    trustEveryHost,
  );
  reply = () => undefined;
  assert.equal(await post('/', own), { kind: 'unreachable', reason: 'timeout' });
  const earlierCount = sessions.length;
  reply = (stream) => {
    stream.respond({ ':status': 201 });
    stream.end();
  };
  await eventually(
    async () => (await post('/', own)).kind === 'responded',
    'the next push to be answered, which may be abandoned, too, on a busy machine',
  );
  assert.ok(sessions.length > earlierCount);
  own.close();
});

const BODY_BYTES = 3000;
/** Frames that a push service sends in answer to a request, after its settings. */
const misbehaviors: Record<string, (stream: number) => Buffer[]> = {
  'pushes a stream and resets it': (stream) => [
    pushPromiseFrame(stream),
    encodeHttp2Frame(3, 0, 2, Buffer.from([0, 0, 0, 2])),
  ],
  'pushes a stream and answers it': (stream) => [
    pushPromiseFrame(stream),
    encodeHttp2Frame(1, 4, 2, encodeHpackHeader(':status', '200')),
  ],
  'never ends its headers': (stream) => [
    encodeHttp2Frame(1, 0, stream, encodeHpackHeader(':status', '201')),
  ],
  'sends headers without end': (stream) => [
    encodeHttp2Frame(1, 0, stream, encodeHpackHeader(':status', '201')),
    ...Array.from({ length: 50 }, () =>
      encodeHttp2Frame(9, 0, stream, encodeHpackHeader('a', 'b'.repeat(9000))),
    ),
  ],
  'puts a header bomb into its table': (stream) => [
    encodeHttp2Frame(
      1,
      5,
      stream,
      Buffer.concat([
        encodeHpackHeader(':status', '201'),
        encodeHpackHeader('bomb', 'x'.repeat(3900), true),
        Buffer.alloc(10_000, 0xbe),
      ]),
    ),
  ],
  'says wait for ever': (stream) =>
    Array.from({ length: 100 }, () =>
      encodeHttp2Frame(1, 4, stream, encodeHpackHeader(':status', '103')),
    ),
  'floods with PING': () =>
    Array.from({ length: 5000 }, () => encodeHttp2Frame(6, 0, 0, Buffer.alloc(8))),
  'floods with SETTINGS': () => Array.from({ length: 5000 }, () => encodeHttp2Frame(4, 0, 0)),
  'floods with ORIGIN': () =>
    Array.from({ length: 5000 }, () =>
      encodeHttp2Frame(12, 0, 0, Buffer.from('\0\x09https://a', 'latin1')),
    ),
  'allows no stream': () => [encodeHttp2Frame(4, 0, 0, encodeHttp2Setting(3, 0))],
  'opens no window': () => [encodeHttp2Frame(4, 0, 0, encodeHttp2Setting(4, 0))],
  'widens a window by nothing': () => [encodeHttp2Frame(8, 0, 0, Buffer.alloc(4))],
  'tells us to go': () => [encodeHttp2Frame(7, 0, 0, Buffer.alloc(8))],
  'resets the request': (stream) => [encodeHttp2Frame(3, 0, stream, Buffer.from([0, 0, 0, 7]))],
};
test('limits every misbehavior in frames to its own push, and leaves no connection', async () => {
  const services = Object.values(misbehaviors).map((frames) => {
    const sockets: Socket[] = [];
    const service = createServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
      socket.write(encodeHttp2Frame(4, 0, 0));
      let total = 0;
      socket.on('data', ({ length }) => {
        if (total < BODY_BYTES && total + length >= BODY_BYTES)
          socket.write(Buffer.concat(frames(1)));
        total += length;
      });
    }).listen(0, '127.0.0.1');
    return { service, sockets };
  });
  await Promise.all(services.map(({ service }) => service.listening || once(service, 'listening')));
  const ports = services.map(({ service }) => portOf(service));
  const restore = withoutTls(ports);
  const own = createHttpsClient(
    createAddressGuard(['localhost']),
    { ...DEFAULT_LIMITS, timeout: 250, parting: 20, idle: 20 },
    trustEveryHost,
  );
  const postTo = (port: number) =>
    own.post(new URL(`https://localhost:${port}/`), {}, Buffer.alloc(BODY_BYTES));
  const responses = await Promise.all(ports.flatMap((port) => [postTo(port), postTo(port)]));
  for (const response of responses)
    assert.ok(
      response.kind === 'unreachable' || response.kind === 'responded',
      JSON.stringify(response),
    );
  for (const { sockets } of services) assert.ok(sockets.length > 0);
  await eventually(() => own.connections() === 0, 'every connection to be ended');
  restore();
  await eventually(
    async () => (await post('/', own)).kind === 'responded',
    'a host that behaves to be reached within that limit',
  );
  own.close();
  for (const { service, sockets } of services) {
    for (const socket of sockets) socket.destroy();
    service.close();
  }
});

/** Connects to these ports without TLS, whose handshakes would take most of the time, as HTTP/2. */
function withoutTls(ports: number[]): () => void {
  const original = tls.connect;
  tls.connect = ((options: ConnectionOptions) => {
    if (!ports.includes(options.port!)) return original(options);
    const socket = Object.assign(connect(options.port!, '127.0.0.1'), { alpnProtocol: 'h2' });
    return socket.once('connect', () => socket.emit('secureConnect'));
  }) as typeof tls.connect;
  return () => {
    tls.connect = original;
  };
}

const pushPromiseFrame = (stream: number): Buffer =>
  encodeHttp2Frame(
    5,
    4,
    stream,
    Buffer.concat([
      Buffer.from([0, 0, 0, 2]),
      encodeHpackHeader(':method', 'GET'),
      encodeHpackHeader(':scheme', 'https'),
      encodeHpackHeader(':authority', 'localhost'),
      encodeHpackHeader(':path', '/x'),
    ]),
  );

test("offers only HTTP/1.1 to hosts other than browsers' own push services", async () => {
  const offered: string[][] = [];
  const service = createTlsServer(
    {
      ...localCertificate(),
      ALPNCallback: ({ protocols }) => (offered.push(protocols), 'http/1.1'),
    },
    (socket) => {
      socket
        .on('error', () => undefined)
        .on('data', () => socket.end('HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n'));
    },
  ).listen(0, '127.0.0.1');
  await once(service, 'listening');
  const own = createHttpsClient(createAddressGuard(['localhost']));
  assert.is(
    (await own.post(new URL(`https://localhost:${portOf(service)}/`), {}, Buffer.alloc(0))).kind,
    'responded',
  );
  assert.equal(offered, [['http/1.1']]);
  own.close();
  service.close();
});

test('limits connections, and closes an idle one for a new host, never a busy one', async () => {
  const resolve: Resolve = (_name, _options, done) =>
    done(null, [{ address: '127.0.0.1', family: 4 }]);
  const hosts = ['a', 'b', 'c'].map((name) => `${name}.push.localhost`);
  const own = createHttpsClient(
    createAddressGuard(hosts, resolve),
    { ...DEFAULT_LIMITS, connections: 2 },
    trustEveryHost,
  );
  const postTo = (host: string) =>
    own.post(new URL(`https://${host}:${portOf(server)}/`), {}, Buffer.alloc(0));
  for (const host of hosts) assert.is((await postTo(host)).kind, 'responded', host);
  assert.is(own.connections(), 2);
  const waiting: ServerHttp2Stream[] = [];
  reply = (stream) => waiting.push(stream);
  const held = hosts.slice(0, 2).map(postTo);
  await eventually(() => waiting.length === 2, 'two requests');
  assert.equal(await postTo(hosts[2]!), { kind: 'unreachable', reason: 'busy' });
  for (const stream of waiting) {
    stream.respond({ ':status': 201 });
    stream.end();
  }
  assert.equal(
    (await Promise.all(held)).map(({ kind }) => kind),
    ['responded', 'responded'],
  );
  own.close();
});

test.run();
