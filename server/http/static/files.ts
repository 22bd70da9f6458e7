/** Serves the built app as a CDN would: precompressed, with caching headers. */
import { createHash } from 'node:crypto';
import { readFile, readdir, stat } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { matchesEtag } from '../etag';
import { parseHeaderRules } from './header-rules';
import type { HeaderRules } from './header-rules';

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};

const encodings = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const;

const HIDDEN_PATH_PATTERN = /^\/_|\.map$|\/\./;

const HASHED = '/assets/';

interface LoadedFile {
  modified: number;
  bytes: Uint8Array<ArrayBuffer>;
  etag: string;
}

export type ServeStatic = (request: Request) => Promise<Response>;
type LoadFile = (name: string) => Promise<LoadedFile | undefined>;
type ListedNames = ReadonlySet<string>;

/** Loads only names that the folder lists, which bounds memory. A rebuild needs no restart. */
export function createStatic(folder: string): ServeStatic {
  const list = createList(folder);
  const cache = new Map<string, LoadedFile>();
  let rules: { etag: string; apply: HeaderRules; hashedRule: string | undefined } | undefined;

  async function loadFile(name: string, names: ListedNames): Promise<LoadedFile | undefined> {
    if (!names.has(name)) return undefined;
    const file = join(folder, name);
    const stats = await stat(file).catch(() => undefined);
    if (!stats?.isFile()) return undefined;
    const cachedFile = cache.get(name);
    if (cachedFile?.modified === stats.mtimeMs) return cachedFile;
    const bytes = new Uint8Array(await readFile(file));
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    const newEntry = { modified: stats.mtimeMs, bytes, etag };
    cache.set(name, newEntry);
    return newEntry;
  }

  async function headersFor(path: string, names: ListedNames): Promise<Headers> {
    const file = await loadFile('/_headers', names);
    if (file === undefined) return new Headers();
    if (rules?.etag !== file.etag) {
      const apply = parseHeaderRules(new TextDecoder().decode(file.bytes));
      rules = { etag: file.etag, apply, hashedRule: hashedCacheControl(names, apply) };
    }
    return rules.apply(path);
  }

  return async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return new Response(null, { status: 405, headers: { Allow: 'GET, HEAD' } });
    const path = new URL(request.url).pathname;
    const names = await list();
    for (const cachedName of cache.keys()) if (!names.has(cachedName)) cache.delete(cachedName);
    const find: LoadFile = (name) => loadFile(name, names);
    const file = await chooseFile(path, find);
    const headers = await headersFor(path, names);
    if (file === undefined) return notFound(headers);

    headers.set('Content-Type', types[extname(file)] ?? 'application/octet-stream');
    if (!headers.has('Cache-Control'))
      headers.set('Cache-Control', (file.startsWith(HASHED) && rules?.hashedRule) || 'no-cache');
    headers.append('Vary', 'Accept-Encoding');
    const body = await pickEncoding(
      file,
      request.headers.get('accept-encoding') ?? '',
      headers,
      find,
    );
    if (body === undefined) return notFound(headers);
    headers.set('ETag', body.etag);
    if (matchesEtag(body.etag, request.headers.get('if-none-match') ?? ''))
      return new Response(null, { status: 304, headers });
    headers.set('Content-Length', String(body.bytes.byteLength));
    return new Response(request.method === 'HEAD' ? null : body.bytes, { headers });
  };
}

const hashedCacheControl = (names: ListedNames, apply: HeaderRules): string | undefined =>
  [...names]
    .filter((name) => name.startsWith(HASHED))
    .map((name) => apply(name).get('Cache-Control') ?? undefined)
    .find((life) => life !== undefined);

/** File times have steps: a folder may change again this soon without a new time. */
const FILE_TIME_STEP_MS = 100;

/** The folder's files, as paths. Folders' times tell whether anything was added or removed. */
function createList(folder: string): () => Promise<ListedNames> {
  let names: ListedNames = new Set();
  let folders = [folder];
  let lastScan = '';
  return async () => {
    const times = await Promise.all(
      folders.map((subfolder) =>
        stat(subfolder).then(
          ({ ino, mtimeMs }) => ({ ino, mtimeMs }),
          () => undefined,
        ),
      ),
    );
    const state = JSON.stringify(times);
    if (state === lastScan) return names;
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    const entryPath = (entry: (typeof entries)[number]): string =>
      join(entry.parentPath, entry.name);
    const allFolders = [folder, ...entries.filter((entry) => entry.isDirectory()).map(entryPath)];
    names = new Set(
      entries
        .filter((entry) => entry.isFile())
        .map((entry) => `/${relative(folder, entryPath(entry)).split(sep).join('/')}`),
    );
    const settled =
      allFolders.join() === folders.join() &&
      times.every((time) => time !== undefined && time.mtimeMs < Date.now() - FILE_TIME_STEP_MS);
    folders = allFolders;
    // The times were read before the names, so a later change will show.
    lastScan = settled ? state : '';
    return names;
  };
}

/** The file, or index.html for a path without an extension, which may be a route. */
async function chooseFile(path: string, loadFile: LoadFile): Promise<string | undefined> {
  if (HIDDEN_PATH_PATTERN.test(path)) return undefined;
  if (
    !encodings.some(({ suffix }) => path.endsWith(suffix)) &&
    (await loadFile(path)) !== undefined
  )
    return path;
  return extname(path) === '' ? '/index.html' : undefined;
}

async function pickEncoding(
  file: string,
  acceptEncoding: string,
  headers: Headers,
  loadFile: LoadFile,
): Promise<LoadedFile | undefined> {
  const names = acceptEncoding
    .split(',')
    .filter((item) => !/;\s*q=0(\.0*)?\s*$/.test(item))
    .map((item) => item.split(';')[0]?.trim());
  for (const { name, suffix } of encodings) {
    const compressedFile = names.includes(name) ? await loadFile(file + suffix) : undefined;
    if (compressedFile === undefined) continue;
    headers.set('Content-Encoding', name);
    return compressedFile;
  }
  return loadFile(file);
}

function notFound(headers: Headers): Response {
  headers.set('Content-Type', 'text/plain; charset=utf-8');
  headers.set('Cache-Control', 'no-store');
  return new Response('Not found.\n', { status: 404, headers });
}
