import tls from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AddressGuard } from '../../../../server/delivery/https/address-guard';
import { createConnections, type Connection } from '../../../../server/delivery/https/connections';

const test = suite('connections to push services');
const limits = { connections: 3, idleConnections: 3, idle: 60_000, parting: 1000 };
/** An address needs no lookup. */
const guard = { lookupFor: () => undefined } as unknown as AddressGuard;
const urlAt = (port: number): URL => new URL(`https://127.0.0.1:${port}`);
const at9 = urlAt(9);

function createTestConnections() {
  const connections = createConnections(guard, limits);
  const openConnection = (): Connection | undefined => connections.open(at9, ['http/1.1']);
  return { connections, open: openConnection };
}
const areDestroyed = (connections: readonly (Connection | undefined)[]): (boolean | undefined)[] =>
  connections.map((one) => one?.socket.destroyed);

test('connects by name with SNI and by address without, at the given or default port', () => {
  const { connect } = tls;
  const connectCalls: unknown[] = [];
  tls.connect = (({ host, port, servername }: tls.ConnectionOptions) => {
    connectCalls.push([host, port, servername]);
    return connect({ host: '127.0.0.1', port: 9 });
  }) as typeof connect;
  try {
    const { connections } = createTestConnections();
    for (const host of ['push.example', 'push.example:8443', '9.9.9.9', '[2606:4700::abcd]:444'])
      connections.open(new URL(`https://${host}/send`), ['http/1.1']);
    connections.close();
  } finally {
    tls.connect = connect;
  }
  assert.equal(connectCalls, [
    ['push.example', 443, 'push.example'],
    ['push.example', 8443, 'push.example'],
    ['9.9.9.9', 443, undefined],
    ['2606:4700::abcd', 444, undefined],
  ]);
});

/** Runs `work` in fake time. `lookAt` sets the time and runs the periodic check. */
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

test('disconnects a connection that receives more than its responses need', () =>
  inTime((lookAt) => {
    const { connections, open } = createTestConnections();
    const [unused, used] = [open(), open()];
    for (let request = 0; request < 2; request += 1) {
      used?.use();
      used?.release();
    }
    const receiveBytes = (bytes: number, to: Connection | undefined) =>
      Object.defineProperty(to?.socket, 'bytesRead', { configurable: true, value: bytes });
    const [allowed, more] = [1024 * 1024, 2 * 128 * 1024];
    receiveBytes(allowed, unused);
    receiveBytes(allowed + more, used);
    lookAt(10);
    assert.equal(areDestroyed([unused, used]), [false, false]);
    receiveBytes(allowed + 1, unused);
    lookAt(20);
    assert.equal(areDestroyed([unused, used]), [true, false]);
    receiveBytes(allowed + more + 1, used);
    lookAt(30);
    assert.equal(areDestroyed([unused, used]), [true, true]);
    connections.close();
  }));

test.run();
