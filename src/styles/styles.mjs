/**
 * The app's styles: the used parts of Pico under our theme. Pico comes from its Sass modules
 * without its themes, and unused rules are dropped: 10.1 kB brotli become 4.3, and 1.9 for the
 * login form.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import * as lightningcss from 'lightningcss';
import { PurgeCSS } from 'purgecss';
import * as sass from 'sass';

const PARTS = [
  'layout/document',
  'content/link',
  'content/typography',
  'content/button',
  'content/table',
  'forms/basics',
  'forms/checkbox-radio-switch',
  'forms/input-search',
];
const FLAGS = ['classes', 'responsive-typography', 'transitions', 'important'].map(
  (flag) => `$enable-${flag}: false`,
);
/** Attributes that scripts set, or that JSX spells differently: used even if no markup has them. */
const DYNAMIC = [
  'aria-busy',
  'aria-invalid',
  'aria-expanded',
  'aria-sort',
  'aria-current',
  'data-state',
  'data-tone',
  'data-waiting',
  'dir',
  'disabled',
  'hidden',
  'inputmode',
  'tabindex',
];
/** Selectors for controls and browsers that the app does not have. */
const DEAD =
  /\[type=(reset|file|range|color|date|time)\]|^label:has\(\[type|\[role=(link|button)\]|:host|aria-invalid=false|\[aria-invalid\]$|:-moz-|::-ms-|::-webkit-(file|inner|outer|input|date|color)|:indeterminate|\[multiple\]|~label|^(button|\[type=\w+\])\[aria-current\]/;
const EXCEPT_RANGES = /,\[type=range\]/g;
/** Pico sets every shadow to none. */
const NO_SHADOW = /--pico-(button-)?box-shadow/;
/**
 * Selectors that PurgeCSS keeps needlessly for the login form: it matches words and ignores
 * `:has()`. The signs of notes and the rules for right-to-left come with the app’s sheet.
 */
const NOT_AT_LOGIN =
  /:has\(|\.note\)?\[data-tone|:empty:before|\[type=button\]|^svg|::placeholder|:checked[:[]|^input.*\[disabled\]|readonly|=radio|dir=rtl|^\.note a/;

/** Login forms are not printed. */
const PRINTED = /@media print\{([^{}]*\{[^{}]*\})*\}/;
const EMPTY = /@media[^{}]*\{\}/g;

/**
 * Resolves with two minified sheets: for the whole app, and for the login form alone.
 * @param {string} root the project's folder
 * @param {string} login its markup
 * @returns {Promise<[string, string]>}
 */
export async function styles(root, login) {
  const css =
    (await pico(path.join(root, 'node_modules/@picocss/pico/scss'))) +
    (await fs.readFile(path.join(root, 'src/styles/theme.css'), 'utf8'));
  const files = (await fs.readdir(path.join(root, 'src'), { recursive: true }))
    .filter((file) => file.endsWith('.tsx'))
    .sort();
  const source = await Promise.all(
    files.map((file) => fs.readFile(path.join(root, 'src', file), 'utf8')),
  );
  // Attributes that scripts set at the login form. The build would drop styles of unlisted
  // attributes.
  const states =
    '<html data-waiting><body><div id="app" aria-busy="true" aria-invalid="true" disabled></div></body></html>';
  return Promise.all([
    remembered('app', css, source, 'tsx'),
    remembered('login', css, [login, states], 'html').then((sheet) =>
      drop(NOT_AT_LOGIN, sheet.replace(PRINTED, '')).replace(EMPTY, ''),
    ),
  ]);
}

/** @type {Map<string, Promise<string>>} */
const compiledStyles = new Map();
/**
 * Compiles the used parts of Pico once per process.
 * @param {string} folder
 */
function pico(folder) {
  const made = compiledStyles.get(folder) ?? compile(folder);
  compiledStyles.set(folder, made);
  return made;
}

/** @param {string} folder */
async function compile(folder) {
  const settings = await fs.readFile(path.join(folder, '_settings.scss'), 'utf8');
  const off = [...settings.matchAll(/^\s+"([\w-]+\/[\w-]+)": true/gm)]
    .map(([, name = '']) => name)
    .filter((name) => !PARTS.includes(name));
  const modules = `$modules: (${off.map((name) => `"${name}": false`)})`;
  return sass
    .compileString(`@use "pico" with (${[modules, ...FLAGS]});`, {
      loadPaths: [folder],
      logger: sass.Logger.silent,
      style: 'compressed',
    })
    .css.replace(/^\uFEFF/, '')
    .replace(/overflow:visible;?/g, ''); // the default since Internet Explorer
}

/** @type {Map<string, { given: string, made: Promise<string> }>} */
const last = new Map();
/**
 * `used`, cached as long as a place's input stays the same.
 * @param {string} place
 * @param {string} css
 * @param {string[]} sources
 * @param {'tsx' | 'html'} extension
 */
function remembered(place, css, sources, extension) {
  // PurgeCSS matches words, so equal words give an equal sheet.
  const words =
    extension === 'tsx' ? [...new Set(sources.join(' ').match(/[\w-]+/g))].sort() : sources;
  const cacheKey = JSON.stringify([css, words]);
  const before = last.get(place);
  if (before?.given === cacheKey) return before.made;
  const result = used(css, sources, extension);
  last.set(place, { given: cacheKey, made: result });
  return result;
}

/**
 * @param {string} css
 * @param {string[]} sources
 * @param {'tsx' | 'html'} extension
 */
async function used(css, sources, extension) {
  const [purged] = await new PurgeCSS().purge({
    content: sources.map((raw) => ({ raw, extension })),
    css: [{ raw: css }],
    variables: true,
    keyframes: true,
    dynamicAttributes: extension === 'tsx' ? DYNAMIC : [],
    safelist: { standard: [':root', ':focus-visible', 'html', 'body'] },
  });
  const { code } = lightningcss.transform({
    filename: 'app.css',
    code: Buffer.from(purged?.css ?? ''),
    minify: true,
    exclude: lightningcss.Features.LightDark, // both themes are written out: nothing to emulate
    targets: lightningcss.browserslistToTargets(['chrome 108', 'firefox 115', 'safari 16.4']),
  });
  return drop(DEAD, code.toString()).replace(EXCEPT_RANGES, '');
}

/**
 * Drops dead selectors, and declarations that read an unset variable. Pico's defaults take its place.
 * @param {RegExp} unused
 * @param {string} css
 */
function drop(unused, css) {
  const set = new Set([...css.matchAll(/(--[\w-]+):/g)].map(([, name]) => name));
  return css.replace(/([^{}]+)\{([^{}]*)\}/g, (rule, selectors, body) => {
    if (selectors.startsWith('@')) return rule;
    const usedSelectors = String(selectors)
      .split(/,(?![^(]*\))/)
      .filter((selector) => !unused.test(selector.replace(/:not\([^)]*\)/g, '')));
    const lines = String(body)
      .replace(/var\((--pico-[\w-]+),((?:[^()]|\([^()]*\))*)\)/g, (whole, name, otherwise) =>
        set.has(name) ? whole : otherwise,
      )
      .split(/;(?![^(]*\))/)
      .filter((line) => !NO_SHADOW.test(line))
      .filter((line) =>
        [...line.matchAll(/var\((--[\w-]+)\)/g)].every(([, name = '']) => set.has(name)),
      );
    return usedSelectors.length && lines.join('')
      ? `${usedSelectors.join()}{${lines.join(';')}}`
      : '';
  });
}
