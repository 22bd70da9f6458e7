import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Installs packages that only some tests need, unless they are installed.
 * @param {string} folder `test` or `test/bench`
 */
export function ensurePackages(folder) {
  const cwd = path.join(root, folder);
  const { dependencies } = JSON.parse(fs.readFileSync(path.join(cwd, 'package.json'), 'utf8'));
  const versionOf = (name) => {
    const manifest = path.join(cwd, 'node_modules', name, 'package.json');
    return fs.existsSync(manifest) && JSON.parse(fs.readFileSync(manifest, 'utf8')).version;
  };
  if (Object.entries(dependencies).every(([name, wanted]) => versionOf(name) === wanted)) return;
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm ci in ${folder} failed: see above.`);
}
