/**
 * `npm start`, as a newcomer types it, must answer and print the first admin's working password.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { once } from 'node:events';

/** It builds first, which takes half a minute on a busy machine. */
const LIMIT_MS = 240_000;
const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'fieldbell-start-'));
const port = 20_000 + Math.floor(Math.random() * 20_000);
const started = performance.now();
const server = spawn('npm', ['start'], {
  env: {
    ...process.env,
    PORT: String(port),
    DATA_DIR: folder,
    DATABASE_URL: '',
    ADMIN_PASSWORD: '',
  },
  detached: true,
});
let output = '';
server.stdout.on('data', (chunk) => (output += chunk));
server.stderr.on('data', (chunk) => (output += chunk));

async function responses() {
  while (performance.now() - started < LIMIT_MS) {
    const response = await fetch(`http://localhost:${port}/api/health`).catch(() => null);
    if (response?.ok && output.includes('"started"')) return performance.now() - started;
    await new Promise((resolve) => setTimeout(resolve, 100)); // polling an address that does not listen yet
  }
  throw new Error(`no answer from /api/health within ${LIMIT_MS} ms`);
}

let fault;
try {
  const milliseconds = await responses();
  // Through a pipe each line is JSON, after the output of npm and the build.
  const lines = output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  const { username, password } = lines.find(({ event }) => event === 'first administrator') ?? {};
  if (!output.includes(`http://localhost:${port}`)) throw new Error('the address was not printed');
  const login = await fetch(`http://localhost:${port}/api/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  if (!login.ok) throw new Error(`the printed password was refused: ${login.status}`);
  console.log(
    `/api/health answered ${(milliseconds / 1000).toFixed(1)} s after npm start; the printed admin can sign in`,
  );
} catch (error) {
  fault = error;
  console.log(`FAILED ${error.message}\n${output}`);
}
const stopped = once(server, 'exit');
process.kill(-Number(server.pid), 'SIGTERM');
await stopped;
await fs.rm(folder, { recursive: true, force: true });
console.log(fault ? '0 passed, 1 failed' : '1 passed, 0 failed');
process.exitCode = fault ? 1 : 0;
