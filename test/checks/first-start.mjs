/**
 * `npm start`, as a newcomer types it, builds with one line of progress, answers, and prints the
 * first admin's working password. The second start, at a terminal, builds nothing and ends with both.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { once } from 'node:events';

/** `npm start` builds first, which takes half a minute on a busy machine. */
const START_LIMIT_MS = 240_000;

/**
 * Starts the program, and ends it once `check` resolves.
 * @param {string} command
 * @param {string[]} words
 * @param {(answers: () => Promise<number>, output: () => string, port: number) => Promise<string>} check
 */
async function start(command, words, check) {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'fieldbell-start-'));
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const started = performance.now();
  const server = spawn(command, words, {
    env: {
      ...process.env,
      PORT: String(port),
      DATA_DIR: folder,
      DATABASE_URL: '',
      ADMIN_PASSWORD: '',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const stopped = once(server, 'exit');
  let output = '';
  for (const stream of [server.stdout, server.stderr])
    stream.setEncoding('utf8').on('data', (chunk) => (output += chunk));

  async function answers() {
    while (performance.now() - started < START_LIMIT_MS && server.exitCode === null) {
      const response = await fetch(`http://localhost:${port}/api/health`).catch(() => null);
      if (response?.ok && /"started"|Password: \S+/.test(output))
        return performance.now() - started;
      await new Promise((resolve) => setTimeout(resolve, 100)); // polling an address that does not listen yet
    }
    throw new Error(
      server.exitCode === null
        ? `no answer from /api/health within ${START_LIMIT_MS} ms`
        : `it ended with exit code ${server.exitCode}`,
    );
  }
  try {
    return await check(answers, () => output, port);
  } catch (error) {
    throw new Error(`${error.message}\n${output}`);
  } finally {
    if (server.exitCode === null) process.kill(-Number(server.pid), 'SIGTERM');
    await stopped;
    await fs.rm(folder, { recursive: true, force: true });
  }
}

async function signIn(port, username, password) {
  const login = await fetch(`http://localhost:${port}/api/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  if (!login.ok) throw new Error(`the printed password was refused: ${login.status}`);
}

/** Through a pipe each line is JSON, after npm's lines and the build's. */
const throughPipe = () =>
  start('npm', ['start'], async (answers, output, port) => {
    const milliseconds = await answers();
    const lines = output().split('\n').filter(Boolean);
    const json = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
    const otherLines = lines.filter((line) => !/^[{>]/.test(line));
    if (
      otherLines.length > 1 ||
      otherLines.some((line) => !/^Building Fieldbell … done in \d+ s$/.test(line))
    )
      throw new Error(`more than one line of progress: ${otherLines.join(' | ')}`);
    const { username, password } = json.find(({ event }) => event === 'first administrator') ?? {};
    if (!output().includes(`http://localhost:${port}`))
      throw new Error('the address was not printed');
    await signIn(port, username, password);
    return `/api/health answered ${(milliseconds / 1000).toFixed(1)} s after npm start; the printed admin can sign in`;
  });

/** Debian's `script` is a terminal for a program. */
const atTerminal = () =>
  start('script', ['-qec', 'npm start', '/dev/null'], async (answers, output, port) => {
    await answers();
    const screen = output().replace(/\r/g, '');
    if (screen.includes('Building')) throw new Error('it was built again without a change');
    const [, address, rest = ''] = /running at (\S+)\n(.*)$/s.exec(screen) ?? [];
    const [, password = ''] = /Password: (\S+)/.exec(rest) ?? [];
    if (address !== `http://localhost:${port}` || !/shown only once/.test(rest))
      throw new Error('the screen does not end with address and password');
    if (rest.trim().split('\n').length > 8) throw new Error('more follows the password');
    await signIn(port, 'admin', password);
    return 'a second start builds nothing, and its screen ends with address and password';
  });

let fault;
try {
  console.log(await throughPipe());
  console.log(await atTerminal());
} catch (error) {
  fault = error;
  console.log(`FAILED ${error.message}`);
}
console.log(fault ? '0 passed, 1 failed' : '1 passed, 0 failed');
process.exitCode = fault ? 1 : 0;
