/** Whether a build would create the same files again. */
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { BUILD_VARIABLES } from './bundling/settings.mjs';

/** The lock file stands for the packages. */
const INPUT_PATHS = [
  'src',
  'sw',
  'server',
  'static',
  'build.mjs',
  'package.json',
  'package-lock.json',
];

/**
 * Equal inputs of a build get equal texts.
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env
 */
export async function describeInputs(root, env) {
  const hash = createHash('sha256');
  for (const part of INPUT_PATHS) {
    for (const file of await listFiles(path.join(root, part))) {
      const content = await fs.readFile(file);
      hash.update(`${path.relative(root, file)}\0${content.length}\0`).update(content);
    }
  }
  hash.update(JSON.stringify(BUILD_VARIABLES.map((name) => env[name] ?? '')));
  return hash.digest('hex');
}

/**
 * The files of a folder, or the file itself.
 * @param {string} place
 */
async function listFiles(place) {
  if ((await fs.stat(place)).isFile()) return [place];
  const entries = await fs.readdir(place, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

/**
 * Records the inputs of this build for a later build.
 * @param {string} out
 * @param {string} inputs
 */
export const noteInputs = (out, inputs) => fs.writeFile(path.join(out, 'inputs'), inputs);

/**
 * @param {string} out
 * @param {string} inputs
 */
export const isBuiltFrom = async (out, inputs) =>
  (await fs.readFile(path.join(out, 'inputs'), 'utf8').catch(() => '')) === inputs;
