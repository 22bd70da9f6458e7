/**
 * `npm test`: bundles every `*.test.ts(x)` outside test/e2e and runs it by uvu.
 *
 *   node test/run.mjs [--long] [--again] [--inspect] [--on compat|react] [PART OF A PATH …]
 *
 * `--long` runs only the `*.long.test.ts(x)` files, which need seconds of real processes. `--again`
 * is for CI (`support/second-attempt.mjs`). A part that begins with `!` excludes files. `--inspect` runs one file at
 * a time and waits for a debugger.
 *
 * The app's tests run in a document, all others do not: two bundles in three processes. The last
 * line is `N passed, N failed`, with `, N skipped` if some were.
 */
import { statSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import esbuild from 'esbuild';
import { createConstants } from '../src/build/bundling/bundling.mjs';
import { getStack } from '../src/build/bundling/stacks.mjs';
import { encryptionThread } from '../src/build/server.mjs';
import { sumResults, repeatFailedFiles } from './support/second-attempt.mjs';
import { withBrokenImports } from './support/broken-imports.mjs';
import { repeat, runPart } from './support/run-part.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
/** Announces each test when it begins. */
const namedTests = wrapped('uvu', 'named-tests.mjs');
/** Repeats chance by its seed. */
const seededChance = wrapped('fast-check', 'seeded-chance.mjs');

/** A plugin that replaces a package by a file of `support/`. */
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

const onIndex = process.argv.indexOf('--on') + 1;
const stack = getStack(onIndex > 0 ? process.argv[onIndex] : undefined);

/** A real password hash takes 15 ms, and the server's tests make a hundred. */
const QUICK_PACKAGES = {
  '@node-rs/argon2': path.join(root, 'test/support/server/quick-argon2.mjs'),
};

/**
 * The server's packages of many small files: bundled, a process starts twice as fast. The others
 * contain native code.
 */
const PACKAGES_OF_SMALL_FILES = /^(@hono\/node-server|hono|jose|kysely|valibot)(\/|$)/;
const fewPackages = {
  name: 'few-packages',
  setup(build) {
    build.onResolve({ filter: /^[\w@]/ }, ({ path: name, importer, kind }) =>
      kind === 'entry-point' ||
      importer.includes('node_modules') ||
      PACKAGES_OF_SMALL_FILES.test(name) ||
      name in QUICK_PACKAGES
        ? undefined
        : { path: name, external: true },
    );
  },
};

const isAppTest = (file) => file.startsWith('test/src/') && !file.startsWith('test/src/build/');
const GROUPS = [
  {
    name: 'app',
    has: isAppTest,
    first: ['test/support/app/dom.ts'],
    packages: {
      external: ['/rescue.js', ...(await findExternalPackages())],
      alias: stack.alias,
      plugins: withBrokenImports([...stack.plugins, namedTests, seededChance]),
      define: withoutSettings(createConstants({}, { VERSION: 'test' })),
    },
    processes: 1,
    // Happy-dom is a tenth faster with it; other code runs too short.
    optimize: true,
  },
  {
    name: 'server and worker',
    has: (file) => !isAppTest(file),
    first: [],
    packages: { alias: QUICK_PACKAGES, plugins: [namedTests, seededChance, fewPackages] },
    processes: 2,
    optimize: false,
  },
];

/**
 * Variables of the tests' document (`dom.ts`), which tests set.
 * @param {Record<string, string>} defined
 */
function withoutSettings({ COMPANY: _, TWO_FACTOR: __, PASSKEYS: ___, ...others }) {
  return others;
}

const NO_RESULTS = { passed: 0, failed: 0, skipped: 0 };

/** Server packages and tools that the app's tests do not bundle. */
async function findExternalPackages() {
  const { dependencies } = JSON.parse(await fs.readFile(path.join(root, 'package.json'), 'utf8'));
  return [...Object.keys(dependencies), 'uvu', 'esbuild', 'fast-check'];
}

const threadConstants = await encryptionThread(root);
const runLongTests = process.argv.includes('--long');
const runFailedAgain = process.argv.includes('--again');
const inspect = process.argv.includes('--inspect');
const wantedParts = process.argv
  .slice(2)
  .filter(
    (argument, index) => !/^--(long|again|inspect|on)$/.test(argument) && index + 2 !== onIndex,
  );
const excludedParts = wantedParts
  .filter((part) => part.startsWith('!'))
  .map((part) => part.slice(1));
const chosenParts = wantedParts.filter((part) => !part.startsWith('!'));
/** The same in a second attempt. */
process.env.SEED ??= String(Date.now() % 1_000_000);
const files = (await fs.readdir(path.join(root, 'test'), { recursive: true }))
  .map((file) => `test/${file}`)
  .filter((file) => /\.test\.tsx?$/.test(file) && !/^test\/e2e\/|node_modules/.test(file))
  .filter((file) => /\.long\.test\./.test(file) === runLongTests)
  .filter((file) => !onIndex || isAppTest(file))
  .filter((file) => !chosenParts.length || chosenParts.some((part) => file.includes(part)))
  .filter((file) => !excludedParts.some((part) => file.includes(part)))
  // The longest first, so that all processes finish at about the same time.
  .map((file) => ({ file, length: statSync(path.join(root, file)).size }))
  .sort((one, other) => other.length - one.length)
  .map(({ file }) => file);

// Inside node_modules, so that external packages resolve.
await fs.mkdir(path.join(root, 'node_modules/.cache'), { recursive: true });
const bundleFolder = await fs.mkdtemp(path.join(root, 'node_modules/.cache/fieldbell-test-'));
try {
  const firstResults = (await runAll()).flat();
  const { results, lines } = runFailedAgain
    ? await repeatFailedFiles(firstResults, runAlone)
    : { results: firstResults, lines: [] };
  const { passed, failed, skipped, failures } = sumResults(results);
  if (failures.length) console.log(`\nFailures:\n${repeat(failures)}`);
  if (!files.length)
    console.log(
      `No ${runLongTests ? 'long ' : ''}test file has ${wantedParts.join(' or ')} in its path.`,
    );
  if (lines.length) console.log(`\n${lines.join('\n')}`);
  console.log(`\n${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
  process.exitCode = failed || !files.length ? 1 : 0;
} finally {
  await fs.rm(bundleFolder, { recursive: true, force: true });
}

/** Both groups side by side, or one after the other for a debugger's single port. */
async function runAll() {
  const runGroup = (group) => run(group, files.filter(group.has));
  if (!inspect) return Promise.all(GROUPS.map(runGroup));
  const results = [];
  for (const group of GROUPS) results.push(await runGroup(group));
  return results;
}

/** Bundles one group and runs it. Resolves with the counts of each file. */
async function run(group, ownFiles) {
  const { name, first, packages, processes } = group;
  if (!ownFiles.length) return [];
  const folder = path.join(bundleFolder, name);
  try {
    // These are a package's code, whose source maps would take longest.
    await Promise.all([
      bundle(ownFiles, folder, packages),
      first.length && bundle(first, folder, { ...packages, sourcemap: false }),
    ]);
  } catch {
    return [
      {
        file: `the tests of ${name}`,
        ...NO_RESULTS,
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
  const entries = [...ownFiles];
  const processRuns = Array.from(
    { length: inspect ? 1 : Math.min(processes, ownFiles.length) },
    () => runEntries(group, entries),
  );
  return (await Promise.all(processRuns)).flat();
}

/**
 * Takes files from `entries` until none are left, in another process after each file that hangs or
 * ends it.
 */
async function runEntries(group, entries) {
  const { name, first, optimize } = group;
  const results = [];
  let remaining;
  do {
    remaining = entries.length;
    const folder = path.join(bundleFolder, name);
    const result = await runPart({ root, folder, first, entries, optimize, inspect });
    process.stdout.write(result.output);
    results.push(...result.files);
  } while (entries.length > 0 && entries.length < remaining);
  return results;
}

async function runAlone(file) {
  // A failed bundle would fail again.
  if (!files.includes(file)) return { file, ...NO_RESULTS, failed: 1, failures: [] };
  const group = GROUPS.find(({ has }) => has(file));
  return { file, ...sumResults(await runEntries(group, [file])) };
}

/** Bundles tests with further options of esbuild. */
function bundle(entryPoints, outdir, options) {
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
    define: { ...createConstants({}, { VERSION: 'test' }), ...threadConstants },
    banner: {
      js: `import { createRequire as createNodeRequire } from 'node:module'; const require = createNodeRequire(import.meta.url);`,
    },
    ...options,
  });
}
