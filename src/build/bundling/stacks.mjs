/** What `react` and signals mean in the app's source. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { root } from './bundling.mjs';
import { examples } from './examples.mjs';

/** @param {string} file */
const ownFile = (file) => path.join(root, 'src/platform/react', file);

/**
 * wouter's own module looks up a hook by a computed name, which makes bundlers keep all of React.
 * @type {import('esbuild').Plugin}
 */
const routerDeps = {
  name: 'router-deps',
  setup(build) {
    build.onResolve({ filter: /\/react-deps\.js$/ }, () => ({ path: ownFile('router-deps.ts') }));
  },
};

/**
 * @typedef {{
 * name: string,
 * alias: Record<string, string>,
 * plugins: import('esbuild').Plugin[],
 * }} Stack
 */

/** Switches what the app is built on. */
const BUILT_ON = 'preact';

/**
 * Fails a bundle that contains these packages.
 * @param {string[]} packages
 * @returns {import('esbuild').Plugin}
 */
const excludePackages = (...packages) => ({
  name: 'without',
  setup(build) {
    const filter = new RegExp(`/node_modules/(${packages.join('|')})/`);
    build.onLoad({ filter }, ({ path: file }) => ({
      errors: [
        {
          text: `${path.relative(root, file)} must not be part of the bundle. Add an alias for the package.`,
        },
      ],
    }));
  },
});
/**
 * Makes every component of a `.tsx` follow the signals it reads; every one, because some read them
 * through functions. Babel takes 0.2 s to load, so only this build loads it.
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
      const compiledFile = await babel.transformAsync(await fs.readFile(file, 'utf8'), {
        filename: file,
        configFile: false,
        babelrc: false,
        browserslistConfigFile: false, // package.json leaves that package out
        parserOpts: { plugins: ['jsx', 'typescript'] },
        plugins: [[transform, { mode: 'all' }]],
        sourceMaps: 'inline',
      });
      return { loader: 'tsx', contents: compiledFile?.code ?? '' };
    });
  },
};

const REAL_REACT = ['react', 'react-dom', 'scheduler', '@preact/signals-react'];

/**
 * We ship `preact`, which is 44 kB smaller than React. Our own parts instead of `compat`'s packages
 * save 4,600 bytes of D1: 1,200 of preact/compat, 950 of @preact/signals, 2,450 of wouter's hooks.
 * The other stacks keep the source portable.
 * @type {Record<string, Omit<Stack, 'name'>>}
 */
const STACKS = {
  preact: {
    alias: {
      react: ownFile('compat.ts'),
      'react/jsx-runtime': 'preact/jsx-runtime',
      'react-dom/client': ownFile('compat.ts'),
      '@preact/signals-react': ownFile('signals.ts'),
    },
    plugins: [examples, routerDeps, excludePackages(...REAL_REACT, 'use-sync-external-store')],
  },
  compat: {
    alias: {
      react: 'preact/compat',
      'react/jsx-runtime': 'preact/jsx-runtime',
      'react-dom/client': 'preact/compat/client',
      '@preact/signals-react': '@preact/signals',
    },
    plugins: [examples, excludePackages(...REAL_REACT)],
  },
  react: {
    alias: {
      'preact-render-to-string': 'react-dom/server.edge',
      '@testing-library/preact': '@testing-library/react',
    },
    plugins: [examples, followSignals, excludePackages('preact', '@preact/signals')],
  },
};

/**
 * @param {string | undefined} name from `--on`; otherwise what we ship
 * @returns {Stack}
 */
export function getStack(name = BUILT_ON) {
  const stack = Object.hasOwn(STACKS, name) && STACKS[name];
  if (!stack) throw new Error(`--on must be one of ${Object.keys(STACKS).join(', ')}.`);
  return { name, ...stack };
}
