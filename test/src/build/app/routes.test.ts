import { readFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PUBLIC_PAGES } from '../../../../src/build/app/page.mjs';
import { readRoutes } from '../../../../src/build/app/routes.mjs';

const test = suite('routes in the build');
const root = process.cwd();
const routes = await readRoutes(root);

test('gives the page’s own script the paths of public pages', () => {
  for (const { path, access } of routes)
    assert.is(PUBLIC_PAGES.test(path), access === 'public', path);
});

test('writes a route’s path outside the tables only for links', async () => {
  const first = new Set(routes.map(({ path }) => path.split('/')[1] ?? '').filter(Boolean));
  const literal = new RegExp(`['"\`]/(${[...first].join('|')})(?=['"\`/?])[^'"\`]*['"\`]`, 'g');
  const files = (await fs.readdir('src', { recursive: true })).filter(
    (file) => /\.(tsx?|mjs)$/.test(file) && !file.startsWith('routes/'),
  );
  const written = files.flatMap((file) =>
    readFileSync(`src/${file}`, 'utf8')
      .replace(/\/\*[\s\S]*?\*\/|\/\/ .*/g, '')
      .split('\n')
      .filter((line) => literal.test(line))
      .map((line) => [file, line.trim()] as const),
  );
  // The page's own script moves a company sign-in to the login form; a push leads to its page.
  const links =
    /^screens\/(?!shell\/(Shell\.|routing))|^ui\/|^build\/app\/page\.mjs$|^shared\/check-in-page\.ts$/;
  assert.equal(
    written.filter(([file]) => !links.test(file)),
    [],
  );
});

test.run();
