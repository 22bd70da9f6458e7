/**
 * The same source on React as apps usually are: rendered in the browser alone, all rows drawn at
 * once and with each answer, a second round trip after the sign-in.
 * `node test/bench/build-react.mjs OUT`; with all that ours has it is `node build.mjs --on react`.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import { build } from '../../build.mjs';
import { getStack } from '../../src/build/bundling/stacks.mjs';

/** @type {[file: RegExp, ours: string, usual: string][]} */
const SOURCE_CHANGES = [
  [/\/src\/main\.tsx$/, 'hydrateRoot(root, <App />)', 'createRoot(root).render(<App />)'],
  [/\/src\/ui\/lists\/GradualRows\.tsx$/, 'useState(FIRST_ROWS)', 'useState(Infinity)'],
  [/\/src\/ui\/lists\/GradualRows\.tsx$/, '[draw]', '[{}]'],
  [/\/src\/state\/first-screen\.ts$/, 'pendingSignInResponse = response;', ''],
];

/** Changes that no file matched, as after a move. */
const missed = new Set(SOURCE_CHANGES.map(([file]) => file.source));

/** @type {import('esbuild').Plugin} */
const usualReactPlugin = {
  name: 'as-usual',
  setup(builder) {
    for (const filter of new Set(SOURCE_CHANGES.map(([file]) => file.source)))
      builder.onLoad({ filter: new RegExp(filter) }, async ({ path: file }) => {
        missed.delete(filter);
        let contents = await fs.readFile(file, 'utf8');
        for (const [which, ours, usual] of SOURCE_CHANGES) {
          if (!which.test(file)) continue;
          if (!contents.includes(ours)) throw new Error(`${file} has no ${ours} any more`);
          contents = contents.replace(ours, usual);
        }
        return { loader: file.endsWith('x') ? 'tsx' : 'ts', contents };
      });
  },
};

const { plugins, ...react } = getStack('react');
await build({
  out: path.resolve(process.argv.at(-1) ?? ''),
  quiet: true,
  stack: { ...react, plugins: [usualReactPlugin, ...plugins] },
  prerendered: false,
});
if (missed.size > 0) throw new Error(`No file is ${[...missed].join(', ')} any more`);
