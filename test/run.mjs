/**
 * `npm test`: every `*.test.ts(x)` outside test/e2e, bundled by esbuild with the app's own alias
 * table (so that there is
 * one copy of Preact) and run by uvu.
 *
 *   node test/run.mjs [--long] [--again] [--on compat|react] [PART OF A PATH …]
 *
 * Files named `*.long.test.ts(x)` need seconds of real processes, threads or sockets. They are a
 * suite of their own: `--long` runs them and no others, without it they are left out and not
 * counted. `--again` is for CI alone: up to three files that failed are run once more (`again.mjs`).
 *
 * Tests of the app have a document around them, all others do not: two bundles. They run in five
 * processes side by side, of about the same length. Failures are repeated at the end: the file, the
 * test, the reason. A file that never ends is named with the test that was running. The last line
 * is `N passed, N failed`, with `, N skipped` where some are.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import esbuild from 'esbuild';
import { constants, stackOf } from '../src/build/bundling.mjs';
import { encryptionThread } from '../src/build/thread.mjs';
import { sum, tryAgain } from './support/again.mjs';
import { repeat, runPart } from './support/run-part.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
/** Tests say when they begin (see there). */
const namedTests = wrapped('uvu', 'named-tests.mjs');
/** What chance made fail can be made once more. */
const seededChance = wrapped('fast-check', 'seeded-chance.mjs');

/** A plugin: for a package the tests get a file of `support/`, which has the package itself. */
function wrapped(name, file) {
  const wrapper = path.join(root, 'test/support', file);
  return {
    name: file,
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${name}$`) }, ({ importer }) =>
        importer === wrapper ? { path: name, external: true } : { path: wrapper },
      );
    },
  };
}

const on = process.argv.indexOf('--on') + 1;
const stack = stackOf(process.argv);

/** A password's hash takes 15 ms on purpose, and the server's tests make a hundred. */
const QUICK = { '@node-rs/argon2': path.join(root, 'test/support/server/quick-argon2.mjs') };

/**
 * Which tests are bundled together, what becomes of npm's packages, what runs before them, which of
 * them share a process, and how far they stand back: those of the app only compute, the server's
 * also wait, and should not wait for them.
 */
const ofApp = (file) => file.startsWith('test/src/') && !file.startsWith('test/src/build/');
const GROUPS = [
  {
    name: 'app',
    has: ofApp,
    first: ['test/support/app/dom.ts'],
    packages: { external: ['/rescue.js', ...(await externals())], alias: stack.alias },
    parts: [/screens\/(auth|dashboard|lists|notifications|shell)\//, /./],
    priority: 10,
  },
  {
    name: 'server and worker',
    has: (file) => !ofApp(file),
    first: [],
    packages: { packages: 'external', alias: QUICK },
    parts: [/server\/delivery\//, /server\/(accounts|db)\//, /./],
    priority: 0,
  },
];

const NONE = { passed: 0, failed: 0, skipped: 0 };

/** What the tests of the app need not bundle: the server's packages and the tools. */
async function externals() {
  const { dependencies } = JSON.parse(await fs.readFile(path.join(root, 'package.json'), 'utf8'));
  return [...Object.keys(dependencies), 'uvu', 'esbuild', 'fast-check'];
}

const thread = await encryptionThread(root);
const long = process.argv.includes('--long');
const again = process.argv.includes('--again');
const wanted = process.argv
  .slice(2)
  .filter((given, index) => !/^--(long|again|on)$/.test(given) && index + 2 !== on);
/** What is left to chance is the same in a second attempt. */
process.env.SEED ??= String(Date.now() % 1_000_000);
const files = (await fs.readdir(path.join(root, 'test'), { recursive: true }))
  .map((file) => `test/${file}`)
  .filter((file) => /\.test\.tsx?$/.test(file) && !/^test\/e2e\/|node_modules/.test(file))
  .filter((file) => /\.long\.test\./.test(file) === long)
  .filter((file) => !on || ofApp(file))
  .filter((file) => !wanted.length || wanted.some((part) => file.includes(part)))
  .sort();

// Inside node_modules, so that what stays external is found from there.
await fs.mkdir(path.join(root, 'node_modules/.cache'), { recursive: true });
const out = await fs.mkdtemp(path.join(root, 'node_modules/.cache/fieldbell-test-'));
try {
  const first = (
    await Promise.all(GROUPS.map((group) => run(group, files.filter(group.has))))
  ).flat();
  const { results, lines } = again
    ? await tryAgain(first, runAlone)
    : { results: first, lines: [] };
  const { passed, failed, skipped, failures } = sum(results);
  if (failures.length) console.log(`\nFailures:\n${repeat(failures)}`);
  if (!files.length)
    console.log(`No ${long ? 'long ' : ''}test file has ${wanted.join(' or ')} in its path.`);
  if (lines.length) console.log(`\n${lines.join('\n')}`);
  console.log(`\n${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
  process.exitCode = failed || !files.length ? 1 : 0;
} finally {
  await fs.rm(out, { recursive: true, force: true });
}

/**
 * Bundles one group and runs its parts, each of which prints what it says in one piece. Resolves
 * with the counts of each file.
 */
async function run(group, own) {
  const { name, first, packages, parts } = group;
  if (!own.length) return [];
  const folder = path.join(out, name);
  try {
    // What runs first is a package's code: its source maps would take longer than all the rest.
    await Promise.all([
      bundle(own, folder, packages),
      first.length && bundle(first, folder, { ...packages, sourcemap: false }),
    ]);
  } catch {
    return [
      {
        file: `the tests of ${name}`,
        ...NONE,
        failed: 1,
        failures: [
          {
            file: `the tests of ${name}`,
            reason: 'They could not be bundled: esbuild has said why above.',
          },
        ],
      },
    ];
  }
  // A file belongs to the first part that fits.
  const byPart = parts.map((_, index) =>
    own.filter((file) => parts.findIndex((part) => part.test(file)) === index),
  );
  const all = byPart.filter((part) => part.length).map((part) => runOf(group, part));
  return (await Promise.all(all)).flat();
}

/**
 * Runs bundled files of one group in one process, and in a second one what is left where a file
 * hangs.
 */
async function runOf(group, part, more = 1) {
  const { name, first, priority } = group;
  const folder = path.join(out, name);
  const result = await runPart({ root, folder, entries: [...first, ...part], priority });
  process.stdout.write(result.said);
  const { files: ended, left } = result;
  if (left.length && more) return [...ended, ...(await runOf(group, left, more - 1))];
  const reason = 'It was not run: two files before it hung.';
  const fail = (file) => ({ file, ...NONE, failed: 1, failures: [{ file, reason }] });
  return [...ended, ...left.map(fail)];
}

/** Runs one file once more, when nothing else is under way. */
async function runAlone(file) {
  // What runs before the tests, or could not be bundled, is no accident.
  if (!files.includes(file)) return { file, ...NONE, failed: 1, failures: [] };
  const group = GROUPS.find(({ has }) => has(file));
  return { file, ...sum(await runOf(group, [file], 0)) };
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
    plugins: [...stack.plugins, namedTests, seededChance],
    define: { ...constants({}, { VERSION: 'test' }), ...thread },
    banner: {
      js: `import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);`,
    },
    ...more,
  });
}
