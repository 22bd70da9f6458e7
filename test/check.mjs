/**
 * `npm run check`: types, who imports whom, what the build may contain, and what comes with it. Quick enough to run before each commit.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { build } from '../build.mjs';
import { advisories, licenceFaults, licenceSummary, packages } from './dependencies.mjs';
import { qualityFaults, specificationFaults } from './documents.mjs';
import { importFaults } from './import-rules.mjs';

let failed = 0;
let passed = 0;
let skipped = 0;
/** Prints one check with its faults. */
function say(name, faults) {
  if (faults.length) failed++;
  else passed++;
  console.log(`${faults.length ? 'FAILED' : 'ok    '} ${name}`);
  for (const fault of faults) console.log(`       ${fault}`);
}

for (const project of ['.', 'sw', 'server', 'test', 'test/sw']) {
  const { status, stdout } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', project], { encoding: 'utf8' });
  say(`types of ${project === '.' ? 'src' : project}`, status === 0 ? [] : stdout.trim().split('\n'));
}

say('tests that specification.md names', await specificationFaults('.'));
say('tests that quality.md names', await qualityFaults('.'));

/** So that what a build with Firebase brings is looked at, too. */
const FIREBASE = { FIREBASE_CONFIG: JSON.stringify({ apiKey: 'a', projectId: 'p', messagingSenderId: '1', appId: '1:1:web:1' }) };
const out = await fs.mkdtemp(path.join(os.tmpdir(), 'fieldbell-check-'));
try {
  const builds = [await build({ out, quiet: true, env: {} }), await build({ out, quiet: true, env: FIREBASE })];
  say('who may import whom', builds.flatMap(importFaults));
  checkDependencies(await packages('.', builds));
} catch (error) {
  say('build', [error.message]);
} finally {
  await fs.rm(out, { recursive: true, force: true });
}

function checkDependencies(all) {
  say('licences of what we pass on', licenceFaults(all));
  for (const line of licenceSummary(all)) console.log(`       ${line}`);
  const { unchecked, faults, notes } = advisories('.', all);
  if (unchecked) {
    skipped++;
    return console.log(`skipped known advisories: not checked: ${unchecked}`);
  }
  say('known advisories: nothing severe in what we pass on', faults);
  for (const note of notes) console.log(`       ${note}`);
}

console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed ? 1 : 0;
