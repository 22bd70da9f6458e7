/**
 * Runs bundled test files in a process of their own, and knows at any time which test is running
 * there.
 */
import { fork } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';

/**
 * A process that cannot even end itself (see run-files.mjs) is ended after so long without
 * beginning another file.
 */
const LIMIT_MS = 90_000;

/**
 * Optimizing code that runs for a few seconds costs more than it saves, and so does collecting its
 * garbage often: 2 s of 17.
 */
const BRIEF = ['--no-opt', '--sparkplug', '--min-semi-space-size=64', '--max-semi-space-size=64'];

/**
 * Resolves with the counts, with what failed (`file`, the `test` if it was one, the `reason`), and
 * with what to print.
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
  os.setPriority(Number(child.pid), Math.min(os.getPriority() + priority, 19));
  let starved = false;
  const kill = () => {
    starved = true;
    child.kill('SIGKILL');
  };
  let timer = setTimeout(kill, LIMIT_MS); // before the first file there is the start of the process
  let said = '';
  let total = { passed: 0, failed: 0, skipped: 0 };
  let ended = false;
  const failures = [];
  /** @type {{ file: string | undefined, test?: string }} */
  let running = { file: entries[0] };
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => (said += text));
  child.on('message', (/** @type {any} */ { file, test, failure, counts, end }) => {
    if (file) {
      running = { file };
      clearTimeout(timer);
      timer = setTimeout(kill, limit);
    }
    if (test) running.test = test;
    if (failure) failures.push(failure);
    if (counts) total = counts;
    ended ||= end;
  });
  await new Promise((resolve) => child.on('close', resolve));
  clearTimeout(timer);
  if (ended) return { ...total, failures, said };
  const reason = starved
    ? `It held the event loop for ${limit / 1000} s: the process had to be killed.`
    : 'It never came to its end: it waits for something, or ended the process.';
  return {
    ...total,
    failed: total.failed + 1,
    failures: [...failures, { ...running, reason }],
    said,
  };
}

/** The last lines of a run: each failure once more, where nobody has to look for it. */
export const repeat = (failures) =>
  failures
    .map(({ file, test, reason }) => `  ${file}${test ? `: "${test}"` : ''}\n    ${reason}`)
    .join('\n');
