/**
 * Builds the app and its worker (dist/app, for a CDN or the companion server) and the server
 * (dist/server), with the parts in src/build/ and src/styles/styles.mjs.
 *
 * node build.mjs [--watch | --if-changed] [--out DIR] [--on preact|compat|react]
 *
 * `--if-changed`, for `npm start`, builds only if something changed, and prints one line.
 *
 * The app's settings come from the environment or `.env`: API_HOST, FIREBASE_CONFIG,
 * FIREBASE_VAPID_KEY, FCM_TOKENS, OIDC_COMPANY, ADMIN_TOTP, PASSKEYS, HSTS_INCLUDE_SUBDOMAINS.
 * LANGUAGES are those besides English, such as `de,ar`: all by default, none with `--watch`.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { buildApp } from './src/build/app/app.mjs';
import { sourceOf } from './src/build/app/scripts.mjs';
import { buildAtomically } from './src/build/atomic-output.mjs';
import { computeBudgets } from './src/build/budgets.mjs';
import { root } from './src/build/bundling/bundling.mjs';
import { SettingsError } from './src/build/bundling/settings.mjs';
import { getStack } from './src/build/bundling/stacks.mjs';
import { compress } from './src/build/compress.mjs';
import { describeInputs, isBuiltFrom, noteInputs } from './src/build/inputs.mjs';
import { developmentBuild } from './src/build/development/development.mjs';
import { buildServer } from './src/build/server.mjs';
import { settleBoth } from './src/build/settle-both.mjs';
import { watchSources } from './src/build/development/watch.mjs';
import { buildWorker } from './src/build/worker.mjs';

/** @typedef {import('./src/build/budgets.mjs').Budget} Budget */

/**
 * Builds app/ and server/, and replaces `out` once they are complete and within budget. Resolves
 * with sizes and esbuild's metafiles.
 */
export const build = ({
  out = path.join(root, 'dist'),
  env = process.env,
  quiet = false,
  stack = getStack(),
  prerendered = true,
} = {}) => buildAtomically(out, (folder) => buildInto(folder, { env, quiet, stack, prerendered }));

/**
 * @param {string} out
 * @param {{
 *   env: NodeJS.ProcessEnv,
 *   quiet: boolean,
 *   stack: import('./src/build/bundling/stacks.mjs').Stack,
 *   prerendered: boolean,
 * }} how
 */
async function buildInto(out, { env, quiet, stack, prerendered }) {
  const started = performance.now();
  // Before the files are read: a change meanwhile must count as one.
  const inputs = await describeInputs(root, env);
  await fs.mkdir(`${out}/app/assets`, { recursive: true });
  const app = await buildApp(out, env, stack, { prerendered });
  const [worker, server] = await settleBoth(
    buildWorker(out, env, app),
    buildServer(out, app.version),
  );
  const built = {
    app: app.metafile,
    outputs: app.outputs,
    worker: worker.metafile,
    server: server.metafile,
    translated: app.translated,
    sets: worker.sets,
    version: app.version,
    sizes: await compress(`${out}/app`),
  };
  const kept = stack.name === 'preact' ? computeBudgets(built) : [];
  if (!quiet) report(built, kept, performance.now() - started);
  const over = kept.filter(({ bytes, limit }) => bytes > limit);
  // The stories' builds and "npm start" report only: a budget over its limit must end neither.
  if (over.length && env.BUDGETS !== 'report')
    throw new Error(
      over
        .map(
          ({ name, bytes, limit }) => `${name}: ${bytes} bytes exceed the budget of ${limit} bytes`,
        )
        .join('\n'),
    );
  if (stack.name === 'preact') await noteInputs(out, inputs);
  return built;
}

/**
 * Builds if the last build was made of something else, and prints one line about it.
 * @param {string} out
 * @param {NodeJS.ProcessEnv} env
 */
async function buildIfChanged(out, env) {
  if (await isBuiltFrom(out, await describeInputs(root, env))) return;
  const started = performance.now();
  process.stdout.write('Building Fieldbell … ');
  try {
    // A newcomer who starts Fieldbell cannot do anything about a budget.
    await build({ out, env: { ...env, BUDGETS: 'report' }, quiet: true });
  } catch (error) {
    process.stdout.write('failed\n');
    throw error;
  }
  console.log(`done in ${((performance.now() - started) / 1000).toFixed(0)} s`);
}

/**
 * @param {import('./src/build/budgets.mjs').Weighed & { version: string }} built
 * @param {Budget[]} kept
 * @param {number} milliseconds
 */
function report({ outputs, translated, sizes, version }, kept, milliseconds) {
  const sources = new Map(
    [...translated.flatMap(({ outputs: others }) => others), ...outputs].map((output) => [
      output.file,
      sourceOf(output),
    ]),
  );
  /**
   * @param {string} name
   * @param {(string | number)[]} columns
   */
  const row = (name, ...columns) =>
    console.log(name.padEnd(76), ...columns.map((column) => String(column).padStart(9)));
  row('file', 'bytes', 'brotli');
  for (const { file, bytes, brotli } of sizes)
    row(`${file} ${sources.get(file) ?? ''}`, bytes, brotli);
  if (kept.length) row('\nbudget', 'bytes', 'limit');
  for (const { name, bytes, limit } of kept) row(name, bytes, limit);
  console.log(`\nFieldbell ${version} built in ${(milliseconds / 1000).toFixed(1)} s`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(await fs.realpath(process.argv[1])).href) {
  try {
    process.loadEnvFile('.env');
  } catch {
    // no .env: only the environment counts
  }
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: path.join(root, 'dist') },
      watch: { type: 'boolean' },
      'if-changed': { type: 'boolean' },
      on: { type: 'string' },
    },
  });
  const out = path.resolve(values.out);
  const stack = getStack(values.on);
  const env = { LANGUAGES: 'all', ...process.env };
  try {
    if (values.watch) await watchSources(root, out, developmentBuild(out, process.env, stack));
    else if (values['if-changed']) await buildIfChanged(out, env);
    else await build({ out, stack, env });
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
