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
import { hostedPaths, linkPaths } from './routes.mjs';

const YEAR = 31_536_000;
const IMMUTABLE = `public, max-age=${YEAR}, immutable`;
/**
 * Not asked for again with every screen: it would come, and be drawn, while somebody waits for that
 * screen.
 */
const DAY = 'public, max-age=86400';

/**
 * What is not asked for again each time it is wanted: a folder's files that exist (their names change
 * with their content), or one file. The one source of all that follows; where no rule is, every host
 * has its visitors ask.
 * @type {{ path: string, isFolder?: true, life: string }[]}
 */
const KEPT = [
  { path: '/assets/', isFolder: true, life: IMMUTABLE },
  // No hash in its name, but otherwise it is fetched and drawn again right after signing in.
  { path: '/logo.svg', life: DAY },
];
/** Said of what a new version must not be missed by, whatever a host takes for granted. */
const ASKED = ['/', '/index.html', '/firebase-messaging-sw.js', '/manifest.json'];

/** Of Cloudflare Pages: what is beyond these is passed over in silence. */
const MAX_RULES = 100;
const MAX_LINE = 2000;

/**
 * HTTP Strict Transport Security for a year. Other hosts of the domain are only included where that
 * was asked for: they might not have TLS.
 * @param {boolean} includeSubDomains
 */
export const strictTransport = (includeSubDomains) =>
  `max-age=${YEAR}${includeSubDomains ? '; includeSubDomains' : ''}`;

/** @typedef {[name: string, value: string]} Header */

/**
 * @param {Header[]} headers of every answer
 * @param {string[]} assets names below `/assets/`, what matters most first. Of more than there is room
 * for the rest is asked for again each time, as everything without a rule; our worker keeps it anyway
 * @throws if a host would pass over a part of it
 */
export function writeHeaders(headers, assets) {
  const block = (/** @type {string} */ path, /** @type {Header[]} */ lines) =>
    `${path}\n${lines.map(([name, value]) => `  ${name}: ${value}\n`).join('')}`;
  const kept = (/** @type {string} */ path, /** @type {string} */ value) =>
    block(path, [['Cache-Control', value]]);
  const inFolder = (/** @type {string} */ path, /** @type {string} */ life) =>
    assets.map((name) => kept(path + name, life));
  const blocks = [
    block('/*', headers),
    ...ASKED.map((path) => kept(path, 'no-cache')),
    ...KEPT.filter(({ isFolder }) => !isFolder).map(({ path, life }) => kept(path, life)),
    ...KEPT.filter(({ isFolder }) => isFolder).flatMap(({ path, life }) => inFolder(path, life)),
  ].slice(0, MAX_RULES);
  const text = blocks.join('');
  if (text.split('\n').some((line) => line.length > MAX_LINE))
    throw new Error(
      `_headers has a line over ${MAX_LINE} characters, which Cloudflare passes over`,
    );
  return `# Made by the build (src/build/app/hosting.mjs), for Cloudflare Pages and Netlify; the companion server reads it, too.\n${text}`;
}

/** @param {string[]} paths the app's own (`hostedPaths`). Anything else is no page */
export const writeRedirects = (paths) =>
  `# Made by the build (src/build/app/hosting.mjs): the app's own paths are the page; everything else without a file is 404.html.\n${paths.map((path) => `${path} / 200\n`).join('')}`;

/**
 * For inside of a `server { }`. Missing files are never kept, and an `add_header` in a location
 * would drop all others, hence the variable.
 * @param {Header[]} headers
 * @param {string[]} links how the paths begin that carry a one-time token
 */
export function nginx(headers, links) {
  const lines = headers.map(([name, value]) => `add_header ${name} "${value}" always;`);
  return `# Made by the build: include this in a server { } whose root is dist/app.
# dist/app has .gz and .br beside each text file; for the latter load ngx_brotli's static module and add: brotli_static on;
gzip_static on;
set $kept "no-cache";
${lines.join('\n')}
add_header Cache-Control $kept always;
location / { try_files $uri /index.html; }
# The paths of these carry a one-time token. "break" stays in this location, which logs nothing.
location ~* ^/(${links.join('|')})/ { access_log off; log_not_found off; rewrite ^ /index.html break; }
location ~ \\.[^/]*$ { try_files $uri @missing; }
${KEPT.map(({ path, isFolder, life }) => `location ${isFolder ? '^~' : '='} ${path} { set $kept "${life}"; try_files $uri @missing; }`).join('\n')}
location ~ ^/_(headers|redirects)$ { try_files /nothing @missing; }
location @missing { set $kept "no-store"; return 404; }
`;
}

/**
 * For inside of a site's block. `route` keeps the order as it is written; of two that set a header
 * the later one wins.
 * @param {Header[]} headers
 * @param {string[]} links how the paths begin that carry a one-time token
 */
export function caddy(headers, links) {
  const lines = headers.map(([name, value]) => `\t\t${name} "${value}"`);
  return `# Made by the build: import this in a site's block after "root * …/dist/app".
route {
	header {
${lines.join('\n')}
		Cache-Control "no-cache"
	}
	# Their paths carry a one-time token, which no log may have.
	@links path ${links.map((link) => `/${link}/*`).join(' ')}
	skip_log @links
	@private path /_headers /_redirects
	error @private 404
${KEPT.map(({ path, isFolder, life }, index) => `\t@kept${index} {\n\t\tpath ${path}${isFolder ? '*' : ''}\n\t\tfile\n\t}\n\theader @kept${index} Cache-Control "${life}"`).join('\n')}
	@page {
		not file
		not path_regexp \\.[^/]*$
${KEPT.filter(({ isFolder }) => isFolder)
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
 * @throws if a value cannot stand between quotation marks as it is, in the rules of every host
 */
export function readTemplate(template) {
  const headers = template
    .trim()
    .split('\n')
    .map((line) => /** @type {Header} */ (line.split(/:(.*)/, 2).map((part) => part.trim())));
  const odd = headers.find(([, value]) => /["$\\{}]/.test(value));
  if (odd) throw new Error(`${odd[0]} must have none of " $ \\ { }, which mean something to hosts`);
  return headers;
}

/**
 * Writes `_headers`, `_redirects` and 404.html into the app, and the rules for servers of one's own
 * into `hosting`, which is not published.
 * @param {string} folder
 * @param {string} hosting
 * @param {string} template `static/headers`, filled in
 * @param {import('./routes.mjs').BuiltRoute[]} routes
 */
export async function writeHosting(folder, hosting, template, routes) {
  const headers = readTemplate(template);
  const names = (await fs.readdir(`${folder}/assets`)).filter((name) => /\.(js|css)$/.test(name));
  const sizes = await Promise.all(
    names.map(async (name) => ({ name, size: (await fs.stat(`${folder}/assets/${name}`)).size })),
  );
  const assets = sizes
    .sort((one, other) => other.size - one.size || one.name.localeCompare(other.name))
    .map(({ name }) => name);
  await fs.mkdir(hosting, { recursive: true });
  const files = {
    [`${folder}/_headers`]: writeHeaders(headers, assets),
    [`${folder}/_redirects`]: writeRedirects(hostedPaths(routes)),
    [`${hosting}/nginx.conf`]: nginx(headers, linkPaths(routes)),
    [`${hosting}/Caddyfile`]: caddy(headers, linkPaths(routes)),
  };
  await Promise.all(Object.entries(files).map(([file, content]) => fs.writeFile(file, content)));
}
