/**
 * Runs bundled test files in a process of their own, and knows at any time which test is running
 * there.
 */
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync } from 'node:fs';
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
 * Runs `first`, then takes one file after the other from `entries`, which processes may share:
 * those that are quick take more. Resolves with the counts, with what failed (`file`, the `test` if
 * it was one, the `reason`), and with what to print. A process that came to a bad end leaves the
 * other files where they are.
 * @param {{ root: string, folder: string, first?: string[], entries: string[],
 * limit?: number, env?: NodeJS.ProcessEnv }} part
 */
export async function runPart({
  root,
  folder,
  first = [],
  entries,
  limit = LIMIT_MS,
  env = process.env,
}) {
  const note = path.join(folder, `running-${randomUUID()}`);
  const noteFile = openSync(note, 'w');
  const child = fork(path.join(root, 'test/support/run-files.mjs'), [folder], {
    execArgv: ['--enable-source-maps', ...BRIEF],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc', noteFile],
    env,
  });
  closeSync(noteFile);
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
  const before = [...first];
  let file = before[0] ?? entries[0];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (said += text));
  child.on('message', ({ next, alive, failure, counts, end }) => {
    if (next) {
      file = before.shift() ?? entries.shift();
      child.send({ file });
    }
    if (next || alive) {
      clearTimeout(timer);
      timer = setTimeout(kill, limit);
    }
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
    failures: [...failures, { file, test: readNote(note), reason }],
    said,
  };
}

/** The test that runs, as the process noted it in the first line; undefined if none has begun. */
function readNote(note) {
  const [line] = readFileSync(note, 'utf8').split('\n');
  return line ? (JSON.parse(line) ?? undefined) : undefined;
}

/** The last lines of a run: each failure once more, where nobody has to look for it. */
export const repeat = (failures) =>
  failures
    .map(({ file, test, reason }) => `  ${file}${test ? `: "${test}"` : ''}\n    ${reason}`)
    .join('\n');
