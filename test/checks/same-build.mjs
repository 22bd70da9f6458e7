/**
 * A build depends on nothing but its sources: in another folder, and on the Node.js that runs this,
 * the same sources give the same bytes as `dist`, and start. CI runs it on Node 24, and `dist` is
 * of the machine's own.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { build } from '../../build.mjs';
import { describeInputs, isBuiltFrom } from '../../src/build/inputs.mjs';

const root = process.cwd();
const START_ENVIRONMENT = { ...process.env, LANGUAGES: 'all' };
const copy = await fs.mkdtemp(path.join(os.tmpdir(), 'another-place-'));
const faults = [];
try {
  const files = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0');
  for (const file of files.filter(Boolean))
    await fs.cp(path.join(root, file), path.join(copy, file), { recursive: true });
  // Links to the files, as links to folders would lead back here.
  const packages = [path.join(root, 'node_modules'), copy];
  if (spawnSync('cp', ['-al', ...packages], { stdio: 'ignore' }).status !== 0) {
    await fs.rm(path.join(copy, 'node_modules'), { recursive: true, force: true });
    execFileSync('cp', ['-a', ...packages]);
  }
  if (!(await isBuiltFrom('dist', await describeInputs(root, START_ENVIRONMENT))))
    await build({ quiet: true, env: START_ENVIRONMENT });
  execFileSync(process.execPath, ['build.mjs', '--if-changed'], {
    cwd: copy,
    env: START_ENVIRONMENT,
  });
  const [here, there] = [await contentsOf('dist'), await contentsOf(path.join(copy, 'dist'))];
  for (const name of new Set([...here.keys(), ...there.keys()]))
    if (!here.get(name)?.equals(there.get(name) ?? Buffer.alloc(0))) faults.push(name);
  console.log(
    faults.length
      ? `FAILED these files differ: ${faults.slice(0, 20).join(', ')}`
      : `ok     ${here.size} files are the same in another folder, on Node.js ${process.version}`,
  );
  const first = spawnSync(process.execPath, ['test/checks/first-start.mjs'], {
    cwd: copy,
    encoding: 'utf8',
  });
  console.log(first.stdout.replace(/^\d+ passed.*\n/m, ''));
  if (first.status !== 0) faults.push('first start');
} finally {
  await fs.rm(copy, { recursive: true, force: true });
}
console.log(faults.length ? '0 passed, 1 failed' : '1 passed, 0 failed');
process.exitCode = faults.length ? 1 : 0;

/**
 * The build's own mark of processes that use it is left out.
 * @param {string} folder
 */
async function contentsOf(folder) {
  const entries = await fs.readdir(folder, { recursive: true, withFileTypes: true });
  const named = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .filter((name) => !name.startsWith('used-by'));
  return new Map(
    await Promise.all(
      named.map(
        /** @returns {Promise<[string, Buffer]>} */
        async (name) => [name, await fs.readFile(path.join(folder, name))],
      ),
    ),
  );
}
