import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import esbuild from 'esbuild';
import { ensurePackages } from '../support/packages.mjs';

/**
 * Bundles a program of this folder for Node and runs it in this process, at the repository's root.
 * @param {string} entry such as `test/e2e/main.ts`
 */
export async function runBundled(entry) {
  process.chdir(fileURLToPath(new URL('../..', import.meta.url)));
  ensurePackages('test');
  // Beneath the tests' own node_modules, so that the bundle finds the packages it leaves out: theirs,
  // and those of the project. Of this run alone, as others may be under way.
  const outfile = `test/node_modules/.cache/fieldbell-${path.basename(entry, '.ts')}-${process.pid}.mjs`;
  process.on('exit', () =>
    [outfile, `${outfile}.map`].forEach((file) => fs.rmSync(file, { force: true })),
  );
  await esbuild.build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    sourcemap: 'linked',
  });
  process.setSourceMapsEnabled(true);
  await import(pathToFileURL(outfile).href);
}
