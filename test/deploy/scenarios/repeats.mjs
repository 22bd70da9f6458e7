import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { PROXIES } from '../programs.mjs';
import { createClient } from '../tls.mjs';

/** nginx skips a failed process for a second (`fail_timeout`). */
const FAILED_SERVER_SKIP_MS = 2000;

/**
 * Where a process dies with a request or answers 503, a proxy asks the other one again for reads,
 * and nginx for requests with an Idempotency-Key. Other POSTs come once.
 */
export async function testRepeats({ folder, certificate, cleanUp }) {
  /** @type {'dies' | 'answers 503'} */
  let failureKind = 'dies';
  let receivedRequests = 0;
  const ports = [];
  for (const _ of [1, 2]) {
    const server = createServer((request, response) => {
      if (request.url === '/api/health') return void response.end('{"status":"ok"}');
      receivedRequests += 1;
      request.resume().once('end', () => {
        if (failureKind === 'dies') request.socket.destroy();
        else response.writeHead(503).end();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanUp(() => server.close());
    ports.push(/** @type {import('node:net').AddressInfo} */ (server.address()).port);
  }
  const names = [];
  for (const [name, startProxy] of Object.entries(PROXIES)) {
    const proxyFolder = path.join(folder, name);
    await fs.mkdir(proxyFolder);
    const proxy = await startProxy(proxyFolder, ports, certificate);
    cleanUp(proxy.end);
    const client = createClient(proxy.tlsPort, certificate.ca, 1);
    cleanUp(client.close);
    /** How often it came. */
    const countRequests = async (headers = {}) => {
      receivedRequests = 0;
      await wait(FAILED_SERVER_SKIP_MS);
      // Proxies may end the connection without an answer.
      const pendingResponse = client.ask('POST', '/api/publish', { headers, body: {} });
      const status = await pendingResponse.then((response) => response.status).catch(() => 502);
      assert.ok(status >= 502, `${name}: ${status}`);
      return receivedRequests;
    };
    for (failureKind of /** @type {const} */ (['dies', 'answers 503'])) {
      assert.equal(await countRequests(), 1, `${name}: a POST, where a process ${failureKind}`);
      const requestsWithKey = await countRequests({ 'Idempotency-Key': 'one' });
      assert.equal(
        requestsWithKey,
        name === 'nginx' ? 2 : 1,
        `${name}: with a key, where it ${failureKind}`,
      );
    }
    names.push(name);
  }
  return `${names.join(', ')}: no POST came twice without an Idempotency-Key`;
}
