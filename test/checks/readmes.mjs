/** Links of READMEs must resolve, and maps must name everything in their folder. */
import fs from 'node:fs/promises';
import path from 'node:path';

export const MAPPED_FOLDERS = ['src', 'sw', 'server', 'test'];
const DOCUMENTS = [
  'README.md',
  ...MAPPED_FOLDERS.map((folder) => `${folder}/README.md`),
  ...['README', 'configure', 'integrate', 'run', 'logs', 'upgrade', 'backup', 'limits'].map(
    (name) => `server/deploy/${name}.md`,
  ),
  'test/quality.md',
  'test/specification.md',
];

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
          ? listHeadings(await fs.readFile(`${root}/${linked}`, 'utf8'))
          : [];
        if (!there.includes(heading))
          faults.push(`${document} links to ${target}: there is no such heading`);
      }
    }
  }
  return faults;
}

const withoutCode = (text) => text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');

/** Headings as GitHub turns them into links. */
export const listHeadings = (text) =>
  [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );

/**
 * What a folder's map omits, or names although it is gone. A map names each loose file and each
 * folder at any depth; the code's map covers folders of tests that mirror it.
 */
export async function mapFaults(root, folders = MAPPED_FOLDERS) {
  const faults = await Promise.all(folders.map((folder) => faultsOfMap(root, folder)));
  return faults.flat();
}

async function faultsOfMap(root, folder) {
  const readme = `${folder}/README.md`;
  const text = await fs.readFile(`${root}/${readme}`, 'utf8').catch(() => '');
  const named = readFolderMap(/^## Map\n+```\n([\s\S]*?)\n```/m.exec(text)?.[1] ?? '');
  const entries = await entriesOf(root, folder);
  const knownEntries = new Set(entries);
  const missing = [];
  for (const entry of entries) {
    const isLoose = !entry.includes('/');
    if (named.has(entry) || (!isLoose && !entry.endsWith('/'))) continue;
    if (entry === 'README.md' || (await isMirror(root, folder, entry))) continue;
    missing.push(`${readme}: the map does not name ${folder}/${entry}`);
  }
  return [
    ...missing,
    ...[...named]
      .filter((entry) => !knownEntries.has(entry))
      .map((entry) => `${readme}: the map names ${folder}/${entry}, which does not exist`),
  ];
}

const isMirror = async (root, folder, entry) =>
  folder === 'test' &&
  /^(src|sw|server)\/./.test(entry) &&
  (await fs.stat(`${root}/${entry}`).catch(() => undefined)) !== undefined;

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
 * The paths that a map names. Commas separate names, two spaces end them, and indented names lie in
 * the folder above.
 */
export function readFolderMap(map) {
  const paths = new Set();
  const above = [];
  for (const line of map.split('\n').filter((textLine) => /^\s*[\w.]/.test(textLine))) {
    const [, indent, names] = /^(\s*)(\S+(?:, \S+)*)(?: {2}|$)/.exec(line) ?? [];
    if (names === undefined) continue;
    while (above.length && above.at(-1).indent >= indent.length) above.pop();
    const base = above.map(({ name }) => name).join('');
    for (const name of names.split(', ')) paths.add(base + name);
    if (names.endsWith('/')) above.push({ indent: indent.length, name: names });
  }
  return paths;
}
