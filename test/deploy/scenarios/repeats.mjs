import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { PROXIES } from '../programs.mjs';
import { createClient } from '../tls.mjs';

/** nginx skips a failed process for a second (`fail_timeout`). */
const PASSED_OVER = 2000;

/**
 * Where a process dies with a request or answers 503, a proxy asks the other one again for reads,
 * and nginx for requests with an Idempotency-Key. Other POSTs come once.
 */
export async function testRepeats({ folder, certificate, cleanUp }) {
  /** @type {'dies' | 'says 503'} */
  let kind = 'dies';
  let came = 0;
  const ports = [];
  for (const _ of [1, 2]) {
    const server = createServer((request, response) => {
      if (request.url === '/api/health') return void response.end('{"status":"ok"}');
      came += 1;
      request.resume().once('end', () => {
        if (kind === 'dies') request.socket.destroy();
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
    const own = path.join(folder, name);
    await fs.mkdir(own);
    const proxy = await startProxy(own, ports, certificate);
    cleanUp(proxy.end);
    const client = createClient(proxy.tls, certificate.ca, 1);
    cleanUp(client.close);
    /** How often it came. */
    const count = async (headers = {}) => {
      came = 0;
      await wait(PASSED_OVER);
      // Proxies may end the connection without an answer.
      const asked = client.ask('POST', '/api/publish', { headers, body: {} });
      const status = await asked.then((response) => response.status).catch(() => 502);
      assert.ok(status >= 502, `${name}: ${status}`);
      return came;
    };
    for (kind of /** @type {const} */ (['dies', 'says 503'])) {
      assert.equal(await count(), 1, `${name}: a POST, where a process ${kind}`);
      const keyed = await count({ 'Idempotency-Key': 'one' });
      assert.equal(keyed, name === 'nginx' ? 2 : 1, `${name}: with a key, where it ${kind}`);
    }
    names.push(name);
  }
  return `${names.join(', ')}: no POST came twice without an Idempotency-Key`;
}
