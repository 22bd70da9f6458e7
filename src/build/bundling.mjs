/**
 * What every bundle of the app's source goes by, in the build and in its tests: what `react` means
 * there, and the settings.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { followSignals } from './follow-signals.mjs';
import { readSettings } from './settings.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const own = (file) => path.join(root, 'src/platform', file);

/**
 * wouter takes its hooks from a module that makes bundlers keep all of React, through a computed
 * name, and a CommonJS shim with it: 2.5 kB brotli. Ours names what it needs.
 */
const routerDeps = {
  name: 'router-deps',
  setup(build) {
    build.onResolve({ filter: /\/react-deps\.js$/ }, () => ({ path: own('router-deps.ts') }));
  },
};

/** The line that switches what the app is built on. */
const BUILT_ON = 'preact';

/** Fails a bundle that these packages get into. */
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
const STACKS = {
  preact: {
    alias: {
      react: own('compat.ts'),
      'react/jsx-runtime': 'preact/jsx-runtime',
      'react-dom/client': own('compat.ts'),
      '@preact/signals-react': own('signals.ts'),
    },
    plugins: [routerDeps, without(...REAL_REACT, 'use-sync-external-store')],
  },
  compat: {
    alias: {
      react: 'preact/compat',
      'react/jsx-runtime': 'preact/jsx-runtime',
      'react-dom/client': 'preact/compat/client',
      '@preact/signals-react': '@preact/signals',
    },
    plugins: [without(...REAL_REACT)],
  },
  react: {
    alias: {
      'preact-render-to-string': 'react-dom/server.edge',
      '@testing-library/preact': '@testing-library/react',
    },
    plugins: [followSignals, without('preact', '@preact/signals')],
  },
};

/**
 * What the app is built on: what follows `--on` among the words of a command line, else what is
 * passed on.
 */
export function stackOf(words = []) {
  const name = words.includes('--on') ? words[words.indexOf('--on') + 1] : BUILT_ON;
  if (!Object.hasOwn(STACKS, name))
    throw new Error(`--on takes one of ${Object.keys(STACKS).join(', ')}.`);
  return { name, ...STACKS[name] };
}

/** The settings that are compiled in, as esbuild's `define`. */
export function constants(env = process.env, more = {}) {
  const { apiHost, firebaseConfig, firebaseVapidKey } = readSettings(env);
  const values = {
    API_HOST: apiHost,
    // Text: of an object, esbuild would make a file of its own, and every screen would ask for it.
    FIREBASE_CONFIG: firebaseConfig,
    FIREBASE_VAPID_KEY: firebaseVapidKey,
    FCM: Boolean(env.FIREBASE_CONFIG),
    VERSION: 'unbuilt',
    STYLES: '',
    ...more,
  };
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)]),
  );
}
