/** Everything but scripts: the page, icons, manifest and headers. */
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { Resvg } from '@resvg/resvg-js';
import { strictTransport, writeHosting } from './hosting.mjs';

/** @type {[drawing: string, name: string, widths: number[]][]} */
const ICONS = [
  ['logo.svg', 'icon', [192, 512]],
  ['icon-maskable.svg', 'icon-maskable', [192, 512]],
  ['badge.svg', 'badge', [96]],
];

/** Only public pages start like this; the test of the route tables checks it. */
export const PUBLIC_PAGES = /^\/[nrv]/;

/**
 * Runs before anything is painted. Hides the prerendered login form from those who will see
 * something else, and preloads the signed-in part in parallel with the first script.
 * @param {boolean} arrivals whether people may return from a company's sign-in
 */
export const inline = (arrivals) =>
  `${WATCHDOG}${arrivals ? ARRIVAL : ''}try{if(localStorage.jwt_token){document.head.append(document.querySelector("template").content);w()}else ${PUBLIC_PAGES}.test(location.pathname)&&w()}catch{}function w(){document.documentElement.setAttribute("data-waiting","")}`;

/**
 * If the first script does not cancel it by the end of loading, or within 20 s, the app has not
 * started (`src/rescue.ts`).
 */
const WATCHDOG =
  'onload=()=>import("/rescue.js").then(r=>r.rescue());setTimeout(()=>onload?.(),2e4);';

/**
 * Takes the company sign-in's result out of the address before anything else can read it
 * (`src/state/account/company-sign-in.ts`).
 */
const ARRIVAL =
  'if(location.pathname=="/login"&&/^#\\w+=/.test(location.hash)){var arrival=location.hash.slice(1).split("=");history.replaceState(0,"","/login"+location.search);w()}';

/** @param {string} template @param {Record<string, string>} values */
const fill = (template, values) =>
  template.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name] ?? '');

/**
 * The inlined `styles` and `inline` script, the `login` form's markup, the first `script`, and
 * links to the `signedIn` part.
 * @typedef {Record<'styles' | 'inline' | 'login' | 'script' | 'signedIn', string>} Parts
 */

/**
 * Resolves with the page.
 * @param {string} root the project's folder
 * @param {string} folder
 * @param {Parts} parts
 * @param {string} name
 * @param {(template: string) => string} translate its own texts
 */
export async function writePage(
  root,
  folder,
  parts,
  name = 'index.html',
  translate = (one) => one,
) {
  const template = await fs.readFile(`${root}/static/index.html`, 'utf8');
  const page = fill(translate(template).replace(/\n\s*/g, '\n'), parts);
  await fs.writeFile(`${folder}/${name}`, page);
  return page;
}

/** @type {Map<string, Buffer>} */
const drawn = new Map();
/**
 * Renders a drawing once per process.
 * @param {string} svg
 * @param {number} value width in pixels
 */
function draw(svg, value) {
  const key = `${value} ${svg}`;
  const png =
    drawn.get(key) ?? new Resvg(svg, { fitTo: { mode: 'width', value } }).render().asPng();
  drawn.set(key, png);
  return png;
}

/**
 * Writes icons, the manifest, and headers with this page's hashes and hosts.
 * @param {string} root the project's folder
 * @param {string} folder
 * @param {Parts & { routes: import('./routes.mjs').BuiltRoute[] }} parts
 * @param {NodeJS.ProcessEnv} env
 */
export async function copyStatic(root, folder, { styles, inline: script, routes }, env) {
  const source = (/** @type {string} */ file) => `${root}/static/${file}`;
  for (const [file, name, sizes] of ICONS) {
    const svg = await fs.readFile(source(file), 'utf8');
    for (const value of sizes)
      await fs.writeFile(`${folder}/${name}-${value}.png`, draw(svg, value));
  }
  for (const file of ['logo.svg', 'manifest.json', '404.html'])
    await fs.copyFile(source(file), `${folder}/${file}`);
  const sha = (/** @type {string} */ text) =>
    `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const google = env.FIREBASE_CONFIG
    ? ' https://firebaseinstallations.googleapis.com https://fcmregistrations.googleapis.com'
    : '';
  const values = {
    transport: strictTransport(env.HSTS_INCLUDE_SUBDOMAINS === 'true'),
    style: sha(styles),
    inline: sha(script),
    connect: (env.API_HOST ? ` ${new URL(env.API_HOST).origin}` : '') + google,
  };
  await writeHosting(
    folder,
    path.join(folder, '../hosting'),
    fill(await fs.readFile(source('headers'), 'utf8'), values),
    routes,
  );
}
