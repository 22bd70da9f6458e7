/**
 * The same rules for every kind of host, from one source: which headers, how long things are kept,
 * which paths are the app's. What each host is known to do, and where that is written:
 *
 * - Cloudflare Pages (developers.cloudflare.com/pages, "Headers", "Redirects", "Serving Pages"; its
 *   asset server is public: cloudflare/workers-sdk, packages/pages-shared/asset-server/handler.ts).
 *   Every rule that matches is applied, to a 404 as well; values of one name from two rules are
 *   joined by a comma; `! Name` removes. At most 100 rules, 2,000 characters a line. What no rule
 *   says is `public, max-age=0, must-revalidate`. Without a 404.html every unknown path is
 *   index.html with 200, `/assets/gone.js` too. `_redirects` comes first, also before files that
 *   exist; to `/index.html` it would be a loop (that redirects to `/`), so rewrites lead to `/`.
 * - Netlify (docs.netlify.com/manage/routing, "Custom headers", "Redirects and rewrites"; its
 *   parser is public: netlify/build, packages/headers-parser). Values are joined, too; `! Name` has
 *   no colon and is passed over in silence. The same default for what no rule says. A file that
 *   exists goes before a rewrite, and 404.html answers what is neither.
 *
 * So no two rules ever name the same header for the same path, nothing is removed, and a long life
 * is given to names that exist, one by one: with `/assets/*` it would also be given to the 404 of a
 * file that is gone.
 */
import fs from 'node:fs/promises';

const YEAR = 31_536_000;
const IMMUTABLE = `public, max-age=${YEAR}, immutable`;
/**
 * Not asked for again with every screen: it would come, and be drawn, while somebody waits for that
 * screen.
 */
const DAY = 'public, max-age=86400';

/**
 * HTTP Strict Transport Security for a year. Other hosts of the domain are only included where that
 * was asked for: they might not have TLS.
 * @param {boolean} includeSubDomains
 */
export const strictTransport = (includeSubDomains) =>
  `max-age=${YEAR}${includeSubDomains ? '; includeSubDomains' : ''}`;

/** @typedef {[name: string, value: string]} Header */

/** @param {Header[]} headers of every answer @param {string[]} assets names below `/assets/` */
export function writeHeaders(headers, assets) {
  const block = (/** @type {string} */ path, /** @type {Header[]} */ lines) =>
    `${path}\n${lines.map(([name, value]) => `  ${name}: ${value}\n`).join('')}`;
  const kept = (/** @type {string[]} */ paths, /** @type {string} */ value) =>
    paths.map((path) => block(path, [['Cache-Control', value]])).join('');
  const asked = ['/', '/index.html', '/firebase-messaging-sw.js', '/manifest.json'];
  const long = assets.map((name) => `/assets/${name}`);
  return [
    '# Made by the build (src/build/hosting.mjs), for Cloudflare Pages and Netlify; the companion server reads it, too.\n',
    block('/*', headers),
    kept(asked, 'no-cache'),
    kept(['/logo.svg'], DAY),
    kept(long, IMMUTABLE),
  ].join('');
}

/** @param {string[]} paths the app's own (`hostedPaths`). Anything else is no page */
export const writeRedirects = (paths) =>
  `# Made by the build (src/build/hosting.mjs): the app's own paths are the page; everything else without a file is 404.html.\n${paths.map((path) => `${path} / 200\n`).join('')}`;

/**
 * For inside of a `server { }`. Missing files are never kept, and an `add_header` in a location
 * would drop all others, hence the variable.
 * @param {Header[]} headers
 */
export function nginx(headers) {
  const lines = headers.map(([name, value]) => `add_header ${name} "${value}" always;`);
  return `# Made by the build: include this in a server { } whose root is dist/app.
# dist/app has .gz and .br beside each text file; for the latter load ngx_brotli's static module and add: brotli_static on;
gzip_static on;
set $kept "no-cache";
${lines.join('\n')}
add_header Cache-Control $kept always;
location / { try_files $uri /index.html; }
location ~ \\.[^/]*$ { try_files $uri @missing; }
location ^~ /assets/ { set $kept "${IMMUTABLE}"; try_files $uri @missing; }
location = /logo.svg { set $kept "${DAY}"; try_files $uri @missing; }
location ~ ^/_(headers|redirects)$ { try_files /nothing @missing; }
location @missing { set $kept "no-store"; return 404; }
`;
}

/**
 * For inside of a site's block. `route` keeps the order as it is written; of two that set a header
 * the later one wins.
 * @param {Header[]} headers
 */
export function caddy(headers) {
  const lines = headers.map(([name, value]) => `\t\t${name} "${value}"`);
  return `# Made by the build: import this in a site's block after "root * …/dist/app".
route {
	header {
${lines.join('\n')}
		Cache-Control "no-cache"
	}
	@private path /_headers /_redirects
	error @private 404
	@asset {
		path /assets/*
		file
	}
	header @asset Cache-Control "${IMMUTABLE}"
	header /logo.svg Cache-Control "${DAY}"
	@page {
		not file
		not path_regexp \\.[^/]*$
		not path /assets/*
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
 * Writes `_headers`, `_redirects` and 404.html into the app, and the rules for servers of one's own
 * into `hosting`, which is not published.
 * @param {string} folder
 * @param {string} hosting
 * @param {string} template `static/headers`, filled in
 * @param {string[]} paths the app's own
 */
export async function writeHosting(folder, hosting, template, paths) {
  const headers = template
    .trim()
    .split('\n')
    .map((line) => /** @type {Header} */ (line.split(/:(.*)/, 2).map((part) => part.trim())));
  const assets = (await fs.readdir(`${folder}/assets`))
    .filter((name) => /\.(js|css)$/.test(name))
    .sort();
  await fs.mkdir(hosting, { recursive: true });
  const files = {
    [`${folder}/_headers`]: writeHeaders(headers, assets),
    [`${folder}/_redirects`]: writeRedirects(paths),
    [`${hosting}/nginx.conf`]: nginx(headers),
    [`${hosting}/Caddyfile`]: caddy(headers),
  };
  await Promise.all(Object.entries(files).map(([file, content]) => fs.writeFile(file, content)));
}
