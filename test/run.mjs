/**
 * `npm test`: every `*.test.ts(x)` outside test/e2e, bundled by esbuild with the app's own alias
 * table (so that there is one copy of Preact) and run by uvu.
 *
 *   node test/run.mjs [--long] [--again] [--inspect] [--on compat|react] [PART OF A PATH …]
 *
 * Files named `*.long.test.ts(x)` need seconds of real processes, threads or sockets. They are a
 * suite of their own: `--long` runs them and no others, without it they are left out and not
 * counted. `--again` is for CI alone: up to six files that failed are run once more (`again.mjs`).
 * A part that begins with `!` leaves files out.
 * `--inspect` runs one file at a time, in a process that waits for a debugger.
 *
 * Tests of the app have a document around them, all others do not: two bundles. They run in three
 * processes side by side, each of which takes the next file when it is done with one, long files
 * first. Failures are repeated at the end: the file, the test, the reason. A file that never ends is
 * named with the test that was running. The last line is `N passed, N failed`, with `, N skipped`
 * where some are.
 */
import { statSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import esbuild from 'esbuild';
import { constants } from '../src/build/bundling/bundling.mjs';
import { stackOf } from '../src/build/bundling/stacks.mjs';
import { encryptionThread } from '../src/build/server.mjs';
import { sum, tryAgain } from './support/again.mjs';
import { withLostCode } from './support/lost-code.mjs';
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
const stack = stackOf(on > 0 ? process.argv[on] : undefined);

/** A password's hash takes 15 ms on purpose, and the server's tests make a hundred. */
const QUICK = { '@node-rs/argon2': path.join(root, 'test/support/server/quick-argon2.mjs') };

/**
 * The server's packages that are many small files: bundled, a process starts in half the time. The
 * others stay where they are, because some are no JavaScript.
 */
const SMALL_FILES = /^(@hono\/node-server|hono|jose|kysely|valibot)(\/|$)/;
const fewPackages = {
  name: 'few-packages',
  setup(build) {
    build.onResolve({ filter: /^[\w@]/ }, ({ path: name, importer, kind }) =>
      kind === 'entry-point' ||
      importer.includes('node_modules') ||
      SMALL_FILES.test(name) ||
      name in QUICK
        ? undefined
        : { path: name, external: true },
    );
  },
};

/**
 * Which tests are bundled together, how npm's packages are found, what runs before them, and how
 * many processes share them.
 */
const ofApp = (file) => file.startsWith('test/src/') && !file.startsWith('test/src/build/');
const GROUPS = [
  {
    name: 'app',
    has: ofApp,
    first: ['test/support/app/dom.ts'],
    packages: {
      external: ['/rescue.js', ...(await externals())],
      alias: stack.alias,
      plugins: withLostCode([...stack.plugins, namedTests, seededChance]),
      define: ofApps(constants({}, { VERSION: 'test' })),
    },
    processes: 1,
    // Happy-dom is a tenth quicker for it; other code does not run for long enough.
    optimize: true,
  },
  {
    name: 'server and worker',
    has: (file) => !ofApp(file),
    first: [],
    packages: { alias: QUICK, plugins: [namedTests, seededChance, fewPackages] },
    processes: 2,
    optimize: false,
  },
];

/**
 * Variables of the tests' document (`dom.ts`), which a test sets for the builds that have both.
 * @param {Record<string, string>} defined
 */
function ofApps({ COMPANY: _, SECOND_FACTOR: __, ...others }) {
  return others;
}

const NONE = { passed: 0, failed: 0, skipped: 0 };

/** What the tests of the app need not bundle: the server's packages and the tools. */
async function externals() {
  const { dependencies } = JSON.parse(await fs.readFile(path.join(root, 'package.json'), 'utf8'));
  return [...Object.keys(dependencies), 'uvu', 'esbuild', 'fast-check'];
}

const thread = await encryptionThread(root);
const long = process.argv.includes('--long');
const again = process.argv.includes('--again');
const inspect = process.argv.includes('--inspect');
const wanted = process.argv
  .slice(2)
  .filter((given, index) => !/^--(long|again|inspect|on)$/.test(given) && index + 2 !== on);
const leftOut = wanted.filter((part) => part.startsWith('!')).map((part) => part.slice(1));
const chosen = wanted.filter((part) => !part.startsWith('!'));
/** Chance is the same in a second attempt. */
process.env.SEED ??= String(Date.now() % 1_000_000);
const files = (await fs.readdir(path.join(root, 'test'), { recursive: true }))
  .map((file) => `test/${file}`)
  .filter((file) => /\.test\.tsx?$/.test(file) && !/^test\/e2e\/|node_modules/.test(file))
  .filter((file) => /\.long\.test\./.test(file) === long)
  .filter((file) => !on || ofApp(file))
  .filter((file) => !chosen.length || chosen.some((part) => file.includes(part)))
  .filter((file) => !leftOut.some((part) => file.includes(part)))
  // The longest first, so that no process is left alone with one at the end.
  .map((file) => ({ file, length: statSync(path.join(root, file)).size }))
  .sort((one, other) => other.length - one.length)
  .map(({ file }) => file);

// Inside node_modules, so that what stays external is found from there.
await fs.mkdir(path.join(root, 'node_modules/.cache'), { recursive: true });
const out = await fs.mkdtemp(path.join(root, 'node_modules/.cache/fieldbell-test-'));
try {
  const first = (await runAll()).flat();
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

/** Both groups side by side; one after the other for a debugger, which has one port. */
async function runAll() {
  const start = (group) => run(group, files.filter(group.has));
  if (!inspect) return Promise.all(GROUPS.map(start));
  const results = [];
  for (const group of GROUPS) results.push(await start(group));
  return results;
}

/**
 * Bundles one group and runs it, in processes each of which prints what it says in one piece.
 * Resolves with the counts of each file.
 */
async function run(group, own) {
  const { name, first, packages, processes } = group;
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
  const entries = [...own];
  const each = Array.from({ length: inspect ? 1 : Math.min(processes, own.length) }, () =>
    runSome(group, entries),
  );
  return (await Promise.all(each)).flat();
}

/**
 * Takes files of one group from `entries` until there are none: in one process, and in another
 * after each file that hangs or ends it.
 */
async function runSome(group, entries) {
  const { name, first, optimize } = group;
  const results = [];
  let left;
  do {
    left = entries.length;
    const folder = path.join(out, name);
    const result = await runPart({ root, folder, first, entries, optimize, inspect });
    process.stdout.write(result.said);
    results.push(...result.files);
  } while (entries.length > 0 && entries.length < left);
  return results;
}

/** Runs one file once more, when nothing else is under way. */
async function runAlone(file) {
  // What runs before the tests, or could not be bundled, is no accident.
  if (!files.includes(file)) return { file, ...NONE, failed: 1, failures: [] };
  const group = GROUPS.find(({ has }) => has(file));
  return { file, ...sum(await runSome(group, [file])) };
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
