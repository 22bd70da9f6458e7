/** `npm run dev`: builds again and restarts the server whenever a source changes. */
import path from 'node:path';
import { watch as watchFiles } from 'chokidar';
import { DevServer } from './dev-server.mjs';

const SOURCES = ['src', 'sw', 'server', 'static'];
/** Editors and version control write in bursts. */
const QUIET_MILLISECONDS = 50;
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };

/**
 * Runs until a signal comes. A build that fails leaves the server as it was, and the next change
 * tries again.
 * @param root the project's folder @param main the server's program in the build
 * @param build makes one build; its message says what is wrong, and where
 */
export async function watch(root, main, build) {
  const server = new DevServer(main);
  for (const [signal, number] of Object.entries(SIGNALS))
    process.on(signal, () => server.stop().finally(() => process.exit(128 + number)));
  const changes = await follow(SOURCES.map((folder) => path.join(root, folder)));
  for (;;) {
    const failed = await build().then(
      () => undefined,
      (error) => error,
    );
    // A save in the middle of a build: what was built is a mixture of before and after.
    if (changes.waiting()) {
      await changes.next();
      continue;
    }
    if (failed) report(failed, server.runs());
    else await server.restart();
    await changes.next();
  }
}

function report(error, served) {
  if (!error.errors) console.error(error.message); // else esbuild has said it, with the place
  console.error(
    `The build failed${served ? ', and the one before is still served' : ''}. Waiting for a change.`,
  );
}

/** Follows what is saved, renamed or removed in the folders, from the moment that it resolves. */
async function follow(folders) {
  let changed = false;
  let timer;
  let wake = () => undefined;
  const note = () => {
    changed = true;
    clearTimeout(timer);
    timer = setTimeout(() => wake(), QUIET_MILLISECONDS);
  };
  const watcher = watchFiles(folders, { ignoreInitial: true });
  await new Promise((resolve, reject) => watcher.once('ready', resolve).once('error', reject));
  watcher
    .on('all', note)
    .on('error', (error) => console.error(`Changes may be missed: ${error.message}`));
  return {
    /** Whether there was a change since the last one that was waited for. */
    waiting: () => changed,
    /** Resolves when there was a change, and then a moment without. */
    async next() {
      await new Promise((resolve) => {
        wake = resolve;
        if (changed) note();
      });
      wake = () => undefined;
      changed = false;
    },
  };
}
