import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import esbuild from 'esbuild';
import { createConstants } from '../../src/build/bundling/bundling.mjs';
import { ensurePackages } from '../support/packages.mjs';

/**
 * Bundles a program for Node and runs it in this process, at the repository's root.
 * @param {string} entry such as `test/e2e/main.ts`
 */
export async function runBrowserTests(entry) {
  process.chdir(fileURLToPath(new URL('../..', import.meta.url)));
  ensurePackages('test');
  // Below node_modules, where the bundle finds its packages; one per run.
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
    // Stories word durations as the app does.
    define: createConstants({}, { VERSION: 'test' }),
    sourcemap: 'linked',
  });
  process.setSourceMapsEnabled(true);
  await import(pathToFileURL(outfile).href);
}
