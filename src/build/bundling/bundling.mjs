/**
 * What every bundle of the app's source goes by, in the build and in its tests: what `react` means
 * there, and the settings.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { examples } from './examples.mjs';
import { followSignals } from './follow-signals.mjs';
import { readSettings } from './settings.mjs';

/** The project's folder. */
export const root = path.resolve(fileURLToPath(new URL('../../..', import.meta.url)));
/** @param {string} file */
const own = (file) => path.join(root, 'src/platform/react', file);

/**
 * wouter takes its hooks from a module that makes bundlers keep all of React, through a computed
 * name, and a CommonJS shim with it: 2.5 kB brotli. Ours names what it needs.
 */
/** @type {import('esbuild').Plugin} */
const routerDeps = {
  name: 'router-deps',
  setup(build) {
    build.onResolve({ filter: /\/react-deps\.js$/ }, () => ({ path: own('router-deps.ts') }));
  },
};

/**
 * The meaning of names, and esbuild's plugins.
 * @typedef {{
 *   name: string,
 *   alias: Record<string, string>,
 *   plugins: import('esbuild').Plugin[],
 * }} Stack
 */

/** The line that switches what the app is built on. */
const BUILT_ON = 'preact';

/**
 * Fails a bundle that these packages get into.
 * @param {string[]} packages
 * @returns {import('esbuild').Plugin}
 */
const without = (...packages) => ({
  name: 'without',
  setup(build) {
    const filter = new RegExp(`/node_modules/(${packages.join('|')})/`);
    build.onLoad({ filter }, ({ path: file }) => ({
      errors: [{ text: `${path.relative(root, file)} must not get in: an alias is missing.` }],
    }));
  },
});
const REAL_REACT = ['react', 'react-dom', 'scheduler', '@preact/signals-react'];

/**
 * What source means by `react` and by signals. Source says React, and `preact` is what is passed
 * on: 44 kB brotli less before the first key can be pressed. The others hold source to what all
 * three have in common; `compat` is Preact's own stand-in for React, as packages.
 */
/** @type {Record<string, Omit<Stack, 'name'>>} */
const STACKS = {
  preact: {
    alias: {
      react: own('compat.ts'),
      'react/jsx-runtime': 'preact/jsx-runtime',
      'react-dom/client': own('compat.ts'),
      '@preact/signals-react': own('signals.ts'),
    },
    plugins: [examples, routerDeps, without(...REAL_REACT, 'use-sync-external-store')],
  },
  compat: {
    alias: {
      react: 'preact/compat',
      'react/jsx-runtime': 'preact/jsx-runtime',
      'react-dom/client': 'preact/compat/client',
      '@preact/signals-react': '@preact/signals',
    },
    plugins: [examples, without(...REAL_REACT)],
  },
  react: {
    alias: {
      'preact-render-to-string': 'react-dom/server.edge',
      '@testing-library/preact': '@testing-library/react',
    },
    plugins: [examples, followSignals, without('preact', '@preact/signals')],
  },
};

/**
 * What the app is built on.
 * @param {string | undefined} name what `--on` says, else it is what is passed on
 * @returns {Stack}
 */
export function stackOf(name = BUILT_ON) {
  const stack = Object.hasOwn(STACKS, name) && STACKS[name];
  if (!stack) throw new Error(`--on takes one of ${Object.keys(STACKS).join(', ')}.`);
  return { name, ...stack };
}

/**
 * The settings that are compiled in, as esbuild's `define`.
 * @param {NodeJS.ProcessEnv} env
 * @param {Record<string, string>} more
 * @returns {Record<string, string>}
 */
export function constants(env = process.env, more = {}) {
  const { apiHost, firebaseConfig, firebaseVapidKey, company, secondFactor } = readSettings(env);
  const values = {
    API_HOST: apiHost,
    // Text: of an object, esbuild would make a file of its own, and every screen would ask for it.
    FIREBASE_CONFIG: firebaseConfig,
    FIREBASE_VAPID_KEY: firebaseVapidKey,
    FCM: Boolean(env.FIREBASE_CONFIG),
    COMPANY: company,
    SECOND_FACTOR: secondFactor,
    VERSION: 'unbuilt',
    STYLES: '',
    ...more,
  };
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)]),
  );
}
