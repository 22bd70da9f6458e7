import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { limits, listen } from '../../../server/http/listen';
import type { Listening } from '../../../server/http/listen';
import type { Person, TestServer } from '../../support/server';
import { makeServer } from '../../support/server';

const test = suite('connections');
/** The real limits are seconds; what they do is the same. */
const quick = { ...limits, headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 20, drain: 300 };
let server: TestServer;
let admin: Person;
let http: Listening;

test.before.each(async () => {
  server = await makeServer();
  admin = await server.makePerson('ADMIN');
  http = await listen(server.app, 0, quick);
});
test.after.each(async () => {
  await http.stop();
  await server.close();
});

/** @returns all that the server sent until it closed the connection */
async function converse(...said: string[]): Promise<string> {
  const socket = open();
  for (const text of said) socket.write(text);
  return readToEnd(socket);
}
function open(): Socket {
  return connect(http.port, '127.0.0.1').setEncoding('utf8');
}
async function readToEnd(socket: Socket): Promise<string> {
  let heard = '';
  socket.on('data', (text) => (heard += String(text)));
  socket.on('error', () => undefined);
  await once(socket, 'close');
  return heard;
}

test('the real limits cut everybody off within 15 seconds, stop within 10, and keep connections for longer than proxies do', () => {
  const { headersTimeout, requestTimeout, connectionsCheckingInterval, drain, keepAliveTimeout } = limits;
  assert.ok(Math.max(headersTimeout, requestTimeout) + connectionsCheckingInterval <= 15_000);
  assert.ok(drain < 10_000);
  assert.ok(keepAliveTimeout > 60_000);
});

test('who never sends a byte, never ends the headers or never ends the body is cut off', async () => {
  const heads = 'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n';
  const [silent, endless, unfinished] = await Promise.all([converse(), converse(heads), converse(`${heads}\r\n`, '{"user')]);
  assert.match(silent, /^(HTTP\/1\.1 408|$)/);
  assert.match(endless, /^HTTP\/1\.1 408/);
  assert.match(unfinished, /^(HTTP\/1\.1 4\d\d|$)/);
});

test('a Content-Length that lies in either direction breaks nothing for the next request', async () => {
  const body = '{"username":"a","password":"b"}';
  const send = (length: number) =>
    converse(`POST /api/auth/login HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`);
  assert.match(await send(5), /^HTTP\/1\.1 400/);
  assert.match(await send(body.length), /^HTTP\/1\.1 401/);
  assert.match(await send(body.length + 50), /^(HTTP\/1\.1 4\d\d|$)/);
  const health = await fetch(`http://127.0.0.1:${http.port}/api/health`);
  assert.is(health.status, 200);
});

test('a stop lets a request under way end, refuses new ones, and closes idle connections', async () => {
  const idle = open();
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
  const refused = await fetch(`http://127.0.0.1:${http.port}/api/health`).catch((error: unknown) => error);
  assert.instance(refused, Error);
  release();
  assert.is(await (await slow).text(), 'done');
  await stopped;
});

test('a stop does not wait for ever for a request that never ends', async () => {
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

test('the address of the connection is what limits count', async () => {
  const patient = await listen(server.app, 0);
  const logIn = () =>
    fetch(`http://127.0.0.1:${patient.port}/api/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': String(Math.random()) },
      body: JSON.stringify({ username: admin.username, password: 'wrong password' }),
    });
  const statuses = await Promise.all(Array.from({ length: 12 }, async () => (await logIn()).status));
  assert.is(statuses.filter((status) => status === 429).length, 2);
  await patient.stop();
});

test.run();
