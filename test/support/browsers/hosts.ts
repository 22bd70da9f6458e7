/**
 * Cloudflare Pages and Netlify as far as `_headers` and `_redirects` go
 * (src/build/app/hosting.mjs).
 */

export interface HostedSite {
  files: ReadonlySet<string>;
  headers: string;
  redirects: string;
}

export interface HostReply {
  status: number;
  file: string | undefined;
  headers: Headers;
}

export type HostBehavior = (path: string, site: HostedSite) => HostReply;

/** Both hosts' default. */
const DEFAULT_CACHE_CONTROL = 'public, max-age=0, must-revalidate';

interface Rule {
  path: string;
  lines: string[];
}

function readRules(text: string): Rule[] {
  const rules: Rule[] = [];
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    if (line.startsWith('/')) rules.push({ path: line, lines: [] });
    else rules.at(-1)?.lines.push(line);
  }
  return rules;
}

const escapeRegExp = (text: string): string => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
const pattern = (path: string): string => path.split('*').map(escapeRegExp).join('.*');

function rewriteOf(path: string, redirects: string): string | undefined {
  for (const line of redirects.split('\n')) {
    const [from = '', to, status] = line.trim().split(/\s+/);
    if (from.startsWith('/') && status === '200' && new RegExp(`^${pattern(from)}$`).test(path))
      return to;
  }
  return undefined;
}

function addHeader(headers: Headers, own: Set<string>, line: string): void {
  const colon = line.indexOf(':');
  if (colon < 1) return;
  const [name, value] = [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
  if (own.has(name)) headers.append(name, value);
  else headers.set(name, value);
  own.add(name);
}

/** Our values replace the host's. If we repeat a header, all its values are kept. */
function applyRules(
  path: string,
  rules: Rule[],
  flags: string,
  headers: Headers,
  remove: (line: string) => boolean,
): void {
  const own = new Set<string>();
  for (const rule of rules.filter((one) =>
    new RegExp(`^${pattern(one.path)}$`, flags).test(path),
  )) {
    for (const line of rule.lines) if (!remove(line)) addHeader(headers, own, line);
  }
}

export const respondAsCloudflare: HostBehavior = (
  requestedPath,
  { files, headers: text, redirects },
) => {
  const serve = (path: string): Omit<HostReply, 'headers'> => {
    if (path.endsWith('/') && files.has(`${path}index.html`))
      return { status: 200, file: `${path}index.html` };
    if (path.endsWith('.html') && files.has(path)) return { status: 308, file: undefined };
    if (files.has(path)) return { status: 200, file: path };
    if (files.has(`${path}.html`)) return { status: 200, file: `${path}.html` };
    if (files.has('/404.html')) return { status: 404, file: '/404.html' };
    return { status: 200, file: '/index.html' };
  };
  const served = serve(rewriteOf(requestedPath, redirects) ?? requestedPath);
  const headers = new Headers(
    served.status === 200 ? { 'Cache-Control': DEFAULT_CACHE_CONTROL } : {},
  );
  applyRules(requestedPath, readRules(text), '', headers, (line) => {
    if (!line.startsWith('!')) return false;
    headers.delete(line.slice(1).trim());
    return true;
  });
  return { ...served, headers };
};

export const respondAsNetlify: HostBehavior = (
  requestedPath,
  { files, headers: text, redirects },
) => {
  const find = (path: string): string | undefined =>
    [path, `${path.replace(/\/$/, '')}/index.html`, `${path}.html`].find((name) => files.has(name));
  const to = rewriteOf(requestedPath, redirects);
  const file = find(requestedPath) ?? (to === undefined ? undefined : find(to));
  const headers = new Headers({ 'Cache-Control': DEFAULT_CACHE_CONTROL });
  // Paths ignore case and a last slash.
  applyRules(requestedPath, readRules(text), 'i', headers, () => false);
  return file === undefined
    ? { status: 404, file: '/404.html', headers }
    : { status: 200, file, headers };
};

export const staticHosts: Record<string, HostBehavior> = {
  'Cloudflare Pages': respondAsCloudflare,
  Netlify: respondAsNetlify,
};
