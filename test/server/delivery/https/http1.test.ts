import { createServer, type Server } from 'node:https';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { MaySendNow } from '../../../../server/delivery/https/response';
import { createAddressGuard } from '../../../../server/delivery/https/address-guard';
import {
  createHttpsClient,
  DEFAULT_LIMITS,
  type HttpsClient,
} from '../../../../server/delivery/https/client';
import { eventually } from '../../../support/eventually';
import { localCertificate, trust } from '../../../support/network/tls';

const test = suite('delivery over HTTP/1.1');
let hosts: Server[];
let connected: number;
let removeTrust: () => void;

const createClient = (limits: Partial<typeof DEFAULT_LIMITS> = {}): HttpsClient =>
  createHttpsClient(
    createAddressGuard(['localhost']),
    { ...DEFAULT_LIMITS, ...limits },
    () => false,
  );
async function post(
  client: HttpsClient,
  host = hosts[0],
  maySendNow?: MaySendNow,
): Promise<string> {
  assert.ok(host);
  const url = new URL(`https://localhost:${(host.address() as AddressInfo).port}/`);
  return (await client.post(url, {}, Buffer.from('text'), maySendNow)).kind;
}

test.before.each(async () => {
  removeTrust = trust(localCertificate());
  connected = 0;
  hosts = [1, 2].map(() =>
    createServer(localCertificate(), (request, response) => {
      request.resume().on('end', () => response.writeHead(201).end());
    })
      .on('secureConnection', () => (connected += 1))
      .listen(0, '127.0.0.1'),
  );
  // Our side closes idle connections, however slow the machine is.
  for (const host of hosts) host.keepAliveTimeout = 0;
  await Promise.all(hosts.map((host) => once(host, 'listening')));
});
test.after.each(() => {
  for (const host of hosts) {
    host.close();
    host.closeAllConnections();
  }
  removeTrust();
});

test('reuses one connection for consecutive pushes', async () => {
  const client = createClient();
  for (let turn = 0; turn < 3; turn += 1) assert.is(await post(client), 'responded');
  assert.is(connected, 1);
  client.close();
});

for (const [count, kind] of [
  [10, 'responded'],
  [11, 'unreachable'],
] as const)
  test(`treats a host that sends ${count} interim responses as ${kind}`, async () => {
    const client = createClient();
    const patient = createServer(localCertificate(), (request, response) => {
      request.resume();
      for (let turn = 0; turn < count; turn += 1) response.writeProcessing();
      response.writeHead(201).end();
    }).listen(0, '127.0.0.1');
    hosts.push(patient);
    await once(patient, 'listening');
    for (let turn = 0; turn < 2; turn += 1) assert.is(await post(client, patient), kind);
    client.close();
  });

test('treats a protocol switch as no response, and does not wait for one', async () => {
  const client = createClient();
  const host = hosts[0] as Server;
  host.removeAllListeners('request').on('request', (request) => {
    request.socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n',
    );
  });
  const { port } = host.address() as AddressInfo;
  const response = await client.post(
    new URL(`https://localhost:${port}/`),
    {},
    Buffer.from('text'),
  );
  assert.equal(response, { kind: 'unreachable', reason: 'protocol' });
  await eventually(() => client.connections() === 0, 'the end of the connection');
  client.close();
});

test('sends nothing for a withdrawn push, and frees its connection', async () => {
  const client = createClient({ socketsPerHost: 1 });
  let requestCount = 0;
  hosts[0]?.on('request', () => (requestCount += 1));
  const withdrawn = [1, 2].map(() => post(client, hosts[0], () => Promise.resolve(false)));
  assert.equal(await Promise.all(withdrawn), ['withdrawn', 'withdrawn']);
  await eventually(() => client.connections() === 0, 'the end of the connection');
  assert.is(requestCount, 0);
  assert.is(await post(client), 'responded');
  client.close();
});

test('closes an idle connection to make room for another host', async () => {
  const client = createClient({ connections: 1 });
  for (const host of [...hosts, ...hosts]) assert.is(await post(client, host), 'responded');
  assert.is(connected, 4);
  client.close();
});

test('closes a connection that sends an unrequested response', async () => {
  const sockets: Socket[] = [];
  const writeStatus = (socket: Socket | undefined, status: string) =>
    socket?.write(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`);
  const chatty = createTlsServer(localCertificate(), (socket) => {
    sockets.push(socket.on('error', () => undefined));
    socket.on('data', () => writeStatus(socket, '201 Created'));
  }).listen(0, '127.0.0.1');
  await once(chatty, 'listening');
  const client = createClient();
  const url = new URL(`https://localhost:${(chatty.address() as AddressInfo).port}/`);
  const statusOf = async (): Promise<number | undefined> => {
    const response = await client.post(url, {}, Buffer.alloc(0));
    return response.kind === 'responded' ? response.status : undefined;
  };
  assert.is(await statusOf(), 201);
  writeStatus(sockets[0], '410 Gone');
  await eventually(() => client.connections() === 0, 'the end of the connection');
  assert.equal([await statusOf(), sockets.length], [201, 2]);
  client.close();
  for (const socket of sockets) socket.destroy();
  chatty.close();
});

test.run();
