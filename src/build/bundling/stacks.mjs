/** What the app is built on: what `react` and signals mean in its source. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { root } from './bundling.mjs';
import { examples } from './examples.mjs';

/** @param {string} file */
const own = (file) => path.join(root, 'src/platform/react', file);

/**
 * wouter's own module looks a hook up by a computed name, so that bundlers keep all of React.
 * @type {import('esbuild').Plugin}
 */
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
/**
 * Makes every component of a `.tsx` follow the signals that it reads: every one, since some read
 * them through functions. Babel is loaded only where this runs: 0.2 s that no other build waits
 * for.
 * @type {import('esbuild').Plugin}
 */
const followSignals = {
  name: 'follow-signals',
  async setup(build) {
    const [{ default: babel }, { default: transform }] = await Promise.all([
      import('@babel/core'),
      import('@preact/signals-react-transform'),
    ]);
    build.onLoad({ filter: /\/src\/.*\.tsx$/ }, async ({ path: file }) => {
      const made = await babel.transformAsync(await fs.readFile(file, 'utf8'), {
        filename: file,
        configFile: false,
        babelrc: false,
        browserslistConfigFile: false, // package.json leaves that package out
        parserOpts: { plugins: ['jsx', 'typescript'] },
        plugins: [[transform, { mode: 'all' }]],
        sourceMaps: 'inline',
      });
      return { loader: 'tsx', contents: made?.code ?? '' };
    });
  },
};

const REAL_REACT = ['react', 'react-dom', 'scheduler', '@preact/signals-react'];

/**
 * What source means by `react` and by signals. We ship `preact`, which is 44 kB smaller than React.
 * Our parts in place of `compat`, its packages, save 4,600 bytes of D1: 1,200 of preact/compat, 950
 * of @preact/signals, 2,450 of wouter's hooks. The others keep the source portable.
 * @type {Record<string, Omit<Stack, 'name'>>}
 */
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
