import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listHeadings, linkFaults, readFolderMap, mapFaults } from './readmes.mjs';

const test = suite('readmes');

const roots: string[] = [];
async function folder(files: Record<string, string>): Promise<string> {
  const root = await fs.mkdtemp(path.join(os.tmpdir(), 'fieldbell-readmes-'));
  roots.push(root);
  for (const [file, text] of Object.entries(files)) {
    await fs.mkdir(path.dirname(`${root}/${file}`), { recursive: true });
    await fs.writeFile(`${root}/${file}`, text);
  }
  return root;
}
test.after(async () => {
  for (const root of roots) await fs.rm(root, { recursive: true });
});

test('accepts links to existing files and headings, and to other sites', async () => {
  const root = await folder({
    'README.md':
      '# A & B\n[1](src/README.md) [2](src/README.md#how-to) [3](#a--b) [4](https://a.test/x)',
    'src/README.md': '## How to\n![5](../picture.png) `[6](none.md)`\n```\n[7](none.md)\n```\n',
    'picture.png': '',
  });
  assert.equal(await linkFaults(root, ['README.md', 'src/README.md']), []);
});

test('fails on a link to a missing file or heading, and on a missing README', async () => {
  const root = await folder({
    'README.md': '[1](src/none.md) [2](src/README.md#gone) [3](#nor-this) [4](src#folder)',
    'src/README.md': '```\n## Gone\n```\n',
  });
  assert.equal(await linkFaults(root, ['README.md', 'sw/README.md']), [
    'README.md links to src/none.md: there is no such file',
    'README.md links to src/README.md#gone: there is no such heading',
    'README.md links to #nor-this: there is no such heading',
    'README.md links to src#folder: there is no such heading',
    'sw/README.md does not exist',
  ]);
});

test('turns headings into links as GitHub does', () => {
  assert.equal(listHeadings('# What’s new, in `src/`?\n\n### Add a *call*'), [
    'whats-new-in-src',
    'add-a-call',
  ]);
});

test('reads several names per line of a map, and indented names as inside the folder above', () => {
  const map =
    'api/      the calls\nui/       parts\n  forms/  fields\nmain.ts, app.tsx  begin\n          more of it';
  assert.equal([...readFolderMap(map)], ['api/', 'ui/', 'ui/forms/', 'main.ts', 'app.tsx']);
});

const MAP = '# Source\n\n## Map\n\n```\nmain.ts  begins\nui/      parts\n  forms/  fields\n```\n';
const FILES = { 'src/main.ts': '', 'src/ui/a.ts': '', 'src/ui/forms/b.ts': '' };

test('accepts a map that names every folder and loose file', async () => {
  const root = await folder({ 'src/README.md': MAP, ...FILES });
  assert.equal(await mapFaults(root, ['src']), []);
});

test('fails on an unnamed folder or loose file at any depth', async () => {
  const root = await folder({
    'src/README.md': MAP,
    ...FILES,
    'src/app.ts': '',
    'src/api/c.ts': '',
    'src/ui/forms/dates/d.ts': '',
  });
  assert.equal((await mapFaults(root, ['src'])).sort(), [
    'src/README.md: the map does not name src/api/',
    'src/README.md: the map does not name src/app.ts',
    'src/README.md: the map does not name src/ui/forms/dates/',
  ]);
});

test('fails on a map that names something deleted', async () => {
  const root = await folder({ 'src/README.md': MAP, 'src/main.ts': '', 'src/ui/a.ts': '' });
  assert.equal(await mapFaults(root, ['src']), [
    'src/README.md: the map names src/ui/forms/, which does not exist',
  ]);
});

test('fails on a folder without a map', async () => {
  const root = await folder({ 'src/README.md': '# Source', 'src/main.ts': '' });
  assert.equal(await mapFaults(root, ['src']), [
    'src/README.md: the map does not name src/main.ts',
  ]);
});

test('needs no map names for test folders that mirror the code', async () => {
  const root = await folder({
    'src/ui/a.ts': '',
    'test/README.md': '## Map\n\n```\nsrc/  mirrors src/\n```\n',
    'test/src/ui/a.test.ts': '',
    'test/src/new/b.test.ts': '',
  });
  assert.equal(await mapFaults(root, ['test']), [
    'test/README.md: the map does not name test/src/new/',
  ]);
});

test.run();
