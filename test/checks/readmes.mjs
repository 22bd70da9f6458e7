/** The READMEs: their links lead somewhere, and the map of a folder names all that it holds. */
import fs from 'node:fs/promises';
import path from 'node:path';

/** Folders with a README of their own. */
export const MAPPED = ['src', 'sw', 'server', 'test'];
const DOCUMENTS = [
  'README.md',
  ...MAPPED.map((folder) => `${folder}/README.md`),
  ...['README', 'configure', 'run', 'upgrade', 'backup', 'limits'].map(
    (name) => `server/deploy/${name}.md`,
  ),
  'test/quality.md',
  'test/specification.md',
];

/** Links to files or headings that do not exist, as sentences. */
export async function linkFaults(root, documents = DOCUMENTS) {
  const faults = [];
  for (const document of documents) {
    const text = await fs.readFile(`${root}/${document}`, 'utf8').catch(() => undefined);
    if (text === undefined) {
      faults.push(`${document} does not exist`);
      continue;
    }
    for (const [, target] of withoutCode(text).matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/i.test(target)) continue;
      const [file, heading] = target.split('#');
      const linked = file ? path.posix.join(path.posix.dirname(document), file) : document;
      const status = await fs.stat(`${root}/${linked}`).catch(() => undefined);
      if (!status) {
        faults.push(`${document} links to ${target}: there is no such file`);
      } else if (heading !== undefined) {
        const there = status.isFile()
          ? headings(await fs.readFile(`${root}/${linked}`, 'utf8'))
          : [];
        if (!there.includes(heading))
          faults.push(`${document} links to ${target}: there is no such heading`);
      }
    }
  }
  return faults;
}

const withoutCode = (text) => text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');

/** The headings of a document, as GitHub makes links of them. */
export const headings = (text) =>
  [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );

/**
 * What the map of each folder leaves out, or names and is not there, as sentences. A map names each
 * file that lies directly in the folder, and each folder below it; one of the tests that mirrors
 * the code (`test/src/ui` is for `src/ui`) is named by the code's own map.
 */
export async function mapFaults(root, folders = MAPPED) {
  const faults = await Promise.all(folders.map((folder) => faultsOfMap(root, folder)));
  return faults.flat();
}

async function faultsOfMap(root, folder) {
  const readme = `${folder}/README.md`;
  const text = await fs.readFile(`${root}/${readme}`, 'utf8').catch(() => '');
  const named = mapEntries(/^## Map\n+```\n([\s\S]*?)\n```/m.exec(text)?.[1] ?? '');
  const there = await entriesOf(root, folder);
  const all = new Set(there);
  const missing = [];
  for (const entry of there) {
    const isLoose = !entry.includes('/');
    if (named.has(entry) || (!isLoose && !entry.endsWith('/'))) continue;
    if (entry === 'README.md' || (await mirrors(root, folder, entry))) continue;
    missing.push(`${readme}: the map does not name ${folder}/${entry}`);
  }
  return [
    ...missing,
    ...[...named]
      .filter((entry) => !all.has(entry))
      .map((entry) => `${readme}: the map names ${folder}/${entry}, which does not exist`),
  ];
}

const mirrors = async (root, folder, entry) =>
  folder === 'test' &&
  /^(src|sw|server)\/./.test(entry) &&
  (await fs.stat(`${root}/${entry}`).catch(() => undefined)) !== undefined;

/** Everything in a folder, folders with a slash at their end. */
async function entriesOf(root, folder) {
  const entries = await fs.readdir(`${root}/${folder}`, { recursive: true, withFileTypes: true });
  return entries
    .filter(
      (entry) => entry.name !== 'node_modules' && !`${entry.parentPath}/`.includes('node_modules/'),
    )
    .map((entry) => {
      const file = path.relative(`${root}/${folder}`, path.join(entry.parentPath, entry.name));
      return entry.isDirectory() ? `${file}/` : file;
    });
}

/**
 * The paths that a map names. A line names one thing or several, with commas between them; two
 * spaces end the names. Indented names lie in the folder above them.
 */
export function mapEntries(map) {
  const paths = new Set();
  const above = [];
  for (const line of map.split('\n').filter((one) => /^\s*[\w.]/.test(one))) {
    const [, indent, names] = /^(\s*)(\S+(?:, \S+)*)(?: {2}|$)/.exec(line) ?? [];
    if (names === undefined) continue;
    while (above.length && above.at(-1).indent >= indent.length) above.pop();
    const base = above.map(({ name }) => name).join('');
    for (const name of names.split(', ')) paths.add(base + name);
    if (names.endsWith('/')) above.push({ indent: indent.length, name: names });
  }
  return paths;
}
