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

const PICO_PARTS = [
  'layout/document',
  'content/link',
  'content/typography',
  'content/button',
  'content/table',
  'forms/basics',
  'forms/checkbox-radio-switch',
  'forms/input-search',
];
const PICO_FLAGS = ['classes', 'responsive-typography', 'transitions', 'important'].map(
  (flag) => `$enable-${flag}: false`,
);
/** Attributes that scripts set, or that JSX spells differently: used even if no markup has them. */
const DYNAMIC_SELECTORS = [
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
const UNUSED_SELECTORS =
  /\[type=(reset|file|range|color|date|time)\]|^label:has\(\[type|\[role=(link|button)\]|:host|aria-invalid=false|\[aria-invalid\]$|:-moz-|::-ms-|::-webkit-(file|inner|outer|input|date|color)|:indeterminate|\[multiple\]|~label|^(button|\[type=\w+\])\[aria-current\]/;
const RANGE_EXCEPTION = /,\[type=range\]/g;
/** Pico sets every shadow to none. */
const NO_SHADOW = /--pico-(button-)?box-shadow/;
/**
 * Selectors that PurgeCSS keeps needlessly for the login form: it matches words and ignores
 * `:has()`. The signs of notes and the rules for right-to-left come with the app’s sheet.
 */
const UNUSED_AT_LOGIN =
  /:has\(|\.note\)?\[data-tone|:empty:before|\[type=button\]|^svg|::placeholder|:checked[:[]|^input.*\[disabled\]|readonly|=radio|dir=rtl|^\.note a/;

/** Login forms are not printed. */
const PRINT_RULES = /@media print\{([^{}]*\{[^{}]*\})*\}/;
const EMPTY_MEDIA_RULES = /@media[^{}]*\{\}/g;

/**
 * Resolves with three minified sheets. Each has the rules of the next, in the same order, so that a
 * page may load a larger sheet after a smaller one.
 * @param {string} root the project's folder
 * @param {string} login its markup
 * @param {string[]} common components of people without rights, below `root`
 * @returns {Promise<[all: string, common: string, login: string]>}
 */
export async function buildStyles(root, login, common) {
  const css =
    (await loadPico(path.join(root, 'node_modules/@picocss/pico/scss'))) +
    (await fs.readFile(path.join(root, 'src/styles/theme.css'), 'utf8'));
  const all = (await fs.readdir(path.join(root, 'src'), { recursive: true }))
    .filter((file) => file.endsWith('.tsx'))
    .map((file) => path.join('src', file));
  const read = (/** @type {string[]} */ files) =>
    Promise.all(files.sort().map((file) => fs.readFile(path.join(root, file), 'utf8')));
  // Attributes that scripts set at the login form. The build would drop styles of unlisted
  // attributes.
  const states =
    '<html data-waiting><body><div id="app" aria-busy="true" aria-invalid="true" disabled></div></body></html>';
  return Promise.all([
    purgeIfChanged('all', css, await read(all), 'tsx'),
    purgeIfChanged('common', css, await read(common), 'tsx'),
    purgeIfChanged('login', css, [login, states], 'html').then((sheet) =>
      dropRules(UNUSED_AT_LOGIN, sheet.replace(PRINT_RULES, '')).replace(EMPTY_MEDIA_RULES, ''),
    ),
  ]);
}

/** @type {Map<string, Promise<string>>} */
const compiledStyles = new Map();
/**
 * Compiles the used parts of Pico once per process.
 * @param {string} folder
 */
function loadPico(folder) {
  const made = compiledStyles.get(folder) ?? compile(folder);
  compiledStyles.set(folder, made);
  return made;
}

/** @param {string} folder */
async function compile(folder) {
  const settings = await fs.readFile(path.join(folder, '_settings.scss'), 'utf8');
  const omittedModules = [...settings.matchAll(/^\s+"([\w-]+\/[\w-]+)": true/gm)]
    .map(([, name = '']) => name)
    .filter((name) => !PICO_PARTS.includes(name));
  const modules = `$modules: (${omittedModules.map((name) => `"${name}": false`)})`;
  const { css } = sass.compileString(`@use "pico" with (${[modules, ...PICO_FLAGS]});`, {
    loadPaths: [folder],
    logger: sass.Logger.silent,
    style: 'compressed',
  });
  return (
    css
      .replace(/^\uFEFF/, '')
      .replace(/overflow:visible;?/g, '') // the default since Internet Explorer
      // Else browsers compute a style for two pseudo-elements of every element.
      .replace(/,\*::before,\*::after(?=\{)/, '')
      .replace(/::before,::after\{[^{}]*\}/, '')
  );
}

/** @type {Map<string, { given: string, made: Promise<string> }>} */
const lastResults = new Map();
/**
 * `purge`, cached as long as a place's input stays the same.
 * @param {string} place
 * @param {string} css
 * @param {string[]} sources
 * @param {'tsx' | 'html'} extension
 */
function purgeIfChanged(place, css, sources, extension) {
  // PurgeCSS matches words, so equal words give an equal sheet.
  const words =
    extension === 'tsx' ? [...new Set(sources.join(' ').match(/[\w-]+/g))].sort() : sources;
  const cacheKey = JSON.stringify([css, words]);
  const before = lastResults.get(place);
  if (before?.given === cacheKey) return before.made;
  const result = purge(css, sources, extension);
  lastResults.set(place, { given: cacheKey, made: result });
  return result;
}

/**
 * @param {string} css
 * @param {string[]} sources
 * @param {'tsx' | 'html'} extension
 */
async function purge(css, sources, extension) {
  const [purged] = await new PurgeCSS().purge({
    content: sources.map((raw) => ({ raw, extension })),
    css: [{ raw: css }],
    variables: true,
    keyframes: true,
    dynamicAttributes: extension === 'tsx' ? DYNAMIC_SELECTORS : [],
    safelist: { standard: [':root', ':focus-visible', 'html', 'body'] },
  });
  const { code } = lightningcss.transform({
    filename: 'app.css',
    code: Buffer.from(purged?.css ?? ''),
    minify: true,
    exclude: lightningcss.Features.LightDark, // both themes are written out: nothing to emulate
    targets: lightningcss.browserslistToTargets(['chrome 108', 'firefox 115', 'safari 16.4']),
  });
  return dropRules(UNUSED_SELECTORS, code.toString()).replace(RANGE_EXCEPTION, '');
}

/**
 * Drops dead selectors, and declarations that read an unset variable. Pico's defaults take its place.
 * @param {RegExp} unused
 * @param {string} css
 */
function dropRules(unused, css) {
  const setVariables = new Set([...css.matchAll(/(--[\w-]+):/g)].map(([, name]) => name));
  return css.replace(/([^{}]+)\{([^{}]*)\}/g, (rule, selectors, body) => {
    if (selectors.startsWith('@')) return rule;
    const usedSelectors = String(selectors)
      .split(/,(?![^(]*\))/)
      .filter((selector) => !unused.test(selector.replace(/:not\([^)]*\)/g, '')));
    const lines = String(body)
      .replace(/var\((--pico-[\w-]+),((?:[^()]|\([^()]*\))*)\)/g, (whole, name, otherwise) =>
        setVariables.has(name) ? whole : otherwise,
      )
      .split(/;(?![^(]*\))/)
      .filter((line) => !NO_SHADOW.test(line))
      .filter((line) =>
        [...line.matchAll(/var\((--[\w-]+)\)/g)].every(([, name = '']) => setVariables.has(name)),
      );
    return usedSelectors.length && lines.join('')
      ? `${usedSelectors.join()}{${lines.join(';')}}`
      : '';
  });
}
