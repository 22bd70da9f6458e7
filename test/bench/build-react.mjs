/**
 * The same source on real React: `node test/bench/build-react.mjs [--prerendered] OUT`. Without the
 * flag it renders in the browser alone, as React apps usually do; with it, React's own server
 * renderer makes the login form's markup.
 *
 * No alias but for that. Signals need their Babel transform there, as without it nothing is
 * rendered again; for every component, since some read signals through functions.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import babel from '@babel/core';
import transform from '@preact/signals-react-transform';
import esbuild from 'esbuild';
import { build } from '../../build.mjs';

const prerendered = process.argv.includes('--prerendered');
const signals = {
  name: 'signals',
  setup(builder) {
    builder.onLoad({ filter: /\/src\/.*\.tsx$/ }, async ({ path: file }) => {
      const source = await fs.readFile(file, 'utf8');
      const { code } = await esbuild.transform(
        prerendered
          ? source
          : source.replace('hydrateRoot(root, <App />)', 'createRoot(root).render(<App />)'),
        { loader: 'tsx', jsx: 'preserve', target: 'esnext' },
      );
      const made = await babel.transformAsync(code, {
        filename: file,
        configFile: false,
        babelrc: false,
        parserOpts: { plugins: ['jsx'] },
        plugins: [[transform, { mode: 'all' }]],
      });
      return { loader: 'jsx', contents: made.code };
    });
  },
};

const env = { ...process.env, API_HOST: '', FIREBASE_CONFIG: '', FIREBASE_VAPID_KEY: '' };
const alias = { 'preact-render-to-string': 'react-dom/server.edge' };
await build({
  out: path.resolve(process.argv.at(-1) ?? ''),
  env,
  quiet: true,
  stack: { alias, plugins: [signals], prerendered },
});
