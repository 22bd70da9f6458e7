import assert from 'node:assert/strict';
import { createECDH, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import fs from 'node:fs/promises';
import http2 from 'node:http2';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { brotliDecompressSync } from 'node:zlib';
import { freePort } from '../../support/port.mjs';
import { ABUSE_ADMIN } from '../../abuse/process.mjs';
import { PROXIES } from '../programs.mjs';
import { HOST } from '../tls.mjs';

/** What a client claims to be. */
const FORGED_ADDRESS = '203.0.113.9';

/**
 * nginx, Caddy and haproxy by the examples of server/deploy: app, headers, calls and a push through
 * TLS and HTTP/2, over IPv4 and IPv6.
 */
export async function testProxies(setup) {
  const { folder, start, sink, certificate, cleanUp } = setup;
  const [port, unused] = [await freePort(), await freePort()];
  const server = await start({
    PORT: String(port),
    DATA_DIR: path.join(folder, 'data'),
    PUBLIC_URL: `https://${HOST}`,
    TRUSTED_PROXIES: '127.0.0.1,::1',
  });
  const names = [];
  /** @type {import('../programs.mjs').Proxy[]} */
  const started = [];
  let pushes = 0;
  for (const [name, startProxy] of Object.entries(PROXIES)) {
    const proxyFolder = path.join(folder, name);
    await fs.mkdir(proxyFolder);
    const proxy = await startProxy(proxyFolder, [port, unused], certificate);
    cleanUp(proxy.end);
    for (const address of ['127.0.0.1', '[::1]']) {
      const client = await connect(`https://${address}:${proxy.tlsPort}`, certificate.ca);
      await checkApp(client, setup);
      await checkLimits(client);
      await checkAddress(client, server, address);
      const unregisterDevice = await checkPush(client, sink.origin, `${name} ${address}`);
      pushes += 1;
      while ((await sink.countPushes()).received < pushes) await wait(20); // the sink is another process
      await unregisterDevice();
      client.close();
    }
    if (proxy.plainPort) await checkRedirect(proxy.plainPort);
    await requestSecretPaths(proxy, certificate);
    started.push(proxy);
    names.push(name);
  }
  assert.equal((await sink.countPushes()).received, pushes);
  await server.end('SIGTERM');
  // Once more without a server: errors are logged, too.
  for (const proxy of started) {
    await requestSecretPaths(proxy, certificate);
    assert.doesNotMatch(proxy.output(), new RegExp(SECRET), 'a log has a token');
  }
  const [nginx, caddy] = started;
  assert.match(nginx?.output() ?? '', /"GET \/register\/\(token\) HTTP/);
  assert.match(caddy?.output() ?? '', /"uri":"\/register\/\(hidden\)"/);
  return `${names.join(', ')}: app, headers, calls and ${pushes} pushes by HTTP/2 over TLS, IPv4 and IPv6`;
}

async function connect(url, ca) {
  const session = http2.connect(url, { ca: readFileSync(ca), servername: HOST });
  await once(session, 'connect');
  assert.equal(session.alpnProtocol, 'h2');
  assert.equal(session.socket.remoteFamily, url.includes('[') ? 'IPv6' : 'IPv4');
  session.on('error', () => undefined);
  /** @type {(method: string, place: string, what?: { headers?: Record<string, string>, body?: string }) => Promise<any>} */
  const ask = async (method, place, { headers = {}, body } = {}) => {
    const stream = session.request(
      {
        ':method': method,
        ':path': place,
        ':authority': HOST,
        'x-forwarded-for': FORGED_ADDRESS,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      { endStream: body === undefined },
    );
    // A body that is too large may be rejected before it is read.
    stream.on('error', () => undefined);
    if (body !== undefined) stream.end(body);
    const [response] = await once(stream, 'response');
    const pieces = [];
    for await (const piece of stream) pieces.push(piece);
    return { status: response[':status'], headers: response, body: Buffer.concat(pieces) };
  };
  return {
    ask,
    async call(method, place, body, token) {
      /** @type {Record<string, string>} */
      const headers = token ? { authorization: `Bearer ${token}` } : {};
      const text = body === undefined ? undefined : JSON.stringify(body);
      const response = await ask(method, `/api${place}`, { headers, body: text });
      assert.ok(response.status < 300, `${method} ${place}: ${response.status} ${response.body}`);
      return JSON.parse(response.body.toString());
    },
    close: () => session.destroy(),
  };
}

/** Page, scripts, worker, missing files, and each header once. */
async function checkApp({ ask }, { built }) {
  const app = path.join(built, 'app');
  const [pageHeaders = ''] = readFileSync(`${app}/_headers`, 'utf8').split(/^(?=\/[^*])/m);
  const expected = [...pageHeaders.matchAll(/^ {2}([^:]+): (.+)$/gm)];
  assert.ok(expected.length > 5);
  const assertHeaders = (response, where) => {
    for (const [, name = '', value] of expected)
      assert.equal(response.headers[name.toLowerCase()], value, `${name} of ${where}`);
  };
  const [asset = ''] = readdirSync(`${app}/assets`).filter((name) => name.endsWith('.js'));
  const yearCacheControl = 'public, max-age=31536000, immutable';
  /** @type {[place: string, status: number, life: string, file?: string][]} */
  const responses = [
    ['/', 200, 'no-cache', 'index.html'],
    ['/admin/users/7/subscriptions', 200, 'no-cache', 'index.html'],
    [`/assets/${asset}`, 200, yearCacheControl, `assets/${asset}`],
    ['/firebase-messaging-sw.js', 200, 'no-cache', 'firebase-messaging-sw.js'],
    ['/manifest.json', 200, 'no-cache', 'manifest.json'],
    ['/assets/gone-0a1b2c3d.js', 404, 'no-store'],
  ];
  for (const [place, status, life, file] of responses) {
    const response = await ask('GET', place, { headers: { 'accept-encoding': 'br' } });
    assert.equal(response.status, status, place);
    assert.equal(response.headers['cache-control'], life, place);
    assertHeaders(response, place);
    if (file === undefined) continue;
    assert.equal(response.headers['content-encoding'], 'br', place);
    assert.deepEqual(brotliDecompressSync(response.body), readFileSync(`${app}/${file}`), place);
    const tag = response.headers.etag;
    const revalidation = await ask('GET', place, {
      headers: { 'accept-encoding': 'br', 'if-none-match': tag },
    });
    assert.equal(revalidation.status, 304, `${place} with its ETag`);
  }
}

/** The proxy or the server rejects a body that is too large, and ends no connection. */
async function checkLimits({ ask }) {
  const large = await ask('POST', '/api/auth/login', { body: 'x'.repeat(4 * 1024 * 1024) });
  assert.equal(large.status, 413);
  assert.equal((await ask('GET', '/api/health')).status, 200);
}

/** A wrong password counts for the client's real address. */
async function checkAddress({ ask }, server, address) {
  const logLength = server.output().length;
  const rejection = await ask('POST', '/api/auth/login', {
    body: JSON.stringify({ username: 'nobody', password: 'wrong password' }),
  });
  assert.equal(rejection.status, 401);
  const line = /"event":"sign-in failed".*?"network":"([^"]+)"/;
  for (let tries = 0; !line.test(server.output().slice(logLength)); tries += 1) {
    assert.ok(tries < 200, 'the log says nothing of it');
    await wait(20); // the log is another process'
  }
  const [, network] = line.exec(server.output().slice(logLength)) ?? [];
  assert.match(network ?? '', address === '[::1]' ? /^(0:){4}:\/64$/ : /^127\.0\.0\.1$/);
}

async function checkPush({ call }, origin, name) {
  const { token } = await call('POST', '/auth/login', ABUSE_ADMIN);
  const topic = await call('POST', '/admin/topics', { title: name, description: name }, token);
  const { users } = await call('GET', '/admin/users', undefined, token);
  const [{ id: userId }] = users;
  const subscription = {
    endpoint: `${origin}/${encodeURIComponent(name)}`,
    expirationTime: null,
    keys: {
      p256dh: createECDH('prime256v1').generateKeys('base64url'),
      auth: randomBytes(16).toString('base64url'),
    },
  };
  const device = { deviceToken: JSON.stringify(subscription), deviceType: 'web', userAgent: name };
  await call('POST', '/notifications/register-device', device, token);
  await call('POST', '/admin/subscriptions', { userId, topicId: topic.id }, token);
  await call('POST', `/admin/notifications/send-topic/${topic.id}`, { message: name }, token);
  const { deviceToken } = device;
  return () => call('DELETE', '/notifications/unregister-device', { deviceToken }, token);
}

const SECRET = 'one-time-token-8c1f';

/**
 * Asks for each path with a one-time token, and for a query with a code.
 * @param {import('../programs.mjs').Proxy} proxy
 */
async function requestSecretPaths({ tlsPort, plainPort }, { ca }) {
  const places = [
    '/register/',
    '/reset-password/',
    '/verify-email/',
    '/api/auth/registration/',
    '/api/auth/verify-email/',
    '/api/auth/oidc/callback?code=',
  ];
  const client = await connect(`https://127.0.0.1:${tlsPort}`, ca);
  for (const place of places) {
    await client.ask('GET', place + SECRET, {
      headers: { referer: `https://${HOST}/register/${SECRET}` },
    });
    if (plainPort)
      await fetch(`http://127.0.0.1:${plainPort}${place}${SECRET}`, { redirect: 'manual' });
  }
  client.close();
}

async function checkRedirect(plainPort) {
  const response = await fetch(`http://127.0.0.1:${plainPort}/messages?query=a`, {
    redirect: 'manual',
  });
  assert.equal(response.status, 308);
  assert.match(response.headers.get('location') ?? '', /^https:\/\/.+\/messages\?query=a$/);
}
