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
const SHARE = 28 / 30;

const wanted = process.argv.slice(2);
const chosen = PLANTED_BUGS.filter(
  ([file]) => !wanted.length || wanted.some((part) => file.includes(part)),
);
const copy = await fs.mkdtemp(path.join(os.tmpdir(), 'fieldbell-mutations-'));
const missed = [];
try {
  for (const { name } of await fs.readdir(root, { withFileTypes: true })) {
    if (['node_modules', 'dist', '.dist-builds', 'data', '.git'].includes(name)) continue;
    await fs.cp(path.join(root, name), path.join(copy, name), {
      recursive: true,
      filter: (file) => !file.includes('node_modules'),
    });
  }
  await fs.symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  for (const one of chosen) await plant(one);
} finally {
  await fs.rm(copy, { recursive: true, force: true });
}
console.log(`\n${chosen.length - missed.length} caught, ${missed.length} missed`);
process.exitCode = chosen.length - missed.length < chosen.length * SHARE ? 1 : 0;

/** @param {string[]} one as in `PLANTED_BUGS` */
async function plant([file, there, instead, tests]) {
  const whole = await fs.readFile(path.join(copy, file), 'utf8');
  const label = `${file}: ${there} → ${instead || '(nothing)'}`;
  if (!whole.includes(there))
    throw new Error(`${label}: it is no longer there. Choose another bug.`);
  await fs.writeFile(
    path.join(copy, file),
    whole.replace(there, () => instead),
  );
  const { status, stdout } = spawnSync(process.execPath, ['test/run.mjs', ...tests.split(' ')], {
    cwd: copy,
    encoding: 'utf8',
  });
  await fs.writeFile(path.join(copy, file), whole);
  const by =
    /FAIL\s+(.+)/.exec(stdout)?.[1] ?? /^FAILED.*|^The tests of .* ended.*/m.exec(stdout)?.[0];
  if (status === 0 || !by) missed.push(label);
  console.log(
    status === 0 || !by
      ? `MISSED ${label}${by === undefined && status !== 0 ? ' (the tests did not run)' : ''}`
      : `caught ${label}\n       by ${by}`,
  );
}
