/** Serves the built app as a CDN would: precompressed, revalidated or immutable, and index.html for the app's own routes. */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
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
  '.map': 'application/json; charset=utf-8',
};

const encodings = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const;

interface Loaded {
  modified: number;
  bytes: Uint8Array<ArrayBuffer>;
  etag: string;
}

export type ServeStatic = (request: Request) => Promise<Response>;

/** @param folder what the build wrote; read again whenever a file changes, so that a rebuild needs no restart */
export function createStatic(folder: string): ServeStatic {
  const loaded = new Map<string, Loaded>();
  let rules: { etag: string; apply: HeaderRules } | undefined;

  async function load(path: string): Promise<Loaded | undefined> {
    const file = join(folder, path);
    const found = await stat(file).catch(() => undefined);
    if (!found?.isFile()) return undefined;
    const kept = loaded.get(path);
    if (kept?.modified === found.mtimeMs) return kept;
    const bytes = new Uint8Array(await readFile(file));
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    const fresh = { modified: found.mtimeMs, bytes, etag };
    loaded.set(path, fresh);
    return fresh;
  }

  async function headersFor(path: string): Promise<Headers> {
    const file = await load('/_headers');
    if (file === undefined) return new Headers();
    if (rules?.etag !== file.etag) rules = { etag: file.etag, apply: parseHeaderRules(new TextDecoder().decode(file.bytes)) };
    return rules.apply(path);
  }

  return async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return new Response(null, { status: 405, headers: { Allow: 'GET, HEAD' } });
    const path = readPath(request.url);
    const file = path === undefined ? undefined : await choose(path, load);
    if (path === undefined || file === undefined) return notFound(await headersFor(path ?? '/'));

    const headers = await headersFor(path);
    headers.set('Content-Type', types[extname(file)] ?? 'application/octet-stream');
    if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-cache');
    headers.append('Vary', 'Accept-Encoding');
    const body = await pickEncoding(file, request.headers.get('accept-encoding') ?? '', headers, load);
    if (body === undefined) return notFound(headers);
    headers.set('ETag', body.etag);
    if (isKnown(request.headers.get('if-none-match'), body.etag)) return new Response(null, { status: 304, headers });
    headers.set('Content-Length', String(body.bytes.byteLength));
    return new Response(request.method === 'HEAD' ? null : body.bytes, { headers });
  };
}

type Load = (path: string) => Promise<Loaded | undefined>;

/** The path as it names a file below the folder, or undefined if it tries to name anything else. */
function readPath(url: string): string | undefined {
  let path: string;
  try {
    path = decodeURIComponent(new URL(url).pathname);
  } catch {
    return undefined;
  }
  // Only the rules file is hidden by its underscore: the token in a registration link may begin with one.
  const hidden = path === '/_headers' || path.split('/').some((part) => part.startsWith('.'));
  return hidden || /[\0\\]/.test(path) ? undefined : path;
}

/** The file itself; for a path that could be a route of the app, index.html. A missing file is never answered by it. */
async function choose(path: string, load: Load): Promise<string | undefined> {
  if (path !== '/' && (await load(path)) !== undefined) return path;
  return extname(path) === '' ? '/index.html' : undefined;
}

async function pickEncoding(file: string, accepted: string, headers: Headers, load: Load): Promise<Loaded | undefined> {
  const names = accepted.split(',').filter((item) => !/;\s*q=0(\.0*)?\s*$/.test(item)).map((item) => item.split(';')[0]?.trim());
  for (const { name, suffix } of encodings) {
    const compressed = names.includes(name) ? await load(file + suffix) : undefined;
    if (compressed === undefined) continue;
    headers.set('Content-Encoding', name);
    return compressed;
  }
  return load(file);
}

const isKnown = (sent: string | null, etag: string): boolean =>
  (sent ?? '').split(',').some((item) => item.trim().replace(/^W\//, '') === etag || item.trim() === '*');

function notFound(headers: Headers): Response {
  headers.set('Content-Type', 'text/plain; charset=utf-8');
  headers.set('Cache-Control', 'no-store');
  return new Response('Not found.\n', { status: 404, headers });
}
