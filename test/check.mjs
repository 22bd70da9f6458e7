/**
 * `npm run check`: types, who imports whom, and what the build may contain. Quick enough to run before each commit.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { build } from '../build.mjs';
import { qualityFaults, specificationFaults } from './documents.mjs';
import { importFaults } from './import-rules.mjs';

let failed = 0;
let passed = 0;
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

const out = await fs.mkdtemp(path.join(os.tmpdir(), 'fieldbell-check-'));
try {
  const built = await build({ out, quiet: true, env: {} });
  say('who may import whom', importFaults(built));
} catch (error) {
  say('build', [error.message]);
} finally {
  await fs.rm(out, { recursive: true, force: true });
}

console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
