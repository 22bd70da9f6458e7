import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import tls from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AddressGuard } from '../../../../server/delivery/https/address-guard';
import { createConnections, type Connection } from '../../../../server/delivery/https/connections';
import { eventually } from '../../../support/eventually';

const test = suite('connections to push services');
const limits = { connections: 3, idleConnections: 3, idle: 60_000, parting: 1000 };
/** An address needs no lookup, and no connection is waited for. */
const guard = { lookupFor: () => undefined } as unknown as AddressGuard;
const at = (port: number): URL => new URL(`https://127.0.0.1:${port}`);
const at9 = at(9);

function make() {
  const connections = createConnections(guard, limits);
  const open = (): Connection | undefined => connections.open(at9, ['http/1.1']);
  return { connections, open };
}
const destroyed = (all: readonly (Connection | undefined)[]): (boolean | undefined)[] =>
  all.map((one) => one?.socket.destroyed);

test('of too many connections the one that was used longest ago gives way, again and again', () => {
  const { connections, open } = make();
  const all = [open(), open(), open()];
  for (const one of all) one?.use();
  for (const index of [1, 2, 0]) all[index]?.release();
  all.push(open());
  assert.equal(destroyed(all), [false, true, false, false]);
  all[3]?.use();
  all.push(open());
  assert.equal(destroyed(all), [false, true, true, false, false]);
  connections.close();
});

test('a connection that is in use never gives way, however many requests on it have ended', () => {
  const { connections, open } = make();
  const all = [open(), open(), open()];
  for (const one of all) {
    one?.use();
    one?.use();
    one?.release();
  }
  for (let attempt = 0; attempt < 3; attempt += 1) assert.is(open(), undefined);
  assert.equal([connections.count(), ...destroyed(all)], [3, false, false, false]);
  all[1]?.release();
  assert.ok(open());
  assert.equal(destroyed(all), [false, true, false]);
  connections.close();
  assert.is(open(), undefined, 'after the end');
});

test('a connection that takes no more requests ends soon after those under way, though the other side never closes it', async () => {
  const accepted: Socket[] = [];
  const silent = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined).resume();
    accepted.push(socket);
  }).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const connections = createConnections(guard, { ...limits, parting: 10 });
  const [unused, used, other] = [1, 2, 3].map(() => connections.open(at(port), ['h2']));
  for (const one of [used, used, other]) one?.use();
  for (const one of [unused, used]) one?.retire();
  await eventually(() => unused?.socket.destroyed, 'the end of the one without a request');
  used?.release();
  assert.equal(destroyed([used, other]), [false, false]);
  used?.release();
  other?.release();
  await eventually(() => connections.count() === 1, 'the end of the one whose requests have ended');
  assert.equal(destroyed([unused, used, other]), [true, true, false]);
  connections.close();
  for (const socket of accepted) socket.destroy();
  silent.close();
});

test('a name is connected to by that name, and an address without one, at the port that is given or the usual one', () => {
  const { connect } = tls;
  const asked: unknown[] = [];
  tls.connect = (({ host, port, servername }: tls.ConnectionOptions) => {
    asked.push([host, port, servername]);
    return connect({ host: '127.0.0.1', port: 9 });
  }) as typeof connect;
  try {
    const { connections } = make();
    for (const host of ['push.example', 'push.example:8443', '9.9.9.9', '[2606:4700::abcd]:444'])
      connections.open(new URL(`https://${host}/send`), ['http/1.1']);
    connections.close();
  } finally {
    tls.connect = connect;
  }
  assert.equal(asked, [
    ['push.example', 443, 'push.example'],
    ['push.example', 8443, 'push.example'],
    ['9.9.9.9', 443, undefined],
    ['2606:4700::abcd', 444, undefined],
  ]);
});

/** The TLS sessions that are offered while the work is done, one for each connection. */
function offeredIn(work: () => void): unknown[] {
  const { connect } = tls;
  const offered: unknown[] = [];
  tls.connect = ((options: tls.ConnectionOptions) => {
    offered.push(options.session?.toString());
    return connect({ ...options, session: undefined });
  }) as typeof connect;
  try {
    work();
  } finally {
    tls.connect = connect;
  }
  return offered;
}

test('a host’s TLS session is offered to it again, to no other host, and no more after an error', () => {
  const offered = offeredIn(() => {
    const { connections, open } = make();
    open()?.socket.emit('session', Buffer.from('kept'));
    connections.open(at(10), ['http/1.1']);
    open()?.socket.emit('error', new Error('It does not like that session.'));
    connections.close();
    const again = make();
    again.open()?.socket.emit('session', Buffer.from('kept'));
    again.open()?.socket.emit('error', new Error('It does not like that session.'));
    again.open();
    again.connections.close();
  });
  assert.equal(offered, [undefined, undefined, 'kept', undefined, 'kept', undefined]);
});

test('TLS sessions are kept of a hundred hosts, those that made one last, and none that is large', () => {
  const { connections } = make();
  const open = (port: number, session = 'kept') =>
    connections.open(at(port), ['http/1.1'])?.socket.emit('session', Buffer.from(session));
  const offered = offeredIn(() => {
    for (let port = 1; port <= 100; port += 1) open(port);
    for (const port of [1, 101, 1, 2]) open(port);
    open(1, 'x'.repeat(16 * 1024 + 1));
    open(1);
    connections.close();
  }).slice(100);
  assert.equal(offered, ['kept', undefined, 'kept', undefined, 'kept', undefined]);
});

/**
 * The work with connections whose time passes only by `lookAt`, which also does what is done now and
 * then.
 */
function inTime(work: (lookAt: (time: number) => void) => void): void {
  const { setInterval } = globalThis;
  let [time, look] = [0, (): void => undefined];
  performance.now = () => time;
  globalThis.setInterval = ((run: () => void) => {
    look = run;
    return setInterval(run, 1_000_000);
  }) as typeof setInterval;
  try {
    work((next) => {
      time = next;
      look();
    });
  } finally {
    globalThis.setInterval = setInterval;
    Reflect.deleteProperty(performance, 'now');
  }
}

test('a connection is idle from the end of its last request on, however long ago it was opened or used before', () =>
  inTime((lookAt) => {
    const { connections, open } = make();
    const one = open();
    lookAt(50_000);
    for (const end of [100_000, 150_000]) {
      one?.use();
      lookAt(end);
      one?.release();
    }
    lookAt(210_000);
    assert.equal(destroyed([one]), [false], 'a minute after its last request');
    lookAt(210_001);
    assert.equal(destroyed([one]), [true]);
    connections.close();
  }));

test('a connection that is in use is not idle, however long its request takes', () =>
  inTime((lookAt) => {
    const { connections, open } = make();
    const one = open();
    one?.use();
    lookAt(1_000_000);
    assert.equal(destroyed([one]), [false]);
    connections.close();
  }));

test('of idle connections no more are kept than the limit, those that were used last', () =>
  inTime((lookAt) => {
    const connections = createConnections(guard, { ...limits, connections: 9, idleConnections: 2 });
    const all = [1, 2, 3, 4].map(() => connections.open(at9, ['http/1.1']));
    for (const one of all) one?.use();
    for (const index of [2, 0, 3]) all[index]?.release();
    lookAt(10);
    assert.equal(destroyed(all), [false, false, true, false]);
    connections.close();
  }));

test('a connection over which more comes than any answers need is cut off, and each request allows some more', () =>
  inTime((lookAt) => {
    const { connections, open } = make();
    const [unused, used] = [open(), open()];
    for (let request = 0; request < 2; request += 1) {
      used?.use();
      used?.release();
    }
    const come = (bytes: number, to: Connection | undefined) =>
      Object.defineProperty(to?.socket, 'bytesRead', { configurable: true, value: bytes });
    const [allowed, more] = [1024 * 1024, 2 * 128 * 1024];
    come(allowed, unused);
    come(allowed + more, used);
    lookAt(10);
    assert.equal(destroyed([unused, used]), [false, false]);
    come(allowed + 1, unused);
    lookAt(20);
    assert.equal(destroyed([unused, used]), [true, false]);
    come(allowed + more + 1, used);
    lookAt(30);
    assert.equal(destroyed([unused, used]), [true, true]);
    connections.close();
  }));

test.run();
