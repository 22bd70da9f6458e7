/**
 * Plants each bug of `planted-bugs.mjs` in a copy and names the test that notices. Fails below 28 of 30.
 *
 *   node test/checks/mutations.mjs [PART OF A FILE …]
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PLANTED_BUGS } from './planted-bugs.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const MIN_CAUGHT_SHARE = 28 / 30;

const pathParts = process.argv.slice(2);
const chosenBugs = PLANTED_BUGS.filter(
  ([file]) => !pathParts.length || pathParts.some((part) => file.includes(part)),
);
const copy = await fs.mkdtemp(path.join(os.tmpdir(), 'fieldbell-mutations-'));
const missedBugs = [];
try {
  for (const { name } of await fs.readdir(root, { withFileTypes: true })) {
    if (['node_modules', 'dist', '.dist-builds', 'data', '.git'].includes(name)) continue;
    await fs.cp(path.join(root, name), path.join(copy, name), {
      recursive: true,
      filter: (file) => !file.includes('node_modules'),
    });
  }
  await fs.symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  for (const bug of chosenBugs) await plant(bug);
} finally {
  await fs.rm(copy, { recursive: true, force: true });
}
console.log(`\n${chosenBugs.length - missedBugs.length} caught, ${missedBugs.length} missed`);
process.exitCode =
  chosenBugs.length - missedBugs.length < chosenBugs.length * MIN_CAUGHT_SHARE ? 1 : 0;

/** @param {string[]} bug as in `PLANTED_BUGS` */
async function plant([file, originalText, replacement, tests]) {
  const source = await fs.readFile(path.join(copy, file), 'utf8');
  const label = `${file}: ${originalText} → ${replacement || '(nothing)'}`;
  if (!source.includes(originalText))
    throw new Error(`${label}: it is no longer there. Choose another bug.`);
  await fs.writeFile(
    path.join(copy, file),
    source.replace(originalText, () => replacement),
  );
  const { status, stdout } = spawnSync(process.execPath, ['test/run.mjs', ...tests.split(' ')], {
    cwd: copy,
    encoding: 'utf8',
  });
  await fs.writeFile(path.join(copy, file), source);
  const noticingTest =
    /FAIL\s+(.+)/.exec(stdout)?.[1] ?? /^FAILED.*|^The tests of .* ended.*/m.exec(stdout)?.[0];
  if (status === 0 || !noticingTest) missedBugs.push(label);
  console.log(
    status === 0 || !noticingTest
      ? `MISSED ${label}${noticingTest === undefined && status !== 0 ? ' (the tests did not run)' : ''}`
      : `caught ${label}\n       by ${noticingTest}`,
  );
}
