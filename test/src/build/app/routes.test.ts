import { readFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { filesOf, publicStart, readRoutes } from '../../../../src/build/app/routes.mjs';

const test = suite('routes in the build');
const root = process.cwd();
const routes = await readRoutes(root);
const route = (path: string, access: string) => ({
  path,
  access,
  list: undefined,
  prerendered: path === '/login',
  file: '',
});

test('each route of the table names the file of its screen', () => {
  assert.ok(routes.length > 10);
  for (const { path, file } of routes)
    assert.match(readFileSync(file, 'utf8'), /^export function \w+/m, path);
  assert.equal(
    filesOf(routes, ({ access }: { access: string }) => access === 'user'),
    ['src/screens/notifications/Settings.tsx'],
  );
});

test('the page’s own script knows public pages by the shortest beginnings that no other route has', () => {
  const start = new RegExp(publicStart(routes).replaceAll('\\/', '/'));
  for (const { path, access } of routes)
    assert.is(start.test(path), access === 'public' && path !== '/login', path);
  assert.is(
    publicStart([route('/login', 'public'), route('/reset', 'public'), route('/roles', 'admin')]),
    '^\\/(re)',
  );
  assert.throws(
    () => publicStart([route('/re', 'public'), route('/reset', 'admin')]),
    /another route begins with \/re/,
  );
});

test('outside the table a route’s path is only written where something links to it', async () => {
  const first = new Set(routes.map(({ path }) => path.split('/')[1] ?? '').filter(Boolean));
  const literal = new RegExp(`['"\`]/(${[...first].join('|')})(?=['"\`/?])[^'"\`]*['"\`]`, 'g');
  const files = (await fs.readdir('src', { recursive: true })).filter(
    (file) => /\.(tsx?|mjs)$/.test(file) && file !== 'routes.ts',
  );
  const written = files.flatMap((file) =>
    readFileSync(`src/${file}`, 'utf8')
      .replace(/\/\*[\s\S]*?\*\/|\/\/ .*/g, '')
      .split('\n')
      .filter((line) => literal.test(line))
      .map((line) => [file, line.trim()] as const),
  );
  // The page's own script takes what a sign-in by the company brought to the login form.
  const links = /^screens\/(?!shell\/(Shell|routing))|^ui\/|^build\/app\/page\.mjs$/;
  assert.equal(
    written.filter(([file]) => !links.test(file)),
    [],
  );
});

test.run();
