/** Runs test files in a process of their own and always knows which test runs. */
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** The process is killed if one test runs longer. */
const TEST_LIMIT_MS = 150_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Node's default collects garbage more often; more than 16 MB saves no time. */
const MEMORY_FLAGS = ['--min-semi-space-size=16', '--max-semi-space-size=16'];

/**
 * Runs `first`, then files of the shared `entries`. Resolves with each file's counts and failures
 * and with what to print. A crash leaves the other files for others. `inspect` waits for a debugger
 * without a limit of time. Without `optimize`, code is not optimized.
 * @param {{ root: string, folder: string, first?: string[], entries: string[], optimize?: boolean,
 * limit?: number, env?: NodeJS.ProcessEnv, inspect?: boolean }} part
 * @returns {Promise<{ files: import('./second-attempt.mjs').Result[], output: string }>}
 */
export async function runPart({
  root,
  folder,
  first = [],
  entries,
  optimize = false,
  inspect = false,
  limit = inspect ? LONGEST_TIMER_MS : TEST_LIMIT_MS,
  env = inspect ? { ...process.env, TEST_LIMIT_MS: String(LONGEST_TIMER_MS) } : process.env,
}) {
  const noteFile = path.join(folder, `running-${randomUUID()}`);
  const noteDescriptor = openSync(noteFile, 'w');
  const child = fork(path.join(root, 'test/support/run-files.mjs'), [folder], {
    execArgv: [
      '--enable-source-maps',
      ...MEMORY_FLAGS,
      ...(optimize ? [] : ['--no-opt']),
      ...(inspect ? ['--inspect-wait'] : []),
    ],
    stdio: ['ignore', 'pipe', inspect ? 'inherit' : 'pipe', 'ipc', noteDescriptor],
    env,
  });
  closeSync(noteDescriptor);
  let isStuck = false;
  let notedAt = statSync(noteFile).mtimeMs;
  const killIfStuck = () => {
    const notedNow = statSync(noteFile).mtimeMs;
    isStuck = notedNow === notedAt;
    notedAt = notedNow;
    if (isStuck) child.kill('SIGKILL');
  };
  const timer = setInterval(killIfStuck, limit);
  let output = '';
  let hasEnded = false;
  /** @type {import('./second-attempt.mjs').Result[]} */
  const files = [];
  const firstFiles = [...first];
  /** @type {import('./second-attempt.mjs').Result} */
  let running = createResult(firstFiles[0] ?? entries[0] ?? '');
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => (output += text));
  child.on('message', (/** @type {any} */ { next, failure, counts, end }) => {
    if (next) {
      const file = firstFiles.shift() ?? entries.shift();
      if (file !== undefined) running = createResult(file);
      child.send({ file });
    }
    if (failure) running.failures.push(failure);
    if (counts) files.push({ ...running, ...counts });
    hasEnded ||= end;
  });
  await new Promise((resolve) => child.on('close', resolve));
  clearInterval(timer);
  if (hasEnded) return { files, output };
  const reason = isStuck
    ? `It blocked the event loop for ${limit / 1000} s, so the process was killed.`
    : 'It did not finish: it waits for something, or ended the process.';
  running.failures.push({ file: running.file, test: readNote(noteFile), reason });
  const countedResult = files.at(-1)?.file === running.file ? files.pop() : undefined;
  files.push({ ...running, ...countedResult, failed: (countedResult?.failed ?? 0) + 1 });
  return { files, output };
}

/** @param {string} file */
const createResult = (file) => ({ file, passed: 0, failed: 0, skipped: 0, failures: [] });

/**
 * The running test, as the process noted it in the first line.
 * @param {string} noteFile
 */
function readNote(noteFile) {
  const [line] = readFileSync(noteFile, 'utf8').split('\n');
  return line ? (JSON.parse(line) ?? undefined) : undefined;
}

/** Repeats each failure, to show it at the end. */
export const repeat = (failures) =>
  failures
    .map(({ file, test, reason }) => `  ${file}${test ? `: "${test}"` : ''}\n    ${reason}`)
    .join('\n');
