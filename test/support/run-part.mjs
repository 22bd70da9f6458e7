/**
 * Runs bundled test files in a process of their own, and knows at any time which test is running
 * there.
 */
import { fork } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';

/**
 * A process that cannot even end itself (see run-files.mjs) is ended after so long without
 * beginning another test.
 */
const LIMIT_MS = 150_000;

/**
 * Optimizing code that runs for a few seconds costs more than it saves, and so does collecting its
 * garbage often: 2 s of 17.
 */
const BRIEF = ['--no-opt', '--sparkplug', '--min-semi-space-size=64', '--max-semi-space-size=64'];

/**
 * Resolves with the counts of each file and what failed in it (`file`, the `test` if it was one, the
 * `reason`), with the files that were not begun because another one hung, and with what to print.
 * @param {{ root: string, folder: string, entries: string[], priority?: number, limit?: number,
 * env?: NodeJS.ProcessEnv }} part
 */
export async function runPart({
  root,
  folder,
  entries,
  priority = 0,
  limit = LIMIT_MS,
  env = process.env,
}) {
  const child = fork(path.join(root, 'test/support/run-files.mjs'), [folder, ...entries], {
    execArgv: ['--enable-source-maps', ...BRIEF],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env,
  });
  os.setPriority(child.pid, Math.min(os.getPriority() + priority, 19));
  let starved = false;
  const kill = () => {
    starved = true;
    child.kill('SIGKILL');
  };
  let timer = setTimeout(kill, LIMIT_MS); // before the first file there is the start of the process
  let said = '';
  let ended = false;
  const files = [];
  let running = begin(entries[0]);
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (said += text));
  child.on('message', ({ file, test, failure, counts, end }) => {
    if (file) running = begin(file);
    if (file || test) {
      clearTimeout(timer);
      timer = setTimeout(kill, limit);
    }
    if (test) running.test = test;
    if (failure) running.failures.push(failure);
    if (counts) files.push({ ...counts, file: running.file, failures: running.failures });
    ended ||= end;
  });
  await new Promise((resolve) => child.on('close', resolve));
  clearTimeout(timer);
  if (ended) return { files, left: [], said };
  const reason = starved
    ? `It held the event loop for ${limit / 1000} s: the process had to be killed.`
    : 'It never came to its end: it waits for something, or ended the process.';
  const { file: last, failures } = running;
  failures.push({ file: last, test: running.test, reason });
  // It may have ended after its last test.
  const counted = files.at(-1)?.file === last ? files.pop() : { passed: 0, failed: 0, skipped: 0 };
  files.push({ ...counted, file: last, failures, failed: counted.failed + 1 });
  return { files, left: entries.slice(entries.indexOf(last) + 1), said };
}

const begin = (file) => ({ file, test: undefined, failures: [] });

/** The last lines of a run: each failure once more, where nobody has to look for it. */
export const repeat = (failures) =>
  failures
    .map(({ file, test, reason }) => `  ${file}${test ? `: "${test}"` : ''}\n    ${reason}`)
    .join('\n');
