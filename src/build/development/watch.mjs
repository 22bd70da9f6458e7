/** `npm run dev`: rebuilds and restarts the server when a source changes. */
import path from 'node:path';
import { watch as watchFiles } from 'chokidar';
import { DevServer } from './server.mjs';

const SOURCE_FOLDERS = ['src', 'sw', 'server', 'static'];
/** Editors and version control write in bursts. */
const QUIET_PERIOD_MS = 50;
const SIGNAL_NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };

/**
 * Runs until a signal. A failed build changes neither app nor server; the next change retries.
 * @param {string} root the project's folder
 * @param {string} out where the builds go
 * @param {import('./development.mjs').Rebuild} rebuild its error says what is wrong, and where
 */
export async function watchSources(root, out, rebuild) {
  const server = new DevServer(out);
  for (const [signal, number] of Object.entries(SIGNAL_NUMBERS))
    process.on(signal, () => server.stop().finally(() => process.exit(128 + number)));
  const changes = await watchFolders(SOURCE_FOLDERS.map((folder) => path.join(root, folder)));
  /** @type {string[]} not in a build yet */
  let dueFiles = [];
  let outdated = true;
  for (;;) {
    const result = await rebuild(dueFiles).catch(asError);
    if (!(result instanceof Error)) {
      dueFiles = [];
      outdated ||= result.server;
    }
    // A save during a build: the result mixes old and new sources.
    if (!changes.waiting()) {
      if (result instanceof Error) reportFailure(result, server.runs());
      else if (outdated || !server.runs()) {
        await server.restart();
        outdated = false;
      }
    }
    dueFiles.push(...(await changes.next()));
  }
}

/** @param {unknown} thrown */
const asError = (thrown) => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/**
 * @param {Error} error
 * @param {boolean} served whether there is an earlier build
 */
function reportFailure(error, served) {
  if (!('errors' in error)) console.error(error.message); // esbuild prints its own errors
  console.error(
    `The build failed${served ? ', and the previous build is still served' : ''}. Waiting for a change.`,
  );
}

/**
 * Follows file changes in the folders once it has resolved.
 * @param {string[]} folders
 */
async function watchFolders(folders) {
  /** @type {Set<string>} */
  const changedFiles = new Set();
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  /** @type {() => void} */
  let wake = () => undefined;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => wake(), QUIET_PERIOD_MS);
  };
  const watcher = watchFiles(folders, { ignoreInitial: true });
  await new Promise((resolve, reject) => {
    watcher.once('ready', () => resolve(undefined)).once('error', reject);
  });
  watcher
    .on('all', (_, file) => {
      changedFiles.add(file);
      wait();
    })
    .on('error', (error) => console.error(`Changes may be missed: ${asError(error).message}`));
  return {
    /** Whether anything changed since the last `next`. */
    waiting: () => changedFiles.size > 0,
    /** Resolves with the changed paths, once changes pause. */
    async next() {
      await /** @type {Promise<void>} */ (
        new Promise((resolve) => {
          wake = resolve;
          if (changedFiles.size > 0) wait();
        })
      );
      wake = () => undefined;
      const files = [...changedFiles];
      changedFiles.clear();
      return files;
    },
  };
}
