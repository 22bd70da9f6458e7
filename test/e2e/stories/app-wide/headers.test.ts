/**
 * Headers of every file, from the companion server and, by the same rules, from a CDN
 * (test/quality.md, E).
 */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseHeaderRules } from '../../../../server/http/static/header-rules';
import { staticHosts } from '../../../support/browsers/hosts';
import { startInstallation } from '../../../support/processes/installation';
import { builtFolder, type BuildName } from '../../parts/builds';
import type { CleanUp, Story } from '../../parts/harness';

const EVERYWHERE: Record<string, RegExp> = {
  'strict-transport-security': /^max-age=31536000$/,
  'x-content-type-options': /^nosniff$/,
  'referrer-policy': /^no-referrer$/,
  'cross-origin-opener-policy': /^same-origin$/,
  'cross-origin-resource-policy': /^same-origin$/,
  'permissions-policy': /camera=\(\).*geolocation=\(\).*microphone=\(\)/,
};

async function checkHeaders(build: BuildName, cleanUp: CleanUp): Promise<void> {
  const folder = join(builtFolder(build), 'app');
  const { address, stop } = await startInstallation({ built: builtFolder(build) });
  cleanUp(stop);
  const files = (readdirSync(folder, { recursive: true }) as string[]).filter((file) =>
    statSync(join(folder, file)).isFile(),
  );
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const cdn = parseHeaderRules(read('_headers'));
  const paths = files.filter((file) => !/^_|\.(br|gz)$/.test(file)).map((file) => `/${file}`);
  const site = { files: new Set(paths), headers: read('_headers'), redirects: read('_redirects') };
  deepEqual(
    files.filter((file) => file.endsWith('.map')),
    [],
    'maps are not published',
  );
  ok(paths.length > 10);
  for (const path of [...paths, '/', '/admin/users']) {
    const response = await fetch(address + path);
    equal(response.status, 200, path);
    const hostedResponses = Object.values(staticHosts)
      .map((host) => host(path, site))
      .filter(({ status }) => status !== 308); // /index.html is / there
    for (const { status } of hostedResponses) equal(status, 200, path);
    for (const headers of [response.headers, ...hostedResponses.map((other) => other.headers)]) {
      for (const [name, value] of Object.entries(EVERYWHERE))
        match(headers.get(name) ?? '', value, `${name} of ${path}`);
      checkPolicy(headers.get('content-security-policy') ?? '');
      // One host reads a hundred rules only: beyond them the smallest files are revalidated.
      const hasRule = headers === response.headers || site.headers.includes(`\n${path}\n`);
      const cacheControl = path.startsWith('/assets/')
        ? hasRule
          ? 'public, max-age=31536000, immutable'
          : 'no-cache'
        : path === '/logo.svg'
          ? 'public, max-age=86400'
          : path.endsWith('.png')
            ? 'public, max-age=604800'
            : 'no-cache';
      const lasting = headers
        .get('cache-control')
        ?.replace('public, max-age=0, must-revalidate', 'no-cache');
      equal(lasting, cacheControl, path);
    }
  }
  for (const path of ['/assets/gone-0a1b2c3d.js', '/gone.js', '/gone.css', '/gone.png']) {
    const response = await fetch(address + path);
    equal(response.status, 404, path);
    ok(!(await response.text()).includes('<html'), path);
    for (const [name, host] of Object.entries(staticHosts)) {
      const { status, headers } = host(path, site);
      equal(status, 404, `${path} on ${name}`);
      ok(!/immutable|max-age=[1-9]/.test(headers.get('cache-control') ?? ''), `${path} on ${name}`);
    }
  }
  const lacking = files
    .filter((file) => /\.(html|js|css|json|svg)$/.test(file))
    .flatMap((file) => [`${file}.br`, `${file}.gz`].filter((packed) => !files.includes(packed)));
  deepEqual(lacking, []);
  for (const file of ['_headers', '_redirects'])
    equal((await fetch(`${address}/${file}`)).status, 404, file);
  checkInlined(read('index.html'), cdn('/').get('content-security-policy') ?? '');
}

function checkPolicy(policy: string): void {
  const rules = new Map(
    policy
      .split(';')
      .map((rule) => rule.trim().split(' '))
      .map(([name = '', ...values]) => [name, values]),
  );
  for (const name of ['default-src', 'frame-ancestors', 'base-uri'])
    deepEqual(rules.get(name), ["'none'"], name);
  deepEqual(rules.get('require-trusted-types-for'), ["'script'"]);
  ok(!/unsafe|\*|http:/.test(policy), policy);
}

/** Browsers ignore inlined code that is not named by its hash. */
function checkInlined(page: string, policy: string): void {
  const inlinedTexts = [...page.matchAll(/<(style|script)>(.+?)<\/\1>/gs)].map(
    ([, , text = '']) => text,
  );
  equal(inlinedTexts.length, 2);
  for (const text of inlinedTexts)
    ok(
      policy.includes(`'sha256-${createHash('sha256').update(text).digest('base64')}'`),
      text.slice(0, 80),
    );
}

export const headerStories: Story[] = [
  {
    name: 'serves every file with the headers of quality.md, from the server and a CDN',
    run: (cleanUp) => checkHeaders('web-push', cleanUp),
  },
  {
    name: 'serves every file with the headers of quality.md with Firebase, too',
    run: (cleanUp) => checkHeaders('firebase', cleanUp),
  },
];
