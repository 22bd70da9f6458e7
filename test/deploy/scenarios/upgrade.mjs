import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ABUSE_ADMIN, getQuantile } from '../../abuse/process.mjs';
import { freePort } from '../../support/port.mjs';
import { PROXIES } from '../programs.mjs';
import { createClient } from '../tls.mjs';

/** Per proxy. */
const CLIENTS = 4;
const UPGRADE_INTERVAL_MS = 1000;
/** Proxies notice a new process within this time. */
const PROXY_CHECK_MS = 2000;

/**
 * Replaces the server's process repeatedly under load through nginx, Caddy and haproxy. Every request
 * is answered, and none is handled twice.
 */
export async function testUpgrade({ folder, start, certificate, cleanUp, seconds, built }) {
  const ports = [await freePort(), await freePort()];
  const startServer = (turn) =>
    start({
      PORT: String(ports[turn % 2]),
      DATA_DIR: path.join(folder, 'data'),
      TRUSTED_PROXIES: '127.0.0.1,::1',
      DRAIN_SECONDS: '3',
    });
  const proxies = [];
  for (const [name, startProxy] of Object.entries(PROXIES)) {
    const proxyFolder = path.join(folder, name);
    await fs.mkdir(proxyFolder);
    const proxy = await startProxy(proxyFolder, ports, certificate);
    cleanUp(proxy.end);
    proxies.push({ name, port: proxy.tlsPort });
    // Both ports are dead. Later, a proxy must still try the second one.
    const client = createClient(proxy.tlsPort, certificate.ca, 1);
    const { status } = await client.ask('GET', '/');
    assert.ok(status >= 500, `${name} answers ${status} without a server`);
    client.close();
  }
  let server = await startServer(0);
  const scriptFile = (await fs.readdir(`${built}/app/assets`)).find((name) => name.endsWith('.js'));

  let isRunning = true;
  const failures = [];
  const times = [];
  const clientLoads = proxies.map(async ({ name, port }) => {
    const client = createClient(port, certificate.ca, CLIENTS);
    cleanUp(client.close);
    const token = await retryUntilDone(async () => {
      const { body } = await client.ask('POST', '/api/auth/login', { body: ABUSE_ADMIN });
      return JSON.parse(body).token;
    });
    const headers = { Authorization: `Bearer ${token}` };
    const requests = [
      ['GET', '/api/admin/topics?limit=10'],
      ['GET', '/'],
      ['POST', '/api/admin/topics'],
      ['GET', `/assets/${scriptFile}`],
    ];
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, number) => {
        for (let turn = number; isRunning; turn += 1) {
          const [method = '', requestPath = ''] = requests[turn % requests.length] ?? [];
          const title = `${name} ${number} ${turn}`;
          // The app sends this key too. nginx repeats no POST without one.
          const [body, extraHeaders] =
            method === 'POST'
              ? [{ title, description: title }, { 'Idempotency-Key': title.replaceAll(' ', '-') }]
              : [];
          const startedAt = performance.now();
          const requestHeaders = { ...headers, ...extraHeaders };
          const outcome = await client
            .ask(method, requestPath, { headers: requestHeaders, body })
            .then(
              ({ status }) => status,
              (error) => error.code ?? error.message,
            );
          times.push(performance.now() - startedAt);
          if (outcome !== 200 && outcome !== 201)
            failures.push(`${name}: ${method} ${requestPath}: ${outcome}`);
        }
      }),
    );
  });

  const endsAt = Date.now() + seconds * 1000;
  let upgrades = 0;
  while (Date.now() < endsAt) {
    await wait(UPGRADE_INTERVAL_MS);
    const nextServer = await startServer(upgrades + 1);
    // The README says to stop the old process once the proxies have noticed the new one.
    await wait(PROXY_CHECK_MS);
    const { code } = await server.end('SIGTERM');
    assert.equal(code, 0);
    server = nextServer;
    upgrades += 1;
  }
  isRunning = false;
  await Promise.all(clientLoads);
  await server.end('SIGTERM');
  const failureCounts = new Map();
  for (const failure of failures) failureCounts.set(failure, (failureCounts.get(failure) ?? 0) + 1);
  assert.deepEqual([...failureCounts], [], `${failures.length} of ${times.length} refused`);
  assert.ok(upgrades >= Math.floor(seconds / 15), `only ${upgrades} upgrades`);
  return `${times.length} requests in ${seconds} s through ${proxies.map(({ name }) => name).join(', ')}, ${upgrades} upgrades, none refused; p99 ${getQuantile(times, 0.99).toFixed()} ms, slowest ${Math.max(...times).toFixed()} ms`;
}

/** Repeats work until it succeeds, because proxies check a server before they use it. */
async function retryUntilDone(work) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === 50) throw error;
      await wait(100);
    }
  }
}
