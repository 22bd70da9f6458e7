/**
 * What every bundle of the app's source goes by, in the build and in its tests: what `react` means
 * there, and the settings.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSettings } from './settings.mjs';

/** The project's folder. */
export const root = path.resolve(fileURLToPath(new URL('../..', import.meta.url)));
/** @param {string} file */
const own = (file) => path.join(root, 'src/platform', file);

/**
 * Source says React, the build says Preact: 44 kB brotli less before the first key can be pressed.
 */
export const alias = {
  react: own('compat.ts'),
  'react/jsx-runtime': 'preact/jsx-runtime',
  'react-dom/client': own('compat.ts'),
  '@preact/signals-react': own('signals.ts'),
};

/**
 * wouter takes its hooks from a module that makes bundlers keep all of React, through a computed
 * name, and a CommonJS shim with it: 2.5 kB brotli. Ours names what it needs.
 */
export const routerDeps = /** @satisfies {import('esbuild').Plugin} */ ({
  name: 'router-deps',
  setup(build) {
    build.onResolve({ filter: /\/react-deps\.js$/ }, () => ({ path: own('router-deps.ts') }));
  },
});

/**
 * The settings that are compiled in, as esbuild's `define`.
 * @param {NodeJS.ProcessEnv} env
 * @param {Record<string, string>} more
 * @returns {Record<string, string>}
 */
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
