/**
 * The same source on real React, rendered in the browser alone, as React apps usually are:
 * `node test/bench/build-react.mjs OUT`. With the login form in the page it is `node build.mjs --on
 * react`.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import { build } from '../../build.mjs';
import { stackOf } from '../../src/build/bundling.mjs';

/** @type {import('esbuild').Plugin} */
const renderedHere = {
  name: 'rendered-here',
  setup(builder) {
    builder.onLoad({ filter: /\/src\/main\.tsx$/ }, async ({ path: file }) => {
      const source = await fs.readFile(file, 'utf8');
      return {
        loader: 'tsx',
        contents: source.replace('hydrateRoot(root, <App />)', 'createRoot(root).render(<App />)'),
      };
    });
  },
};

const { plugins, ...react } = stackOf('react');
await build({
  out: path.resolve(process.argv.at(-1) ?? ''),
  quiet: true,
  stack: { ...react, plugins: [renderedHere, ...plugins] },
  prerendered: false,
});
