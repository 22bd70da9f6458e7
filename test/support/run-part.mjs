/**
 * Runs bundled test files in a process of their own, and knows at any time which test is running
 * there.
 */
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * A process that cannot even end itself (see run-files.mjs) is ended after so long without
 * beginning another test.
 */
const LIMIT_MS = 150_000;
/** The longest time that a timer takes: a person with a debugger needs theirs. */
const NO_LIMIT_MS = 2 ** 31 - 1;

/**
 * Sixteen megabytes for what is new: with Node's own limit garbage is collected often, and four
 * times as many save no time.
 */
const BRIEF = ['--min-semi-space-size=16', '--max-semi-space-size=16'];

/**
 * Runs `first`, then takes one file after the other from `entries`, which processes may share:
 * those that are quick take more. Resolves with the counts of each file and what failed in it
 * (`file`, the `test` if it was one, the `reason`), and with what to print. A process that came to a
 * bad end leaves the other files where they are. With `inspect` the process waits for a debugger,
 * says so at once, and has no limit of time. Without `optimize` code is left as it is at first.
 * @param {{ root: string, folder: string, first?: string[], entries: string[], optimize?: boolean,
 * limit?: number, env?: NodeJS.ProcessEnv, inspect?: boolean }} part
 * @returns {Promise<{ files: import('./again.mjs').Result[], said: string }>}
 */
export async function runPart({
  root,
  folder,
  first = [],
  entries,
  optimize = false,
  inspect = false,
  limit = inspect ? NO_LIMIT_MS : LIMIT_MS,
  env = inspect ? { ...process.env, TEST_LIMIT_MS: String(NO_LIMIT_MS) } : process.env,
}) {
  const note = path.join(folder, `running-${randomUUID()}`);
  const noteFile = openSync(note, 'w');
  const child = fork(path.join(root, 'test/support/run-files.mjs'), [folder], {
    execArgv: [
      '--enable-source-maps',
      ...BRIEF,
      ...(optimize ? [] : ['--no-opt']),
      ...(inspect ? ['--inspect-wait'] : []),
    ],
    stdio: ['ignore', 'pipe', inspect ? 'inherit' : 'pipe', 'ipc', noteFile],
    env,
  });
  closeSync(noteFile);
  let starved = false;
  let noted = statSync(note).mtimeMs;
  /** Ends the process, unless another test has begun meanwhile. */
  const look = () => {
    const latest = statSync(note).mtimeMs;
    starved = latest === noted;
    noted = latest;
    if (starved) child.kill('SIGKILL');
  };
  const timer = setInterval(look, limit);
  let said = '';
  let ended = false;
  /** @type {import('./again.mjs').Result[]} */
  const files = [];
  const before = [...first];
  /** @type {import('./again.mjs').Result} */
  let running = begin(before[0] ?? entries[0] ?? '');
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => (said += text));
  child.on('message', (/** @type {any} */ { next, failure, counts, end }) => {
    if (next) {
      const file = before.shift() ?? entries.shift();
      if (file !== undefined) running = begin(file);
      child.send({ file });
    }
    if (failure) running.failures.push(failure);
    if (counts) files.push({ ...running, ...counts });
    ended ||= end;
  });
  await new Promise((resolve) => child.on('close', resolve));
  clearInterval(timer);
  if (ended) return { files, said };
  const reason = starved
    ? `It held the event loop for ${limit / 1000} s: the process had to be killed.`
    : 'It never came to its end: it waits for something, or ended the process.';
  running.failures.push({ file: running.file, test: readNote(note), reason });
  // It may have ended after its last test.
  const counted = files.at(-1)?.file === running.file ? files.pop() : undefined;
  files.push({ ...running, ...counted, failed: (counted?.failed ?? 0) + 1 });
  return { files, said };
}

/** @param {string} file */
const begin = (file) => ({ file, passed: 0, failed: 0, skipped: 0, failures: [] });

/**
 * The test that runs, as the process noted it in the first line; undefined if none has begun.
 * @param {string} note
 */
function readNote(note) {
  const [line] = readFileSync(note, 'utf8').split('\n');
  return line ? (JSON.parse(line) ?? undefined) : undefined;
}

/** The last lines of a run: each failure once more, where it need not be looked for. */
export const repeat = (failures) =>
  failures
    .map(({ file, test, reason }) => `  ${file}${test ? `: "${test}"` : ''}\n    ${reason}`)
    .join('\n');
