/** Everything but scripts: the page, icons, manifest and headers. */
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { Resvg } from '@resvg/resvg-js';
import { readSettings } from '../bundling/settings.mjs';
import { createTransportHeader, writeHosting } from './hosting.mjs';
import { ICON_FILES } from './icon-files.mjs';

/** Only public pages begin with these letters; the test of the route tables checks this. */
export const PUBLIC_PAGES = /^\/[nrv]/;

/**
 * Runs before anything is painted. Hides the prerendered login form from those who will see
 * something else, and preloads the signed-in part in parallel with the first script.
 * @param {boolean} arrivals whether people may return from a company's sign-in
 * @param {string[]} languages the built ones, if there are several
 */
export const createInlineScript = (arrivals, languages = []) => {
  const start = `${arrivals ? ARRIVAL_SCRIPT : ''}try{if(localStorage.jwt_token){document.head.append(document.querySelector("template").content);w()}else ${PUBLIC_PAGES}.test(location.pathname)&&w()}catch{}`;
  const language =
    languages.length > 1
      ? `if(!${createLanguageRedirect(languages)}){${start}}${CHOOSER_SCRIPT}`
      : start;
  return `${WATCHDOG_SCRIPT}${language}function w(){document.documentElement.setAttribute("data-waiting","")}`;
};

/**
 * Leads to the page of the stored language, else of the first that the browser asks for. `stop()`
 * ends this page before it shows or loads more. The other page gets the path after `#/`, which no
 * server sees, and stays, whatever its language: without a connection it may be this one again.
 * @param {string[]} languages
 */
const createLanguageRedirect = (languages) =>
  `(()=>{try{let h=location.hash,[,l="en"]=/(?:^|,)(${languages.join('|')})\\b/.exec([localStorage.language,navigator.languages])||[];if(h[1]=="/")history.replaceState(0,"",h.slice(1));else if(l!=document.documentElement.lang)return stop(),location.replace(\`/index.\${l}.html#\`+location.pathname+location.search+h),1}catch{}})()`;

/**
 * Stores the choice that `src/state/language.ts` reads at the sign-in, and starts the page again in
 * it.
 */
const CHOOSER_SCRIPT =
  'addEventListener("change",({target:t})=>{if(t.matches("#languages>*"))try{localStorage.language=t.value+" chosen";location.reload()}catch{location.replace("/index."+t.value+".html#"+location.pathname+location.search)}});';

/** Only forms for signed-out people have the chooser of languages. */
export const CHOOSER_STYLES =
  '#languages{display:none}:root:not([data-waiting]) #app:has(.door)~#languages{display:block;position:absolute;inset-block-start:.5rem;inset-inline-end:.5rem}#languages select{width:auto;height:2.75rem;margin:0;padding-block:0;padding-inline:.75rem 2rem;border:1px solid #0000;background:0 0;appearance:none;color:inherit;font:inherit}#languages:after{content:"▾";margin-inline-start:-1.5rem;pointer-events:none}';

/**
 * If the first script does not cancel it by the end of loading, or within 20 s, the app has not
 * started (`src/rescue.ts`).
 */
const WATCHDOG_SCRIPT =
  'onload=()=>import("/rescue.js").then(r=>r.rescue());setTimeout(()=>onload?.(),2e4);';

/**
 * Takes the company sign-in's result out of the address before anything else can read it
 * (`src/state/account/company-sign-in.ts`).
 */
const ARRIVAL_SCRIPT =
  'if(location.pathname=="/login"&&/^#\\w+=/.test(location.hash)){var arrival=location.hash.slice(1).split("=");history.replaceState(0,"","/login"+location.search);w()}';

/**
 * @param {string} template
 * @param {Record<string, unknown>} values
 */
const fillTemplate = (template, values) =>
  template.replace(/\{\{(\w+)\}\}/g, (_, name) => String(values[name] ?? ''));

/**
 * The inlined `styles` and `inline` script, the `login` form's markup, the first `script`, and
 * links to the `signedIn` part.
 * @typedef {Record<'styles' | 'inline' | 'login' | 'chooser' | 'script' | 'signedIn', string>} Texts
 * @typedef {Texts & { languages: string[] }} Parts `languages`: the built ones, if there are several
 */

/**
 * The markup of the login form's choice: each language by its own name, for those who cannot read
 * this one. It is in the page, so that builds with one language have none of its bytes.
 * @param {{ code: string, name: string }[]} languages
 * @param {string} current
 * @param {string} label
 */
export const createChooser = (languages, current, label) =>
  languages.length > 1
    ? `<footer id="languages"><select aria-label="${label}">${languages
        .map(
          ({ code, name }) =>
            `<option value=${code} lang=${code}${code === current ? ' selected' : ''}>${name}`,
        )
        .join('')}</select></footer>`
    : '';

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
  translate = (text) => text,
) {
  const template = await fs.readFile(`${root}/static/index.html`, 'utf8');
  const codes = parts.languages.join('|');
  const page = fillTemplate(
    translate(
      template.replace('<html lang="en"', `$&${codes && ` data-languages="${codes}"`}`),
    ).replace(/\n\s*/g, '\n'),
    parts,
  );
  await fs.writeFile(`${folder}/${name}`, page);
  return page;
}

/** @type {Map<string, Buffer>} */
const iconCache = new Map();
/**
 * Renders a drawing once per process.
 * @param {string} svg
 * @param {number} value width in pixels
 */
function drawIcon(svg, value) {
  const key = `${value} ${svg}`;
  const png =
    iconCache.get(key) ?? new Resvg(svg, { fitTo: { mode: 'width', value } }).render().asPng();
  iconCache.set(key, png);
  return png;
}

/**
 * Writes icons, the manifest, and headers with this page's hashes and hosts.
 * @param {string} root the project's folder
 * @param {string} folder
 * @param {Parts & { routes: import('./routes.mjs').BuiltRoute[] }} parts
 * @param {NodeJS.ProcessEnv} env
 */
export async function copyStatic(root, folder, { styles, inline: script, routes, languages }, env) {
  const source = (/** @type {string} */ file) => `${root}/static/${file}`;
  for (const [file, name, sizes] of ICON_FILES) {
    const svg = await fs.readFile(source(file), 'utf8');
    for (const value of sizes)
      await fs.writeFile(`${folder}/${name}-${value}.png`, drawIcon(svg, value));
  }
  for (const file of ['logo.svg', 'manifest.json', '404.html'])
    await fs.copyFile(source(file), `${folder}/${file}`);
  const hashSource = (/** @type {string} */ text) =>
    `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const googleSources = env.FIREBASE_CONFIG
    ? ' https://firebaseinstallations.googleapis.com https://fcmregistrations.googleapis.com'
    : '';
  const values = {
    transport: createTransportHeader(readSettings(env).hstsIncludesSubdomains),
    style: hashSource(styles),
    inline: hashSource(script),
    connect: (env.API_HOST ? ` ${new URL(env.API_HOST).origin}` : '') + googleSources,
  };
  await writeHosting(
    folder,
    path.join(folder, '../hosting'),
    fillTemplate(await fs.readFile(source('headers'), 'utf8'), values),
    routes,
    languages,
  );
}
