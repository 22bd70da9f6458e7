/** `npm run check`: fast enough to run before each commit. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import fs from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { build } from '../../build.mjs';
import {
  advisories,
  omittedPackageFaults,
  licenseFaults,
  licenseSummary,
  lockFaults,
  packages,
} from './dependencies.mjs';
import { bareStringFaults } from './bare-strings.mjs';
import { plantedBugFaults } from './planted-bugs.mjs';
import { physicalStyleFaults } from './physical-styles.mjs';
import { citationFaults, claimFaults, qualityFaults, specificationFaults } from './documents.mjs';
import { printSizes } from './repository-sizes.mjs';
import { importCycleFaults, importFaults, readImports } from './import-rules.mjs';
import { languageFaults, serverLanguageFaults } from './languages.mjs';
import { logFaults } from './log-events.mjs';
import { loopFaults } from './unbounded-loops.mjs';
import { slowRegexFaults } from './slow-regexes.mjs';
import { reactFaults } from './react-rules.mjs';
import { linkFaults, mapFaults } from './readmes.mjs';
import { schemaFaults } from './schemas.mjs';
import { describeFault, proseFiles, phraseFaults } from './banned-phrases.mjs';
import { ensurePackages } from '../support/packages.mjs';

let failed = 0;
let passed = 0;
let skipped = 0;
function report(name, faults) {
  if (faults.length) failed++;
  else passed++;
  console.log(`${faults.length ? 'FAILED' : 'ok    '} ${name}`);
  for (const fault of faults) console.log(`       ${fault}`);
}

/** Runs an npm program. The output of a failed program is the list of faults. */
function programFaults(program, ...words) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [path.join('node_modules', program), ...words],
    { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  return status === 0 ? [] : `${stdout}\n${stderr}`.trim().split('\n');
}

report(
  'format and lint (npm run format cures the format)',
  programFaults('@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '--colors=off', '.'),
);

// The browser tests have their packages' types, and recheck is one of them.
ensurePackages('test');
const TYPE_PROJECTS = {
  src: '.',
  'src/build': 'src/build',
  sw: 'sw',
  server: 'server',
  test: 'test',
  'test/sw': 'test/sw',
  "test's .mjs": 'test/tsconfig.scripts.json',
};
for (const [name, project] of Object.entries(TYPE_PROJECTS))
  report(`types of ${name}`, programFaults('typescript/bin/tsc', '-p', project));

const read = async (file) => JSON.parse(await fs.readFile(file, 'utf8'));
const [manifest, lock] = [await read('package.json'), await read('package-lock.json')];
report('the lock file is whole: npm ci works, on other systems too', lockFaults(manifest, lock));
for (const part of ['test', 'test/bench'])
  report(
    `the lock file of ${part} is whole`,
    lockFaults(await read(`${part}/package.json`), await read(`${part}/package-lock.json`)),
  );

const sources = ['src', 'sw', 'server'].flatMap((part) =>
  readdirSync(part, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(tsx?|mjs)$/.test(file))
    .map((file) => `${part}/${file}`),
);
report('no imports in a circle, types included', importCycleFaults(readImports(sources)));
report(
  'source stays React: nothing in it means something else there',
  reactFaults(sources.filter((file) => /^src\/.*\.tsx?$/.test(file))),
);

report('styles fit text from right to left', physicalStyleFaults(['src/styles/theme.css']));

// The program's other backends need Java or a program per system.
process.env.RECHECK_BACKEND = 'pure';
const { checkSync } = createRequire(import.meta.url)('recheck');
report(
  'no pattern takes longer than its text is long',
  slowRegexFaults(
    sources.filter((file) => file.endsWith('.ts') || file.endsWith('.tsx')),
    (pattern, flags) => checkSync(pattern, flags, { checker: 'automaton', timeout: 60_000 }),
  ),
);

report(
  'every loop and every read of the server is bounded, or lets others go on',
  loopFaults(sources),
);
report('every text of the app is translated', await languageFaults());
report('no text of the app escapes its translation', bareStringFaults(sources, '.'));
report('every sentence of the server is translated', await serverLanguageFaults());
report('no words that we do not use', phraseFaults(proseFiles()).map(describeFault));
report('every requirement of specification.md has its test', await specificationFaults('.'));
report('every bar of quality.md has its test', await qualityFaults('.'));
report('every claim of claims.md is in its document and has its test', await claimFaults('.'));
report('comments cite what is in the repository', await citationFaults('.'));
report('the bugs that mutations.mjs plants fit the code', await plantedBugFaults('.'));
report('the table of log events names every event', await logFaults('.'));
report('dashboard and Kubernetes manifests fit their schemas', schemaFaults());
report('links of the READMEs', await linkFaults('.'));
report('maps of the READMEs', await mapFaults('.'));

/** The Firebase build is bundled to check its packages, too. */
const FIREBASE_SETTINGS = {
  FIREBASE_CONFIG: JSON.stringify({
    apiKey: 'a',
    projectId: 'p',
    messagingSenderId: '1',
    appId: '1:1:web:1',
  }),
};
const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'fieldbell-check-'));
const builtFolder = path.join(folder, 'built');
try {
  const english = await build({ out: builtFolder, quiet: true, env: {} });
  const files = await filesIn(`${builtFolder}/app/assets`);
  await build({ out: builtFolder, quiet: true, env: { LANGUAGES: 'all' } });
  const besideOthers = await filesIn(`${builtFolder}/app/assets`);
  report(
    'other languages change nothing in English',
    [...files.keys()].filter((name) => files.get(name) !== besideOthers.get(name)),
  );
  // Builds all ways to sign in, only for their budgets.
  const signInSettings = { OIDC_COMPANY: 'Northgrid', ADMIN_TOTP: 'optional', PASSKEYS: 'true' };
  await build({ out: builtFolder, quiet: true, env: signInSettings });
  const builds = [english, await build({ out: builtFolder, quiet: true, env: FIREBASE_SETTINGS })];
  report('who may import whom', builds.flatMap(importFaults));
  report('nothing that package.json leaves out is in a build', omittedPackageFaults(lock, builds));
  checkDependencies(await packages('.', builds));
} catch (error) {
  report('build', [error.message]);
} finally {
  await fs.rm(folder, { recursive: true, force: true });
}

async function filesIn(place) {
  const names = (await fs.readdir(place)).filter((name) => /\.(js|css|svg)$/.test(name));
  return new Map(
    await Promise.all(
      names.map(
        /** @returns {Promise<[string, string]>} */
        async (name) => [name, await fs.readFile(path.join(place, name), 'utf8')],
      ),
    ),
  );
}

function checkDependencies(packageList) {
  report('licenses of what we pass on', licenseFaults(packageList));
  for (const line of licenseSummary(packageList)) console.log(`       ${line}`);
  const { unchecked, faults, notes } = advisories('.', packageList);
  if (unchecked) {
    skipped++;
    return console.log(`skipped known advisories: not checked: ${unchecked}`);
  }
  report('known advisories: nothing severe in what we pass on', faults);
  for (const note of notes ?? []) console.log(`       ${note}`);
}

console.log(
  'How heavy the repository is (node test/checks/repository-sizes.mjs --list names the places):',
);
printSizes();
console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed ? 1 : 0;
