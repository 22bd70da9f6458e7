/**
 * Runs the built rules in nginx and Caddy, and skips a server that is not installed. NGINX_PROGRAM
 * and CADDY_PROGRAM name programs elsewhere. Builds when no folder is given.
 *
 *   node test/checks/webservers.mjs [BUILT FOLDER]
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { build } from '../../build.mjs';
import { hostedPaths, linkPaths, readRoutes } from '../../src/build/app/routes.mjs';
import { freePort } from '../support/port.mjs';

const scratch = await fs.mkdtemp(path.join(os.tmpdir(), 'fieldbell-web-'));
const built = path.resolve(process.argv[2] ?? path.join(scratch, 'dist'));
if (!process.argv[2]) await build({ out: built, quiet: true, env: {} });
const app = path.join(built, 'app');
const routes = await readRoutes(process.cwd());
const paths = hostedPaths(routes);

const servers = {
  nginx: {
    program: process.env.NGINX_PROGRAM ?? 'nginx',
    version: '-v',
    async start(port) {
      const types =
        'types { text/html html; text/javascript js; text/css css; application/json json; image/svg+xml svg; image/png png; }';
      const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((name) => `${name}_temp_path ${scratch}/${name};`)
        .join(' ');
      const config = `daemon off; master_process off; pid ${scratch}/nginx.pid; error_log stderr; events {}
http { access_log ${scratch}/nginx.log; ${places} ${types} server { listen 127.0.0.1:${port}; root ${app}; include ${built}/hosting/nginx.conf; } }`;
      await fs.writeFile(`${scratch}/nginx.conf`, config);
      return ['-p', scratch, '-e', 'stderr', '-c', `${scratch}/nginx.conf`];
    },
  },
  caddy: {
    program: process.env.CADDY_PROGRAM ?? 'caddy',
    version: 'version',
    async start(port) {
      await fs.writeFile(
        `${scratch}/Caddyfile`,
        `{\n\tadmin off\n\tauto_https off\n}\nhttp://127.0.0.1:${port} {\n\tlog {\n\t\toutput file ${scratch}/caddy.log\n\t}\n\troot * ${app}\n\timport ${built}/hosting/Caddyfile\n}\n`,
      );
      return ['run', '--config', `${scratch}/Caddyfile`, '--adapter', 'caddyfile'];
    },
  },
};

async function check(address, host) {
  const expected = (await fs.readFile(`${app}/_headers`, 'utf8'))
    .split('\n')
    .slice(2)
    .filter((line) => line.startsWith('  ') && !line.includes('Cache-Control'))
    .map((line) => line.trim());
  const checkHeaders = (response, where) => {
    for (const line of expected)
      assert.equal(
        response.headers.get(line.split(':')[0]),
        line.slice(line.indexOf(':') + 2),
        `${line.split(':')[0]} of ${where}`,
      );
  };
  const page = await fs.readFile(`${app}/index.html`, 'utf8');
  for (const where of ['/', ...paths.map((route) => route.replace('*', 'x/y'))]) {
    const response = await fetch(address + where);
    assert.equal(response.status, 200, where);
    assert.equal(await response.text(), page, where);
    assert.equal(response.headers.get('cache-control'), 'no-cache', where);
    checkHeaders(response, where);
  }
  for (const link of linkPaths(routes))
    for (const suffix of ['', '.', '.js'])
      await fetch(`${address}/${link}/one-time-secret${suffix}`);
  await fetch(`${address}/admin/logged`);
  const log = `${scratch}/${host}.log`;
  for (let tries = 0; !(await fs.readFile(log, 'utf8')).includes('/admin/logged'); tries += 1) {
    assert.ok(tries < 50, 'it logs nothing');
    await wait(100);
  }
  const logText = await fs.readFile(log, 'utf8');
  assert.ok(!logText.includes('one-time-secret'), 'a one-time token is in the log');
  const assets = (await fs.readdir(`${app}/assets`)).filter((name) => /\.(js|css)$/.test(name));
  const cacheRules = [
    ...assets.map((name) => [`/assets/${name}`, 'public, max-age=31536000, immutable']),
    ['/logo.svg', 'public, max-age=86400'],
    ['/firebase-messaging-sw.js', 'no-cache'],
    ['/manifest.json', 'no-cache'],
    ['/icon-192.png', 'public, max-age=604800'],
  ];
  for (const [where, cacheControl] of cacheRules) {
    const response = await fetch(address + where, { headers: { 'Accept-Encoding': 'gzip' } });
    assert.equal(response.status, 200, where);
    assert.equal(response.headers.get('cache-control'), cacheControl, where);
    assert.equal(
      response.headers.get('content-encoding'),
      where.endsWith('.png') ? null : 'gzip',
      where,
    );
    assert.deepEqual(
      Buffer.from(await response.arrayBuffer()),
      await fs.readFile(app + where),
      where,
    );
    checkHeaders(response, where);
  }
  for (const where of [
    '/assets/gone-0a1b2c3d.js',
    '/assets/gone',
    '/gone.css',
    '/gone.png',
    '/_headers',
    '/_redirects',
  ]) {
    const response = await fetch(address + where);
    assert.equal(response.status, 404, where);
    assert.equal(response.headers.get('cache-control'), 'no-store', where);
    checkHeaders(response, where);
  }
}

let [passed, failed, skipped] = [0, 0, 0];
for (const [name, { program, version, start }] of Object.entries(servers)) {
  if (spawnSync(program, [version]).error) {
    console.log(
      `skipped ${name}: not installed (Debian's package ${name}, or set ${name.toUpperCase()}_PROGRAM)`,
    );
    skipped += 1;
    continue;
  }
  const port = await freePort();
  const child = spawn(program, await start(port), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, HOME: scratch },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const exited = once(child, 'exit');
  try {
    const address = `http://127.0.0.1:${port}`;
    for (let tries = 0; ; tries += 1) {
      const response = await fetch(address).catch(() => undefined);
      if (response) break;
      assert.ok(child.exitCode === null && tries < 100, `it does not answer:\n${output}`);
      await wait(100);
    }
    await check(address, name);
    console.log(`ok     ${name}`);
    passed += 1;
  } catch (error) {
    console.log(`FAILED ${name}: ${error.message}\n${output.slice(-2000)}`);
    failed += 1;
  } finally {
    if (child.exitCode === null) child.kill();
    await exited;
  }
}
await fs.rm(scratch, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed ? 1 : 0;
