import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseHeaderRules } from '../../../../server/http/static/header-rules';
import {
  writeCaddy,
  writeNginx,
  readTemplate,
  createTransportHeader,
  writeHeaders,
  writeRedirects,
} from '../../../../src/build/app/hosting.mjs';
import { hostedPaths, linkPaths, readRoutes } from '../../../../src/build/app/routes.mjs';
import { respondAsCloudflare, staticHosts } from '../../../support/browsers/hosts';
import type { HostedSite } from '../../../support/browsers/hosts';

const test = suite('hosting');

const SECURITY = readFileSync('static/headers', 'utf8')
  .trim()
  .split('\n')
  .map((line): [string, string] => [line.split(':')[0] ?? '', line.slice(line.indexOf(':') + 2)]);
const routes = await readRoutes(process.cwd());
const paths = hostedPaths(routes);
const ASSETS = ['main-0a1b2c3d.js', 'app-0a1b2c3d.css'];
const site: HostedSite = {
  files: new Set([
    '/index.html',
    '/404.html',
    '/firebase-messaging-sw.js',
    '/manifest.json',
    '/logo.svg',
    '/icon-192.png',
    '/badge-96.png',
    ...ASSETS.map((name) => `/assets/${name}`),
  ]),
  headers: writeHeaders(SECURITY, ASSETS),
  redirects: writeRedirects(paths),
};
const FRESH = /^(no-cache|public, max-age=0, must-revalidate)$/;

for (const [name, host] of Object.entries(staticHosts)) {
  test(`${name} caches hashed files for a year, icons for a week, the logo for a day, and nothing else`, () => {
    for (const asset of ASSETS)
      assert.is(
        host(`/assets/${asset}`, site).headers.get('cache-control'),
        'public, max-age=31536000, immutable',
      );
    assert.is(host('/logo.svg', site).headers.get('cache-control'), 'public, max-age=86400');
    for (const path of ['/icon-192.png', '/badge-96.png'])
      assert.is(host(path, site).headers.get('cache-control'), 'public, max-age=604800', path);
    for (const path of ['/', '/firebase-messaging-sw.js', '/manifest.json'])
      assert.is(host(path, site).headers.get('cache-control'), 'no-cache', path);
    for (const path of ['/login', '/admin/users/7/subscriptions'])
      assert.match(host(path, site).headers.get('cache-control') ?? '', FRESH, path);
  });

  test(`${name} returns 404 without caching for a missing script`, () => {
    for (const path of [
      '/assets/gone-0a1b2c3d.js',
      '/assets/gone.css',
      '/gone.js',
      '/assets/',
      '/_headers',
      '/unknown',
    ]) {
      const { status, file, headers } = host(path, site);
      assert.equal([status, file], [404, '/404.html'], path);
      assert.not.match(headers.get('cache-control') ?? '', /immutable|max-age=[1-9]/, path);
    }
  });

  test(`${name} serves the app at each of its paths`, () => {
    for (const path of ['/', ...paths.map((route) => route.replace('*', 'x/y'))]) {
      const { status, file } = host(path, site);
      assert.equal([status, file], [200, '/index.html'], path);
    }
  });

  test(`${name} sends every security header once with every response`, () => {
    for (const path of [
      '/',
      '/login',
      `/assets/${ASSETS[0]}`,
      '/assets/gone.js',
      '/manifest.json',
    ]) {
      for (const [header, value] of SECURITY)
        assert.is(host(path, site).headers.get(header), value, `${header} of ${path}`);
    }
  });
}

test('applies the same rules in the companion server', () => {
  const rules = parseHeaderRules(site.headers);
  for (const path of site.files) {
    if (path.endsWith('.html')) continue;
    const [ours, theirs] = [rules(path), respondAsCloudflare(path, site).headers];
    if (!ours.has('cache-control')) ours.set('cache-control', 'public, max-age=0, must-revalidate');
    assert.equal([...ours], [...theirs], path);
  }
});

test('writes only rules every host understands, within their limits', () => {
  const lines = writeHeaders(
    SECURITY,
    Array.from({ length: 60 }, (_, index) => `chunk-${index}.js`),
  ).split('\n');
  assert.not.ok(
    lines.some((line) => line.trim().startsWith('!')),
    'Netlify passes it over in silence',
  );
  assert.ok(
    lines.filter((line) => line.startsWith('/')).length <= 100,
    'Cloudflare reads no more rules',
  );
  assert.ok(
    lines.every((line) => line.length <= 2000),
    'and no longer lines',
  );
  for (const line of site.redirects.split('\n'))
    assert.not.match(
      line,
      /^\/\* |index\.html 200|404$/,
      'Cloudflare takes it for a loop, or does not know the status',
    );
});

test('writes rules for the first files only, beyond Cloudflare’s limit', () => {
  const names = Array.from({ length: 300 }, (_, index) => `chunk-${index}.js`);
  const many = {
    ...site,
    files: new Set(names.map((name) => `/assets/${name}`)),
    headers: writeHeaders(SECURITY, names),
  };
  assert.is(many.headers.match(/^\//gm)?.length, 100);
  for (const host of Object.values(staticHosts)) {
    const lifeOf = (name: string | undefined) =>
      host(`/assets/${name}`, many).headers.get('cache-control');
    assert.is(lifeOf(names[0]), 'public, max-age=31536000, immutable');
    assert.is(lifeOf(names.at(-1)), 'public, max-age=0, must-revalidate');
    assert.is(host('/logo.svg', many).headers.get('cache-control'), 'public, max-age=86400');
  }
});

test('fails the build on a header longer than Cloudflare reads', () => {
  const long = (length: number): [string, string][] => [['X', 'x'.repeat(length - '  X: '.length)]];
  assert.ok(writeHeaders(long(2000), []));
  assert.throws(() => writeHeaders(long(2001), []), /over 2000 characters/);
});

test('fails the build on a header that a host would read differently', () => {
  for (const character of ['"', '$', '\\', '{', '}'])
    assert.throws(() => readTemplate(`Name: a ${character} b`), /^Name must not contain/);
  assert.equal(readTemplate('One: a: b\nTwo: c'), [
    ['One', 'a: b'],
    ['Two', 'c'],
  ]);
});

test('gives hosts exactly the paths of the route table', () => {
  assert.equal(paths, [
    '/login',
    '/register',
    '/register/*',
    '/new-phone',
    '/request-password-reset',
    '/reset-password/*',
    '/verify-email/*',
    '/admin',
    '/admin/*',
    '/send',
    '/sent',
    '/sent/*',
    '/check-ins',
    '/messages',
    '/messages/*',
    '/subscriptions',
    '/check',
    '/check-in',
    '/quiet-hours',
    '/account',
  ]);
});

test('gives your own servers the same headers and lifetimes', () => {
  for (const [write, always] of [
    [writeNginx, ' always;'],
    [writeCaddy, ''],
  ] as const) {
    const text = write(SECURITY, linkPaths(routes));
    assert.match(text, /access_log off|skip_log/);
    for (const [name, value] of SECURITY)
      assert.ok(text.includes(`${name} "${value}"${always}`), name);
    for (const life of [
      'no-cache',
      'no-store',
      'public, max-age=31536000, immutable',
      'public, max-age=86400',
    ])
      assert.ok(text.includes(`"${life}"`), life);
  }
});

test('demands TLS of sibling hosts only when configured', () => {
  assert.equal(
    [createTransportHeader(false), createTransportHeader(true)],
    ['max-age=31536000', 'max-age=31536000; includeSubDomains'],
  );
});

test.run();
