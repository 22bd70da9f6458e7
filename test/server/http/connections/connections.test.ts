import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { BlockList } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { limitConnections } from '../../../../server/http/connections/connections';

const test = suite('the number of connections');

/** What `limitConnections` sees of a connection; its end is told later, as Node does. */
class FakeSocket extends EventEmitter {
  isCut = false;
  isEnded = false;
  constructor(readonly remoteAddress: string) {
    super();
  }
  destroy(): void {
    this.isCut = true;
  }
  end(): void {
    this.isEnded = true;
  }
}

function makeServer(maxConnections: number, maxForAddress: number) {
  const server = new EventEmitter();
  const connections = limitConnections(
    server as unknown as Server,
    { maxConnections, maxForAddress },
    new BlockList(),
  );
  return {
    end: () => connections.end(),
    setBusy: (socket: FakeSocket, busy: boolean) =>
      connections.setBusy(socket as unknown as Socket, busy),
    connect(address: string): FakeSocket {
      const socket = new FakeSocket(address);
      server.emit('connection', socket);
      return socket;
    },
  };
}
const cutOf = (sockets: readonly FakeSocket[]): boolean[] => sockets.map(({ isCut }) => isCut);

test('of new connections that come together each takes the place of another idle one', () => {
  const { connect } = makeServer(100, 3);
  const old = ['', '', ''].map(() => connect('192.0.2.1'));
  const fresh = [connect('192.0.2.1'), connect('192.0.2.1')];
  assert.equal(
    [cutOf(old), cutOf(fresh)],
    [
      [true, true, false],
      [false, false],
    ],
  );
  // Their ends, which are told only now, free no place for a second time.
  for (const socket of old) if (socket.isCut) socket.emit('close');
  const last = [connect('192.0.2.1'), connect('192.0.2.1')];
  assert.equal(
    [cutOf(old), cutOf(fresh), cutOf(last)],
    [
      [true, true, true],
      [true, false],
      [false, false],
    ],
  );
});

test('new connections of all addresses together take idle places, too, and each address keeps its own count', () => {
  const { connect } = makeServer(3, 2);
  const old = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map(connect);
  const fresh = ['192.0.2.4', '192.0.2.5'].map(connect);
  assert.equal(
    [cutOf(old), cutOf(fresh)],
    [
      [true, true, false],
      [false, false],
    ],
  );
  for (const socket of old) if (socket.isCut) socket.emit('close');
  const again = ['192.0.2.1', '192.0.2.1'].map(connect);
  assert.equal(cutOf(again), [false, false]);
});

test('busy connections are refused a successor, and once they have ended there is room again', () => {
  const { connect, setBusy } = makeServer(100, 2);
  const held = [connect('192.0.2.1'), connect('192.0.2.1')];
  for (const socket of held) setBusy(socket, true);
  for (let attempt = 0; attempt < 3; attempt += 1) assert.ok(connect('192.0.2.1').isCut);
  assert.equal(cutOf(held), [false, false]);
  for (const socket of held) socket.emit('close');
  const next = [connect('192.0.2.1'), connect('192.0.2.1')];
  assert.equal(cutOf(next), [false, false]);
});

test('at the end idle connections are cut at once and busy ones end with their answer', () => {
  const { connect, setBusy, end } = makeServer(100, 100);
  const [idle, busy] = [connect('192.0.2.1'), connect('192.0.2.1')];
  setBusy(busy, true);
  end();
  assert.equal([idle.isCut, busy.isCut, busy.isEnded], [true, false, false]);
  setBusy(busy, false);
  assert.equal([busy.isCut, busy.isEnded], [false, true]);
});

test.run();
