/**
 * Where a build goes. `dist` is a link to a complete build in `.dist-builds`, replaced in one step.
 * So `dist/app` and `dist/server` always match, a failed or killed build changes nothing, and a
 * server keeps the build it was started from.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';

/**
 * A build, an unfinished one, or a link in progress; with its process id. Nothing else is ever
 * removed.
 */
const BUILD_NAME = /^(unready-|link-)?(\d+)-[0-9a-f]{8}$/;

/** @type {Set<string>} what this process is making at the moment */
const activeBuilds = new Set();

/**
 * Lets `make` build into a new folder, which then becomes `out`. The previous build stays until the
 * next one, for its current readers. Of parallel builds the last to finish stays.
 * @template Made
 * @param {string} out
 * @param {(folder: string) => Promise<Made>} make gets the new, empty folder. If it fails, the
 * folder is removed and `out` stays
 * @returns {Promise<Made>}
 */
export async function buildAtomically(out, make) {
  const place = path.resolve(out);
  const store = path.join(path.dirname(place), `.${path.basename(place)}-builds`);
  const name = `${process.pid}-${randomBytes(4).toString('hex')}`;
  const unready = path.join(store, `unready-${name}`);
  activeBuilds.add(name);
  try {
    await removeBuilds(
      place,
      store,
      (entry) => entry.startsWith('unready-') || entry.startsWith('link-'),
    );
    await fs.mkdir(unready, { recursive: true });
    const result = await make(unready);
    await fs.rename(unready, path.join(store, name));
    const previousTarget = await writeLink(place, store, name);
    await removeBuilds(place, store, (entry) => entry !== previousTarget);
    return result;
  } catch (error) {
    activeBuilds.delete(name);
    await removeBuilds(place, store, (entry) => entry.endsWith(name));
    await fs.rmdir(store).catch(() => undefined); // the folder may hold other builds
    throw error;
  } finally {
    activeBuilds.delete(name);
  }
}

/**
 * Makes `place` a link to the build `name`. Resolves with the previous build's name.
 * @param {string} place
 * @param {string} store
 * @param {string} name
 */
async function writeLink(place, store, name) {
  const link = path.join(store, `link-${name}`);
  // On Windows anybody can create junctions, which need an absolute path; other links need an
  // administrator.
  const [target, type] =
    process.platform === 'win32'
      ? [path.join(store, name), 'junction']
      : [path.join(path.basename(store), name), 'dir'];
  await fs.symlink(target, link, type);
  const previousTarget = await currentBuild(place);
  if (process.platform === 'win32') await fs.rm(place, { force: true }); // there a link does not replace a link
  await fs.rename(link, place);
  return previousTarget;
}

/**
 * The name of the build that `place` links to.
 * @param {string} place
 */
const currentBuild = async (place) => path.basename(await fs.readlink(place).catch(() => ''));

/**
 * Removes unwanted builds from `store`. The linked build stays, as do builds in progress, builds of
 * other living processes, which may need them soon, and builds that a server was started from.
 * @param {string} place
 * @param {string} store
 * @param {(name: string) => boolean} isUnwanted
 */
async function removeBuilds(place, store, isUnwanted) {
  for (const name of await fs.readdir(store).catch(() => [])) {
    const [ownName, , maker] = BUILD_NAME.exec(name) ?? [];
    const kept =
      !ownName ||
      !isUnwanted(name) ||
      isActive(name) ||
      (Number(maker) !== process.pid && isAlive(Number(maker)));
    if (!kept && !(await isUsed(path.join(store, name))) && name !== (await currentBuild(place)))
      await fs.rm(path.join(store, name), { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * Whether a running server has written its process id there: see `server/build-in-use.ts`.
 * @param {string} build
 */
const isUsed = async (build) =>
  (await fs.readdir(path.join(build, 'used-by')).catch(() => [])).some((pid) =>
    isAlive(Number(pid)),
  );
/** @param {string} name */
const isActive = (name) => [...activeBuilds].some((folder) => name.endsWith(folder));

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'; // another user's
  }
}
