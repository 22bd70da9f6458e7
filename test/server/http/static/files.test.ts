import { mkdtemp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseHeaderRules } from '../../../../server/http/static/header-rules';
import { createStatic } from '../../../../server/http/static/files';
import type { TestServer } from '../../../support/server/server';
import { createServer } from '../../../support/server/server';

const test = suite('static files');
const PAGE_TEXT = '<!doctype html><title>Fieldbell</title>';
const SCRIPT_TEXT = 'console.log("hello")';
const HEADER_RULES = `
# What every answer carries
/*
  X-Content-Type-Options: nosniff
  Content-Security-Policy: default-src 'none'
/assets/main-abc123.js
  Cache-Control: public, max-age=2592000, immutable
/sw.js
  Cache-Control: no-cache
`;
let folder: string;
let server: TestServer;

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fieldbell-static-'));
  await mkdir(join(folder, 'app/assets'), { recursive: true });
  await writeFile(join(folder, 'secret.txt'), 'secret');
  const files: Record<string, string | Uint8Array> = {
    'index.html': PAGE_TEXT,
    'index.html.br': brotliCompressSync(PAGE_TEXT),
    'index.html.gz': gzipSync(PAGE_TEXT),
    'assets/main-abc123.js': SCRIPT_TEXT,
    'assets/main-abc123.js.br': brotliCompressSync(SCRIPT_TEXT),
    'sw.js': '/* worker */',
    'icon.png': new Uint8Array([137, 80, 78, 71]),
    'assets/main-abc123.js.map': '{"sources":[]}',
    'assets/lists-def456.js': SCRIPT_TEXT,
    _headers: HEADER_RULES,
    _redirects: '/login / 200',
  };
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder, 'app', name), content);
  server = await createServer({ serveStatic: createStatic(join(folder, 'app')) });
});
test.after(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  server.request(path, { method, headers });

test('serves the page compressed, revalidated and with the _headers rules', async () => {
  const response = await get('/', { 'Accept-Encoding': 'gzip, deflate, br' });
  assert.is(response.status, 200);
  assert.is(brotliDecompressSync(await response.arrayBuffer()).toString(), PAGE_TEXT);
  const expected = {
    'content-type': 'text/html; charset=utf-8',
    'content-encoding': 'br',
    'cache-control': 'no-cache',
    vary: 'Accept-Encoding',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'",
  };
  for (const [name, value] of Object.entries(expected))
    assert.is(response.headers.get(name), value, name);
  assert.is(
    (await get('/', { 'Accept-Encoding': 'gzip' })).headers.get('content-encoding'),
    'gzip',
  );
  const plain = await get('/', { 'Accept-Encoding': 'br;q=0, gzip;q=0' });
  assert.equal([plain.headers.get('content-encoding'), await plain.text()], [null, PAGE_TEXT]);
});

test('caches hashed files as the rules say, and never a page', async () => {
  const response = await get('/assets/main-abc123.js', { 'Accept-Encoding': 'gzip' });
  const life = async (path: string) => (await get(path)).headers.get('cache-control');
  assert.is(response.headers.get('cache-control'), 'public, max-age=2592000, immutable');
  assert.is(await life('/assets/lists-def456.js'), 'public, max-age=2592000, immutable');
  assert.is(await life('/assets/lists'), 'no-cache', 'the page, as of any path without a file');
  assert.is(response.headers.get('content-type'), 'text/javascript; charset=utf-8');
  assert.is(await response.text(), SCRIPT_TEXT);
});

test('returns 304 for an unchanged file', async () => {
  const etag = (await get('/sw.js')).headers.get('etag') ?? '';
  for (const knownTags of [etag, `"other", W/${etag}`, '*']) {
    const response = await get('/sw.js', { 'If-None-Match': knownTags });
    assert.equal(
      [response.status, await response.text(), response.headers.get('cache-control')],
      [304, '', 'no-cache'],
      knownTags,
    );
  }
  assert.is((await get('/sw.js', { 'If-None-Match': '"other"' })).status, 200);
});

test("serves the page for the app's routes, never for missing files or unknown calls", async () => {
  for (const path of [
    '/login',
    '/admin/users/7/subscriptions',
    '/register/abc_DEF-123',
    '/register/_begins-like-the-rules-file',
    '/notifications',
    '/notifications/x',
  ]) {
    const response = await get(path);
    assert.equal([response.status, await response.text()], [200, PAGE_TEXT], path);
    assert.is(
      response.headers.get('content-security-policy'),
      "default-src 'none'",
      `${path} must be able to run`,
    );
  }
  for (const path of ['/assets/main-old000.js', '/favicon.ico', '/x.map']) {
    const response = await get(path);
    assert.equal([response.status, response.headers.get('cache-control')], [404, 'no-store'], path);
    assert.not.match(await response.text(), /doctype/);
  }
  const call = await get('/api/unknown');
  assert.equal([call.status, await call.json()], [404, { error: 'This endpoint does not exist.' }]);
  const method = await get('/api/health', {}, 'DELETE');
  assert.equal(
    [method.status, await method.json()],
    [404, { error: 'This endpoint does not exist.' }],
  );
});

test('hides rules, maps and compressed copies', async () => {
  for (const path of [
    '/_headers',
    '/_redirects',
    '/assets/main-abc123.js.map',
    '/assets/main-abc123.js.br',
    '/index.html.gz',
  ]) {
    for (const method of ['GET', 'HEAD']) {
      const response = await get(path, { 'Accept-Encoding': 'br' }, method);
      assert.equal(
        [response.status, response.headers.get('cache-control')],
        [404, 'no-store'],
        `${method} ${path}`,
      );
    }
  }
});

test('serves each file under one name only', async () => {
  const missing = [
    '/assets//main-abc123.js',
    '//assets/main-abc123.js',
    '/assets/MAIN-abc123.js',
    '/assets/main%2Dabc123.js',
    '/assets/main-abc123.js/.',
    '/a;/assets/main-abc123.js',
    '/assets/main-abc123.js%00.js',
  ];
  for (const path of missing) assert.is((await get(path)).status, 404, path);
  for (const path of [
    '/assets//x',
    '/assets///x',
    '/index.html/',
    '/%69ndex',
    '/assets/',
    '/assets/main-abc123.js/',
  ]) {
    const response = await get(path);
    assert.not.match(await response.text(), /hello/, path);
  }
  assert.is(
    await (await get('/assets/main-abc123.js?v=2')).text(),
    SCRIPT_TEXT,
    'a query is no part of the name',
  );
});

test('serves files as they change while it runs', async () => {
  const file = join(folder, 'app/assets/late-abc123.js');
  assert.is((await get('/assets/late-abc123.js')).status, 404);
  await writeFile(`${file}.tmp`, 'one');
  await rename(`${file}.tmp`, file);
  assert.is(await (await get('/assets/late-abc123.js')).text(), 'one');
  await rm(file);
  assert.is((await get('/assets/late-abc123.js')).status, 404);
  await mkdir(join(folder, 'app/fonts'));
  await writeFile(join(folder, 'app/fonts/a.woff2'), 'font');
  assert.is(await (await get('/fonts/a.woff2')).text(), 'font');
  await writeFile(join(folder, 'app/fonts/b.woff2'), 'other');
  assert.is(await (await get('/fonts/b.woff2')).text(), 'other');
});

test('serves nothing outside the folder, and no hidden file', async () => {
  for (const path of [
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/_headers',
    '/.git/config',
    '/%00',
    '/%',
  ]) {
    const response = await get(path);
    assert.not.match(await response.text(), /secret|nosniff/, path);
  }
});

test('responds to HEAD without a body, and to other methods with 405', async () => {
  const [head, full] = [await get('/icon.png', {}, 'HEAD'), await get('/icon.png')];
  assert.equal(
    [head.status, head.headers.get('content-length'), await head.text()],
    [200, '4', ''],
  );
  assert.equal(
    [full.headers.get('content-type'), head.headers.get('etag')],
    ['image/png', full.headers.get('etag')],
  );
  const post = await get('/', {}, 'POST');
  assert.equal([post.status, post.headers.get('allow')], [405, 'GET, HEAD']);
});

test('applies rules like Cloudflare and Netlify', () => {
  const rules = parseHeaderRules('/*\n  X-A: 1\n  X-B: x:y\n/a.b\n  X-A: 2\n/c/*\n  ! X-A\n');
  assert.equal(
    [...rules('/a.b')],
    [
      ['x-a', '1, 2'],
      ['x-b', 'x:y'],
    ],
  );
  assert.equal(
    [...rules('/a-b')],
    [
      ['x-a', '1'],
      ['x-b', 'x:y'],
    ],
  );
  assert.equal(
    [...rules('/c/d')],
    [
      ['x-a', '1'],
      ['x-b', 'x:y'],
    ],
  );
});

test.run();
