/**
 * `npm test`: every `*.test.ts(x)` outside test/e2e, bundled by esbuild with the app's own alias table (so that there is
 * one copy of Preact) and run by uvu.
 *
 *   node test/run.mjs [PART OF A PATH …]
 *
 * Tests of the app have a document around them, all others do not: two bundles. They run in five processes side by side,
 * of about the same length. The last line is `N passed, N failed`, with `, N skipped` where some are.
 */
import { fork } from 'node:child_process';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import esbuild from 'esbuild';
import { alias, constants, routerDeps } from '../src/build/bundling.mjs';
import { encryptionThread } from '../src/build/thread.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
/** A process that cannot even end itself (see run-files.mjs) is ended after so long without beginning another file. */
const LIMIT_MS = 90_000;

/** Optimizing code that runs for a few seconds costs more than it saves, and so does collecting its garbage often: 2 s of 17. */
const BRIEF = ['--no-opt', '--sparkplug', '--min-semi-space-size=64', '--max-semi-space-size=64'];

/** A password's hash takes 15 ms on purpose, and the server's tests make a hundred. */
const QUICK = { '@node-rs/argon2': path.join(root, 'test/support/quick-argon2.mjs') };

/**
 * Which tests are bundled together, what becomes of npm's packages, what runs before them, which of them share a process,
 * and how far they stand back: those of the app only compute, the server's also wait, and should not wait for them.
 */
const GROUPS = [
  { name: 'app', has: (file) => file.startsWith('test/src/'), first: ['test/support/dom.ts'], packages: { external: await externals(), alias }, parts: [/screens\/[a-s]/, /./], priority: 10 },
  { name: 'server and worker', has: (file) => !file.startsWith('test/src/'), first: [], packages: { packages: 'external', alias: QUICK }, parts: [/server\/delivery\//, /server\/(accounts|db)\//, /./], priority: 0 },
];

/** What the tests of the app need not bundle: the server's packages and the tools. */
async function externals() {
  const { dependencies } = JSON.parse(await fs.readFile(path.join(root, 'package.json'), 'utf8'));
  return [...Object.keys(dependencies), 'uvu', 'esbuild', 'fast-check'];
}

const thread = await encryptionThread(root);
const wanted = process.argv.slice(2);
const files = (await fs.readdir(path.join(root, 'test'), { recursive: true }))
  .map((file) => `test/${file}`)
  .filter((file) => /\.test\.tsx?$/.test(file) && !file.startsWith('test/e2e/'))
  .filter((file) => !wanted.length || wanted.some((part) => file.includes(part)))
  .sort();

// Inside node_modules, so that what stays external is found from there.
await fs.mkdir(path.join(root, 'node_modules/.cache'), { recursive: true });
const out = await fs.mkdtemp(path.join(root, 'node_modules/.cache/fieldbell-test-'));
try {
  const results = (await Promise.all(GROUPS.map((group) => run(group, files.filter(group.has))))).flat();
  const [passed, failed, skipped] = ['passed', 'failed', 'skipped'].map((kind) => results.reduce((sum, result) => sum + result[kind], 0));
  if (!files.length) console.log(`No test file has ${wanted.join(' or ')} in its path.`);
  console.log(`\n${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
  process.exitCode = failed || !files.length ? 1 : 0;
} finally {
  await fs.rm(out, { recursive: true, force: true });
}

/** Bundles one group and runs its parts, each of which prints what it says in one piece. Resolves with the counts of each part. */
async function run({ name, first, packages, parts, priority }, own) {
  if (!own.length) return [];
  const folder = path.join(out, name);
  try {
    // What runs first is a package's code: its source maps would take longer than all the rest.
    await Promise.all([bundle(own, folder, packages), first.length && bundle(first, folder, { ...packages, sourcemap: false })]);
  } catch {
    return [{ passed: 0, failed: 1, skipped: 0 }]; // esbuild has said why
  }
  // A file belongs to the first part that fits.
  const byPart = parts.map((_, index) => own.filter((file) => parts.findIndex((part) => part.test(file)) === index));
  return Promise.all(byPart.filter((files) => files.length).map((files) => runPart(name, priority, folder, [...first, ...files])));
}

/** Bundles files for Node. `more` are options of esbuild. */
function bundle(entryPoints, outdir, more) {
  return esbuild.build({
    absWorkingDir: root,
    entryPoints,
    outdir,
    outbase: '.',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    jsx: 'automatic',
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'error',
    plugins: [routerDeps],
    define: { ...constants({}, { VERSION: 'test' }), ...thread },
    banner: { js: `import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);` },
    ...more,
  });
}

/** Runs bundled files in a process of their own, and resolves with their counts. */
async function runPart(name, priority, folder, entries) {
  const child = fork(path.join(root, 'test/support/run-files.mjs'), [folder, ...entries], {
    execArgv: ['--enable-source-maps', ...BRIEF],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  os.setPriority(child.pid, Math.min(os.getPriority() + priority, 19));
  const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  let said = '';
  let counts;
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  child.on('message', (message) => {
    if (message === 'next') limit.refresh();
    else counts = message;
  });
  await new Promise((resolve) => child.on('close', resolve));
  clearTimeout(limit);
  process.stdout.write(said);
  if (counts) return counts;
  console.log(`The tests of ${name} ended in the middle: see the last file above.`);
  return { passed: 0, failed: 1, skipped: 0 };
}
