import { once } from 'node:events';
import { type BlockList, connect } from 'node:net';
import type { Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createWaitingApp } from '../../../../server/app';
import { connectionLimits, listen } from '../../../../server/http/connections/listen';
import type { Listening, ServerLimits } from '../../../../server/http/connections/listen';
import { shortPause, eventually } from '../../../support/eventually';
import type { Person, TestServer } from '../../../support/server/server';
import { createServer } from '../../../support/server/server';

const test = suite('connections');
/** The real limits, except for the check interval and the drain time. */
const quickLimits = { ...connectionLimits, connectionsCheckingInterval: 20, drain: 300 };
/** Limits for clients that must be cut off. A busy machine would exceed them elsewhere. */
const SHORT_TIMEOUTS = { headersTimeout: 100, requestTimeout: 200 };
let server: TestServer;
let admin: Person;
let http: Listening;

test.before.each(async () => {
  server = await createServer();
  admin = await server.createPerson('ADMIN');
  http = await listen(server.app, 0, quickLimits);
});
test.after.each(async () => {
  await http.stop();
  await server.close();
});

/** @returns everything the server sent until it closed */
async function exchangeTexts(...texts: string[]): Promise<string> {
  const socket = openSocket();
  for (const text of texts) socket.write(text);
  return readToEnd(socket);
}
/** Like `exchangeTexts`, but ends the connection after the text. */
async function sendText(text: string): Promise<string> {
  const socket = openSocket();
  socket.end(text);
  return readToEnd(socket);
}
function openSocket(): Socket {
  return connect(http.port, '127.0.0.1').setEncoding('utf8');
}
async function readToEnd(socket: Socket): Promise<string> {
  let received = '';
  socket.on('data', (text) => (received += String(text)));
  socket.on('error', () => undefined);
  await once(socket, 'close');
  return received;
}

test("limits requests to 15 seconds and a stop to 10, and outlives proxies' idle connections", () => {
  const { headersTimeout, requestTimeout, connectionsCheckingInterval, drain, keepAliveTimeout } =
    connectionLimits;
  assert.ok(Math.max(headersTimeout, requestTimeout) + connectionsCheckingInterval <= 15_000);
  assert.ok(drain < 10_000);
  assert.ok(keepAliveTimeout > 60_000);
});

test('cuts clients that never finish headers or body', async () => {
  await listenWith(SHORT_TIMEOUTS);
  const heads =
    'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n';
  const [silent, endless, unfinished] = await Promise.all([
    exchangeTexts(),
    exchangeTexts(heads),
    exchangeTexts(`${heads}\r\n`, '{"user'),
  ]);
  assert.match(silent, /^(HTTP\/1\.1 408|$)/);
  assert.match(endless, /^HTTP\/1\.1 408/);
  assert.match(unfinished, /^(HTTP\/1\.1 4\d\d|$)/);
});

const POST_HEAD =
  'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ';

test('reads a body in pieces, rejects a large one early, and survives a hang-up', async () => {
  const body = '{"username":"a","password":"b"}';
  const pieces = openSocket();
  const received = readToEnd(pieces);
  pieces.write(`${POST_HEAD}${body.length}\r\nConnection: close\r\n\r\n`);
  for (const piece of [body.slice(0, 10), body.slice(10, 11), body.slice(11)]) {
    pieces.write(piece);
    await shortPause();
  }
  assert.match(await received, /^HTTP\/1\.1 401/);
  const large = `${POST_HEAD}70000\r\n\r\n${'x'.repeat(69_000)}`;
  assert.match(await exchangeTexts(large), /^HTTP\/1\.1 413/);
  const left = openSocket();
  left.write(`${POST_HEAD}50\r\n\r\n{`);
  await shortPause();
  left.destroy();
  await eventually(
    () => server.log.find((line) => line.includes('"status":400')),
    'the end of what was left',
  );
  assert.not.match(server.log.join('\n'), /"level":"error"/);
});

test('rejects an invalid Host, with and without a database', async () => {
  const waiting = await listen(
    createWaitingApp(server.services, async () => new Response('page')),
    0,
    quickLimits,
  );
  const hosts = ['999.999.999.999', 'xn--', '1.2.3.4.5', 'evil:99999', 'a b', ''];
  for (const { port } of [http, waiting]) {
    for (const host of hosts)
      for (const path of ['/', '/api/health', '/api/admin/users']) {
        const socket = connect(port, '127.0.0.1').setEncoding('utf8');
        socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
        assert.match(await readToEnd(socket), /^HTTP\/1\.1 400/, `${host} ${path}`);
      }
  }
  await waiting.stop();
  assert.not.match(server.log.join('\n'), /"level":"error"/);
});

test('survives a wrong Content-Length', async () => {
  const body = '{"username":"a","password":"b"}';
  const send = (length: number, speak = exchangeTexts) =>
    speak(
      `POST /api/auth/login HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`,
    );
  assert.match(await send(5), /^HTTP\/1\.1 400/);
  assert.match(await send(body.length), /^HTTP\/1\.1 401/);
  assert.match(await send(body.length + 50, sendText), /^(HTTP\/1\.1 4\d\d|$)/);
  const health = await fetch(`http://127.0.0.1:${http.port}/api/health`);
  assert.is(health.status, 200);
});

test('finishes open requests at a stop, rejects new ones and closes idle connections', async () => {
  await listenWith({ drain: connectionLimits.drain });
  const idle = openSocket();
  const idleEnded = readToEnd(idle);
  await once(idle, 'connect');
  let release = (): void => undefined;
  const gate = new Promise<void>((resolve) => (release = resolve));
  let began = (): void => undefined;
  const beginning = new Promise<void>((resolve) => (began = resolve));
  server.app.get('/slow', async (context) => {
    began();
    await gate;
    return context.text('done');
  });
  const slow = fetch(`http://127.0.0.1:${http.port}/slow`);
  await beginning;
  const stopped = http.stop();
  await idleEnded;
  const refused = await fetch(`http://127.0.0.1:${http.port}/api/health`).catch(
    (error: unknown) => error,
  );
  assert.instance(refused, Error);
  release();
  assert.is(await (await slow).text(), 'done');
  await stopped;
});

test('closes connections after their response before a stop, and still accepts new ones', async () => {
  const keptResponse = await fetch(`http://127.0.0.1:${http.port}/api/health`);
  assert.is(keptResponse.headers.get('connection'), 'keep-alive');
  http.leave();
  for (let requestCount = 0; requestCount < 2; requestCount += 1) {
    const response = await fetch(`http://127.0.0.1:${http.port}/api/health`);
    assert.equal([response.status, response.headers.get('connection')], [200, 'close']);
  }
});

test('stops in time despite a request that never ends', async () => {
  let began = (): void => undefined;
  const beginning = new Promise<void>((resolve) => (began = resolve));
  server.app.get('/stuck', () => {
    began();
    return new Promise<Response>(() => undefined);
  });
  const stuck = fetch(`http://127.0.0.1:${http.port}/stuck`).catch(() => 'cut off');
  await beginning;
  await http.stop();
  assert.is(await stuck, 'cut off');
});

/** Listens with other limits until the test ends. */
async function listenWith(own: Partial<ServerLimits>, trusted?: BlockList): Promise<void> {
  await http.stop();
  http = await listen(server.app, 0, { ...quickLimits, ...own }, trusted);
}

const getRequest = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

test('handles pipelined requests one after the other', async () => {
  const begun: string[] = [];
  const gates = new Map<string, () => void>();
  server.app.get('/turn/:name', async (context) => {
    const name = context.req.param('name');
    begun.push(name);
    await new Promise<void>((resolve) => gates.set(name, resolve));
    return context.text(`answer ${name}`);
  });
  const socket = openSocket();
  let received = '';
  socket.on('data', (text) => (received += String(text)));
  socket.write(['a', 'b', 'c'].map((name) => getRequest(`/turn/${name}`)).join(''));
  for (const [index, name] of ['a', 'b', 'c'].entries()) {
    await eventually(() => gates.get(name), `the turn of ${name}`);
    assert.is(begun.length, index + 1);
    gates.get(name)?.();
    await eventually(() => received.includes(`answer ${name}`), `the answer ${name}`);
  }
  socket.write(getRequest('/turn/d'));
  await eventually(() => gates.get('d'), 'a request after all were answered');
  gates.get('d')?.();
  await eventually(() => received.includes('answer d'), 'its answer');
  socket.destroy();
});

test('cuts a client that pipelines hundreds of requests', async () => {
  let startedCount = 0;
  server.app.get('/counted', () => {
    startedCount += 1;
    return new Promise<Response>(() => undefined);
  });
  await exchangeTexts(getRequest('/counted').repeat(700));
  assert.is(startedCount, 1);
});

/** Serves a large answer, and reports when its connection closes. */
function serveLarge(megabytes: number): {
  begun: Promise<void>;
  ended: Promise<void>;
  isEnded(): boolean;
} {
  let [begin, end] = [(): void => undefined, (): void => undefined];
  let isOver = false;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const ended = new Promise<void>((resolve) => (end = resolve));
  const path = `/large-${megabytes}`;
  server.app.get(path, (context) => {
    context.env.incoming?.socket.once('close', () => {
      isOver = true;
      end();
    });
    begin();
    return context.body(new Uint8Array(megabytes * 1024 * 1024));
  });
  return { begun, ended, isEnded: () => isOver };
}

test('disconnects a client that does not read its response', async () => {
  await listenWith({ responseTimeout: 150 });
  const large = serveLarge(64);
  const socket = openSocket().pause();
  socket.write(getRequest('/large-64'));
  await large.ended;
  socket.destroy();
  const readResponse = await fetch(`http://127.0.0.1:${http.port}/api/health`);
  assert.is(readResponse.status, 200);
});

test('does not mistake a slow response for slow reading', async () => {
  await listenWith({ responseTimeout: 0 });
  let release = (): void => undefined;
  const gate = new Promise<void>((resolve) => (release = resolve));
  let began = (): void => undefined;
  const beginning = new Promise<void>((resolve) => (began = resolve));
  server.app.get('/making', async (context) => {
    began();
    await gate;
    return context.text('done');
  });
  const pendingResponse = fetch(`http://127.0.0.1:${http.port}/making`);
  await beginning;
  await shortPause(); // longer than it takes to look after answers
  await shortPause();
  release();
  assert.is(await (await pendingResponse).text(), 'done');
});

test('drops the largest unread response first when memory runs short', async () => {
  await listenWith({ responseTimeout: 60_000, maxUnread: 24 * 1024 * 1024 });
  const [large, small] = [serveLarge(64), serveLarge(16)];
  const [largeSocket, smallSocket] = [openSocket().pause(), openSocket().pause()];
  smallSocket.write(getRequest('/large-16'));
  await small.begun;
  largeSocket.write(getRequest('/large-64'));
  await large.ended;
  await shortPause();
  assert.not.ok(small.isEnded());
  largeSocket.destroy();
  smallSocket.destroy();
});

/** An established connection that reports its end. */
async function holdConnection(): Promise<{
  socket: Socket;
  isEnded(): boolean;
  ended: Promise<unknown>;
}> {
  const socket = openSocket();
  let isOver = false;
  const ended = once(socket, 'close').then(() => (isOver = true));
  socket.on('error', () => undefined).resume();
  socket.write(getRequest('/api/notifications/vapid-key'));
  await Promise.race([once(socket, 'data'), ended]);
  return { socket, isEnded: () => isOver, ended };
}

test('closes the longest idle connection of an address with too many', async () => {
  await listenWith({ maxForAddress: 3 });
  const held = [await holdConnection(), await holdConnection(), await holdConnection()];
  held[0]?.socket.write(getRequest('/api/notifications/vapid-key'));
  await once(held[0]?.socket as Socket, 'data');
  const fourth = await holdConnection();
  await held[1]?.ended;
  assert.equal(
    held.map(({ isEnded }) => isEnded()),
    [false, true, false],
    'the first was used after the second',
  );
  const fifth = await holdConnection();
  await held[2]?.ended;
  assert.equal([held[0]?.isEnded(), fourth.isEnded(), fifth.isEnded()], [false, false, false]);
  for (const { socket } of [...held, fourth, fifth]) socket.destroy();
});

test('counts limits by the address of the connection', async () => {
  const patient = await listen(server.app, 0);
  const signIn = () =>
    fetch(`http://127.0.0.1:${patient.port}/api/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': String(Math.random()) },
      body: JSON.stringify({ username: admin.username, password: 'wrong password' }),
    });
  const statuses = await Promise.all(
    Array.from({ length: 12 }, async () => (await signIn()).status),
  );
  assert.is(statuses.filter((status) => status === 429).length, 2);
  await patient.stop();
});

test.run();
