/**
 * `npm run bench [-- NAME] [-- --devices 10000 --rounds 3]` runs the benchmarks with NAME in their
 * file names. Their own packages (package.json here) are installed on the first run.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import esbuild from 'esbuild';
import { encryptionThread } from '../../src/build/server.mjs';
import { ensurePackages } from '../support/packages.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
// Below the bench's node_modules, where bundles find their packages.
const out = 'test/bench/node_modules/.cache';
const [name = ''] = process.argv.slice(2).filter((argument) => !/^(--|\d)/.test(argument));
const files = readdirSync(`${root}/test/bench`).filter((file) => file.endsWith('.ts'));

for (const folder of ['test', 'test/bench']) ensurePackages(folder);

await esbuild.build({
  absWorkingDir: root,
  entryPoints: files.map((file) => `test/bench/${file}`),
  outdir: out,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  packages: 'external',
  plugins: [
    {
      // Lighthouse brings an older one.
      name: 'ws-of-the-tests',
      setup: ({ onResolve }) =>
        onResolve({ filter: /^ws$/ }, () => ({
          path: pathToFileURL(`${root}/test/node_modules/ws/wrapper.mjs`).href,
          external: true,
        })),
    },
  ],
  define: await encryptionThread(root),
});
for (const file of files.filter((each) => each.endsWith('.bench.ts') && each.includes(name))) {
  const bundle = `${out}/${file.replace(/\.ts$/, '.mjs')}`;
  const { status } = spawnSync(process.execPath, [bundle, ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
