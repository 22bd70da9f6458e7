/** The builds of `npm run dev`: fast, and only of what changed. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { buildApp } from '../app/app.mjs';
import { buildAtomically } from '../atomic-output.mjs';
import { root } from '../bundling/bundling.mjs';
import { buildServer } from '../server.mjs';
import { settleBoth } from '../settle-both.mjs';
import { buildWorker } from '../worker.mjs';

/**
 * Resolves with whether the server changed; it serves the app of the newest build.
 * @callback Rebuild
 * @param {string[]} changed paths saved since the last successful build
 * @returns {Promise<{ server: boolean }>}
 */

/**
 * The first call builds everything, later calls only the half that changed; the other half is
 * copied. Nothing is compressed or checked against budgets.
 * @param {string} out
 * @param {NodeJS.ProcessEnv} env
 * @param {import('../bundling/stacks.mjs').Stack} stack
 * @returns {Rebuild}
 */
export function developmentBuild(out, env, stack) {
  /** @type {Set<string> | undefined} what the server of the last build was made of */
  let serverSources;
  return async (changedFiles) => {
    const startedAt = performance.now();
    const files = changedFiles.map((file) => path.relative(root, file).split(path.sep).join('/'));
    const isServers = (/** @type {string} */ file) => file.startsWith('server/');
    const app = !serverSources || !files.every(isServers);
    const server =
      !serverSources || files.some((file) => isServers(file) || serverSources?.has(file));
    const sourceFiles = await buildAtomically(out, async (folder) => {
      const before = app && server ? '' : await fs.realpath(out);
      const [, inputs] = await settleBoth(
        app ? buildPage(folder, env, stack) : copyParts(['app', 'hosting'], before, folder),
        server
          ? buildServer(folder, 'development').then(({ metafile }) => Object.keys(metafile.inputs))
          : copyParts(['server'], before, folder),
      );
      return inputs;
    });
    if (sourceFiles) serverSources = new Set(sourceFiles);
    console.log(`Built in ${((performance.now() - startedAt) / 1000).toFixed(2)} s`);
    return { server };
  };
}

/**
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} env
 * @param {import('../bundling/stacks.mjs').Stack} stack
 */
async function buildPage(folder, env, stack) {
  await fs.mkdir(`${folder}/app/assets`, { recursive: true });
  await buildWorker(folder, env, await buildApp(folder, env, stack, { development: true }));
}

/**
 * @param {string[]} parts
 * @param {string} before
 * @param {string} folder
 * @returns {Promise<undefined>}
 */
async function copyParts(parts, before, folder) {
  for (const part of parts)
    await fs.cp(path.join(before, part), path.join(folder, part), {
      recursive: true,
      preserveTimestamps: true,
    });
  return undefined;
}
