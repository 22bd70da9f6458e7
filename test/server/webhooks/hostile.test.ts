/** What malicious or broken receivers could do to calls. */
import { once } from 'node:events';
import { type AddressInfo, type Socket, createServer } from 'node:net';
import tls from 'node:tls';
import * as assert from 'uvu/assert';
import { type WebhookCaller, createWebhookCaller } from '../../../server/delivery/webhook/caller';
import { isSuccess } from '../../../server/webhooks/outcome';
import type { Resolve } from '../../../server/delivery/https/resolver';
import { localCertificate } from '../../support/network/tls';
import { eventually } from '../../support/eventually';
import { replyEndlessly, replyWithRedirect } from '../../support/webhooks/receiver';
import { webhookSuite } from '../../support/webhooks/webhook-suite';
import { resolveForTests } from '../../support/webhooks/fake-resolver';

const { test, setup } = webhookSuite('hostile webhook receivers');
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const call = { id: 'a-call', body: '{"type":"test"}' };
let callers: WebhookCaller[] = [];
let traps: (() => void)[] = [];
test.after.each(() => {
  for (const caller of callers) caller.close();
  for (const end of traps) end();
  [callers, traps] = [[], []];
});

function createCaller(
  host: string,
  resolve: Resolve = resolveForTests,
  timeout = 300,
): WebhookCaller {
  const settings = { allowedHosts: [host], now: () => setup.server.clock.now, resolve };
  const caller = createWebhookCaller({ ...settings, limits: { timeout } });
  callers.push(caller);
  return caller;
}

/**
 * A server on this machine.
 * @returns its port and number of connections
 */
async function setTrap(
  speak: (socket: Socket) => void,
  isTls = true,
): Promise<{ port: number; connected(): number }> {
  let connectedCount = 0;
  const sockets = new Set<Socket>();
  const listen = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    speak(socket);
  };
  const server = isTls ? tls.createServer(localCertificate(), listen) : createServer(listen);
  server.on('connection', () => (connectedCount += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  traps.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, connected: () => connectedCount };
}

test('rejects a name that moves to a private address after it was added', async () => {
  const trap = await setTrap(() => undefined);
  let address = '8.8.8.8';
  const rebind: Resolve = (_, __, done) => process.nextTick(done, null, [{ address, family: 4 }]);
  const caller = createCaller(`other.example:${trap.port}`, rebind);
  assert.is(await caller.findAddressFault(new URL('https://rebind.example/')), undefined);
  for (address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '192.168.1.1']) {
    assert.is(
      await caller.findAddressFault(new URL('https://rebind.example/')),
      'endpoint-address',
    );
    assert.equal(await caller.call({ url: 'https://rebind.example/', secret: SECRET }, call), {
      kind: 'rejected',
      reason: 'endpoint-address',
    });
  }
  // Proves that only the guard prevents the connection: this host is allowed.
  address = '127.0.0.1';
  await caller.call({ url: `https://other.example:${trap.port}/`, secret: SECRET }, call);
  assert.is(trap.connected(), 1);
});

test('follows no redirect into the private network, and counts it as a failure', async () => {
  const trap = await setTrap(() => undefined);
  const id = await setup.addWebhook('/bell');
  for (const redirectTarget of [
    `https://127.0.0.1:${trap.port}/`,
    'http://169.254.169.254/',
    '//localhost/',
  ]) {
    setup.receiver.replies.set('/bell', replyWithRedirect(redirectTarget));
    await setup.queueEvents({});
    await setup.advance(1000);
    const { last_status, failing_since } = await setup.readWebhook(id);
    assert.equal([last_status, failing_since !== null], [302, true]);
  }
  assert.is(trap.connected(), 0);
});

test('reads a few kilobytes of an endless response, and accepts its status', async () => {
  const id = await setup.addWebhook('/bell');
  let written = 0;
  setup.receiver.replies.set('/bell', (response, receivedCall) => {
    const write = response.write.bind(response);
    response.write = ((chunk: Buffer) => {
      written += chunk.length;
      return write(chunk);
    }) as typeof response.write;
    replyEndlessly(200)(response, receivedCall);
  });
  await setup.queueEvents({});
  await setup.server.webhookRunner.runDue();
  assert.is((await setup.readWebhook(id)).last_status, 200);
  assert.is(await setup.countWaiting(), 0);
  assert.ok(written < 64 * 1024 * 1024, String(written));
  setup.receiver.replies.set('/bell', replyEndlessly(500));
  await setup.queueEvents({});
  await setup.server.webhookRunner.runDue();
  assert.is((await setup.readWebhook(id)).last_status, 500);
});

const replyText = (text: string) => (socket: Socket) => {
  socket.once('data', () => socket.end(text));
};
const misbehaviors: Record<string, [speak: (socket: Socket) => void, isTls?: boolean]> = {
  'takes the connection and never shakes hands': [() => undefined, false],
  'shakes hands and never reads': [(socket) => void socket.pause()],
  'reads and never answers': [(socket) => void socket.resume()],
  'closes at once': [(socket) => void socket.destroy()],
  'speaks no TLS': [replyText('HTTP/1.1 200 OK\r\n\r\n'), false],
  'speaks no HTTP': [replyText('hello\r\n\r\n')],
  'answers with HTTP/2': [replyText('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')],
  'changes to another protocol': [
    replyText('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'),
  ],
  'has headers without an end': [
    (socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const writeTimer = setInterval(() => socket.write(`X: ${'y'.repeat(4000)}\r\n`), 2);
        socket.once('close', () => clearInterval(writeTimer));
      });
    },
  ],
  'goes on and on with 103': [
    (socket) => {
      socket.once('data', () => {
        const writeTimer = setInterval(
          () => socket.write('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'),
          2,
        );
        socket.once('close', () => clearInterval(writeTimer));
      });
    },
  ],
  'says one byte at a time': [
    (socket) => {
      const text = `HTTP/1.1 200 OK\r\nX: ${'y'.repeat(2000)}`;
      let textIndex = 0;
      socket.once('data', () => {
        const writeTimer = setInterval(
          () => socket.write(text[textIndex++ % text.length] ?? 'y'),
          20,
        );
        socket.once('close', () => clearInterval(writeTimer));
      });
    },
  ],
};
for (const [trait, [speak, isTls]] of Object.entries(misbehaviors)) {
  test(`fails in time on a receiver that ${trait}`, async () => {
    const trap = await setTrap(speak, isTls);
    const caller = createCaller(`localhost:${trap.port}`);
    const url = `https://localhost:${trap.port}/`;
    // A busy machine may time out before it connects, and then tries again.
    await eventually(async () => {
      const response = await caller.call({ url, secret: SECRET }, call);
      assert.not(isSuccess(response), JSON.stringify(response));
      return trap.connected() >= 1;
    }, 'it to be called');
  });
}

test.run();
