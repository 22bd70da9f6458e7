/** `npm run check`: fast enough to run before each commit. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import fs from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { build } from '../../build.mjs';
import {
  auditPackages,
  omittedPackageFaults,
  licenseFaults,
  licenseSummary,
  lockFaults,
  listPackages,
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
function programFaults(program, ...programArguments) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [path.join('node_modules', program), ...programArguments],
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
report(
  'package-lock.json is complete, so npm ci works on every system',
  lockFaults(manifest, lock),
);
for (const part of ['test', 'test/bench'])
  report(
    `${part}/package-lock.json is complete`,
    lockFaults(await read(`${part}/package.json`), await read(`${part}/package-lock.json`)),
  );

const sources = ['src', 'sw', 'server'].flatMap((part) =>
  readdirSync(part, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(tsx?|mjs)$/.test(file))
    .map((file) => `${part}/${file}`),
);
report(
  'no module imports itself through others, types included',
  importCycleFaults(readImports(sources)),
);
report(
  'the app source means the same in React and in our replacement',
  reactFaults(sources.filter((file) => /^src\/.*\.tsx?$/.test(file))),
);

report('styles work for right-to-left text', physicalStyleFaults(['src/styles/theme.css']));

// The program's other backends need Java or a program per system.
process.env.RECHECK_BACKEND = 'pure';
const { checkSync } = createRequire(import.meta.url)('recheck');
report(
  'every regular expression runs in linear time',
  slowRegexFaults(
    sources.filter((file) => file.endsWith('.ts') || file.endsWith('.tsx')),
    (pattern, flags) => checkSync(pattern, flags, { checker: 'automaton', timeout: 60_000 }),
  ),
);

report(
  'every loop and read of the server is bounded or yields to other requests',
  loopFaults(sources),
);
report('every text of the app is translated', await languageFaults());
report('every text of the app goes through its translation', bareStringFaults(sources, '.'));
report('every sentence of the server is translated', await serverLanguageFaults());
report(
  'no banned phrases in documents, texts and comments',
  phraseFaults(proseFiles()).map(describeFault),
);
report('every requirement in specification.md has a test', await specificationFaults('.'));
report('every target in quality.md has a test', await qualityFaults('.'));
report('every claim in claims.md is in its document and has a test', await claimFaults('.'));
report('comments cite only what exists in the repository', await citationFaults('.'));
report('the bugs that mutations.mjs plants match the code', await plantedBugFaults('.'));
report('the table of log events lists every event', await logFaults('.'));
report('the dashboard and Kubernetes manifests match their schemas', schemaFaults());
report('links in the READMEs work', await linkFaults('.'));
report('maps in the READMEs list every file', await mapFaults('.'));

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
  const withOtherLanguages = await filesIn(`${builtFolder}/app/assets`);
  report(
    'adding languages does not change the English build',
    [...files.keys()].filter((name) => files.get(name) !== withOtherLanguages.get(name)),
  );
  // Builds all ways to sign in, only for their budgets.
  const signInSettings = { OIDC_COMPANY: 'Northgrid', ADMIN_TOTP: 'optional', PASSKEYS: 'true' };
  await build({ out: builtFolder, quiet: true, env: signInSettings });
  const builds = [english, await build({ out: builtFolder, quiet: true, env: FIREBASE_SETTINGS })];
  report('imports follow the allowed directions', builds.flatMap(importFaults));
  report('no build contains a package that package.json omits', omittedPackageFaults(lock, builds));
  checkDependencies(await listPackages('.', builds));
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
  report('licenses of distributed packages are allowed', licenseFaults(packageList));
  for (const line of licenseSummary(packageList)) console.log(`       ${line}`);
  const { unchecked, faults, notes } = auditPackages('.', packageList);
  if (unchecked) {
    skipped++;
    return console.log(`skipped known advisories: not checked: ${unchecked}`);
  }
  report('distributed packages have no severe advisories', faults);
  for (const note of notes ?? []) console.log(`       ${note}`);
}

console.log('Repository sizes (node test/checks/repository-sizes.mjs --list names the places):');
printSizes();
console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed ? 1 : 0;
