/**
 * Headers, cache lifetimes and paths for every kind of host, from one source. What hosts do, and
 * where it is documented:
 * - Cloudflare Pages (developers.cloudflare.com/pages, "Headers", "Redirects", "Serving Pages";
 * source: cloudflare/workers-sdk, packages/pages-shared/asset-server/handler.ts). All matching
 * rules apply, also to a 404; two rules' values of one header are joined by a comma; `! Name`
 * removes. At most 100 rules, 2,000 characters a line. The default is `public, max-age=0,
 * must-revalidate`. Without a 404.html every unknown path is index.html with 200, even
 * `/assets/gone.js`. `_redirects` comes before files; a rewrite to `/index.html` would loop (it
 * redirects to `/`), so rewrites lead to `/`.
 * - Netlify (docs.netlify.com/manage/routing, "Custom headers", "Redirects and rewrites"; source:
 * netlify/build, packages/headers-parser). Values are joined too; `! Name` has no colon and is
 * ignored. The same default. Files come before rewrites, and 404.html after them.
 * So no two rules set the same header for a path, nothing is removed, and files get a long lifetime
 * one by one: `/assets/*` would also give it to the 404 of a missing file.
 */
import fs from 'node:fs/promises';
import { ICON_FILES } from './icon-files.mjs';
import { hostedPaths, linkPaths } from './routes.mjs';

const YEAR_SECONDS = 31_536_000;
const CACHE_FOREVER = `public, max-age=${YEAR_SECONDS}, immutable`;
/** Browsers keep the logo for a day: otherwise each screen would fetch the logo. */
const CACHE_FOR_A_DAY = 'public, max-age=86400';
/** Chromium shows a notification only once its icons are there: it must not ask a slow network. */
const CACHE_FOR_A_WEEK = 'public, max-age=604800';

/**
 * What hosts let browsers cache without asking: a folder's existing files (their names change with
 * their content), or one file. Everything below derives from it; the hosts' default is to
 * revalidate.
 * @type {{ path: string, isFolder?: true, life: string }[]}
 */
const CACHED_PATHS = [
  { path: '/assets/', isFolder: true, life: CACHE_FOREVER },
  // Has no hash, but would otherwise be fetched and drawn again after signing in.
  { path: '/logo.svg', life: CACHE_FOR_A_DAY },
  ...ICON_FILES.flatMap(([, name, widths]) =>
    widths.map((width) => ({ path: `/${name}-${width}.png`, life: CACHE_FOR_A_WEEK })),
  ),
];
/** Always revalidated, whatever a host's default: a new version depends on these. */
const REVALIDATED_PATHS = ['/', '/index.html', '/firebase-messaging-sw.js', '/manifest.json'];
/** @param {string[]} languages the built ones, if there are several */
const listRevalidatedPaths = (languages) =>
  languages.flatMap((code) => [
    `/index.${code}.html`,
    ...(code === 'en' ? [] : [`/manifest.${code}.json`]),
  ]);

/** Cloudflare Pages silently ignores anything beyond. */
const MAX_RULES = 100;
const MAX_LINE_LENGTH = 2000;

/**
 * HTTP Strict Transport Security for a year. Other hosts of the domain are included only on
 * request: they might not have TLS.
 * @param {boolean} includeSubDomains
 */
export const createTransportHeader = (includeSubDomains) =>
  `max-age=${YEAR_SECONDS}${includeSubDomains ? '; includeSubDomains' : ''}`;

/** @typedef {[name: string, value: string]} Header */

/**
 * @param {Header[]} headers of every response
 * @param {string[]} assets names below `/assets/`, most important first. Those beyond the limit are
 * revalidated like everything without a rule; our worker keeps them anyway
 * @param {string[]} languages the built ones, if there are several
 * @throws if a host would ignore a part of it
 */
export function writeHeaders(headers, assets, languages = []) {
  const block = (/** @type {string} */ path, /** @type {Header[]} */ lines) =>
    `${path}\n${lines.map(([name, value]) => `  ${name}: ${value}\n`).join('')}`;
  const cacheHeader = (/** @type {string} */ path, /** @type {string} */ value) =>
    block(path, [['Cache-Control', value]]);
  const inFolder = (/** @type {string} */ path, /** @type {string} */ life) =>
    assets.map((name) => cacheHeader(path + name, life));
  const blocks = [
    block('/*', headers),
    ...[...REVALIDATED_PATHS, ...listRevalidatedPaths(languages)].map((path) =>
      cacheHeader(path, 'no-cache'),
    ),
    ...CACHED_PATHS.filter(({ isFolder }) => !isFolder).map(({ path, life }) =>
      cacheHeader(path, life),
    ),
    ...CACHED_PATHS.filter(({ isFolder }) => isFolder).flatMap(({ path, life }) =>
      inFolder(path, life),
    ),
  ].slice(0, MAX_RULES);
  const text = blocks.join('');
  if (text.split('\n').some((line) => line.length > MAX_LINE_LENGTH))
    throw new Error(
      `_headers has a line over ${MAX_LINE_LENGTH} characters, which Cloudflare ignores`,
    );
  return `# Made by the build (src/build/app/hosting.mjs), for Cloudflare Pages and Netlify; the companion server reads it, too.\n${text}`;
}

/** @param {string[]} paths the app's own (`hostedPaths`); all others are 404 */
export const writeRedirects = (paths) =>
  `# Made by the build (src/build/app/hosting.mjs): the app's own paths serve the page. Any other path without a file serves 404.html.\n${paths.map((path) => `${path} / 200\n`).join('')}`;

/**
 * Rules inside nginx's `server { }`. An `add_header` in a location would drop all others, so a
 * variable carries the lifetime. Missing files are never cached.
 * @param {Header[]} headers
 * @param {string[]} links first segments of paths with a one-time token
 */
export function writeNginx(headers, links) {
  const lines = headers.map(([name, value]) => `add_header ${name} "${value}" always;`);
  return `# Made by the build: include this in a server { } whose root is dist/app.
# dist/app has a .gz and a .br beside each text file. For .br, load ngx_brotli's static module and add: brotli_static on;
gzip_static on;
set $kept "no-cache";
${lines.join('\n')}
add_header Cache-Control $kept always;
location / { try_files $uri /index.html; }
# The paths below carry a one-time token. "break" stays in this location, which logs nothing.
location ~* ^/(${links.join('|')})/ { access_log off; log_not_found off; rewrite ^ /index.html break; }
location ~ \\.[^/]*$ { try_files $uri @missing; }
${CACHED_PATHS.map(({ path, isFolder, life }) => `location ${isFolder ? '^~' : '='} ${path} { set $kept "${life}"; try_files $uri @missing; }`).join('\n')}
location ~ ^/_(headers|redirects)$ { try_files /nothing @missing; }
location @missing { set $kept "no-store"; return 404; }
`;
}

/**
 * Rules inside Caddy's site block. `route` keeps the written order; the later of two equal headers
 * wins.
 * @param {Header[]} headers
 * @param {string[]} links first segments of paths with a one-time token
 */
export function writeCaddy(headers, links) {
  const lines = headers.map(([name, value]) => `\t\t${name} "${value}"`);
  return `# Made by the build: import this in a site's block after "root * …/dist/app".
route {
	header {
${lines.join('\n')}
		Cache-Control "no-cache"
	}
	# The paths below contain a one-time token, which must not be logged.
	@links path ${links.map((link) => `/${link}/*`).join(' ')}
	skip_log @links
	@private path /_headers /_redirects
	error @private 404
${CACHED_PATHS.map(({ path, isFolder, life }, index) => `\t@kept${index} {\n\t\tpath ${path}${isFolder ? '*' : ''}\n\t\tfile\n\t}\n\theader @kept${index} Cache-Control "${life}"`).join('\n')}
	@page {
		not file
		not path_regexp \\.[^/]*$
${CACHED_PATHS.filter(({ isFolder }) => isFolder)
  .map(({ path }) => `\t\tnot path ${path}*`)
  .join('\n')}
	}
	rewrite @page /index.html
	file_server {
		precompressed br gzip
	}
}
handle_errors {
	header Cache-Control "no-store"
	respond "Not found." {err.status_code}
}
`;
}

/**
 * @param {string} template lines of `Name: value`
 * @throws if a value needs escaping in some host's rules
 */
export function readTemplate(template) {
  const headers = template
    .trim()
    .split('\n')
    .map((line) => /** @type {Header} */ (line.split(/:(.*)/, 2).map((part) => part.trim())));
  const unsafeHeader = headers.find(([, value]) => /["$\\{}]/.test(value));
  if (unsafeHeader)
    throw new Error(`${unsafeHeader[0]} must not contain " $ \\ { }: hosts interpret them`);
  return headers;
}

/**
 * Writes `_headers`, `_redirects` and 404.html into the app, and rules for own servers into
 * `hosting`, which is not published.
 * @param {string} folder
 * @param {string} hosting
 * @param {string} template `static/headers`, filled in
 * @param {import('./routes.mjs').BuiltRoute[]} routes
 * @param {string[]} languages the built ones, if there are several
 */
export async function writeHosting(folder, hosting, template, routes, languages = []) {
  const headers = readTemplate(template);
  const names = (await fs.readdir(`${folder}/assets`)).filter((name) =>
    /\.(js|css|svg)$/.test(name),
  );
  const sizes = await Promise.all(
    names.map(async (name) => ({ name, size: (await fs.stat(`${folder}/assets/${name}`)).size })),
  );
  const assets = sizes
    .sort((a, b) => b.size - a.size || a.name.localeCompare(b.name))
    .map(({ name }) => name);
  await fs.mkdir(hosting, { recursive: true });
  const files = {
    [`${folder}/_headers`]: writeHeaders(headers, assets, languages),
    [`${folder}/_redirects`]: writeRedirects(hostedPaths(routes)),
    [`${hosting}/nginx.conf`]: writeNginx(headers, linkPaths(routes)),
    [`${hosting}/Caddyfile`]: writeCaddy(headers, linkPaths(routes)),
  };
  await Promise.all(Object.entries(files).map(([file, content]) => fs.writeFile(file, content)));
}
