/**
 * `npm run test:e2e`: tells the stories to real browsers.
 *
 *   node test/e2e/run.mjs [PART OF A NAME …] [--times 10]
 *
 * Prints each story with its time, and last `N passed, N failed` (with `, N skipped` where some were).
 */
import fs from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import esbuild from 'esbuild';

process.chdir(fileURLToPath(new URL('../..', import.meta.url)));
// Beneath node_modules, so that the bundle finds the packages it leaves out.
const outfile = `node_modules/.cache/fieldbell-stories-${process.pid}.mjs`;
process.on('exit', () => [outfile, `${outfile}.map`].forEach((file) => fs.rmSync(file, { force: true })));
await esbuild.build({ entryPoints: ['test/e2e/main.ts'], outfile, bundle: true, platform: 'node', target: 'node20', format: 'esm', packages: 'external', sourcemap: 'linked' });
process.setSourceMapsEnabled(true);
await import(pathToFileURL(outfile).href);
