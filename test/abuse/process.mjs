/** The built server as a process of its own, and a few calls to it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import path from 'node:path';
import esbuild from 'esbuild';
import { encryptionThread } from '../../src/build/server.mjs';

export const ABUSE_ADMIN = { username: 'admin', password: 'the abuse suite' };

/** Flags of Node.js for the server alone: `SERVER_FLAGS="--cpu-prof --cpu-prof-dir=FOLDER"`. */
const SERVER_FLAGS = process.env.SERVER_FLAGS?.split(' ') ?? [];

/**
 * For a server whose push service is to be one of a browser's, as almost all are: HTTP/2 is spoken
 * with those alone, by their names.
 * @type {import('esbuild').Plugin}
 */
export const LOCAL_BROWSER_SERVICE = {
  name: 'local-browser-service',
  setup(build) {
    build.onLoad({ filter: /https\/browser-services\.ts$/ }, () => ({
      contents: "export const isBrowserService = (host) => host === 'localhost';",
    }));
  },
};

/** @returns the folder of the build, which the caller removes */
export async function buildServer(plugins = []) {
  await fs.mkdir('node_modules/.cache', { recursive: true });
  const built = await fs.mkdtemp(path.resolve('node_modules/.cache/fieldbell-server-'));
  await esbuild.build({
    entryPoints: ['server/main.ts', 'server/admin.ts'],
    outdir: path.join(built, 'server'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    logLevel: 'error',
    plugins,
    define: { VERSION: '"under test"', ...(await encryptionThread(process.cwd())) },
  });
  return built;
}

/** Resolves when the server has printed its address. */
export async function startProcess(built, environment) {
  const child = spawn(process.execPath, [...SERVER_FLAGS, path.join(built, 'server/main.js')], {
    // A few people play many here, so the limits are high.
    env: {
      ...process.env,
      PORT: '0',
      READS_PER_SECOND: '0',
      ADMIN_PASSWORD: ABUSE_ADMIN.password,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let output = '';
  let found;
  const address = await new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
        found ??= /http:\/\/localhost:\d+/.exec(output)?.[0];
        if (found) resolve(found);
      });
    }
    // The event `close` comes after all output.
    child.once('close', () => reject(new Error(`The server did not start:\n${output}`)));
  });
  return {
    address,
    pid: child.pid,
    output: () => output,
    /** Resolves with the exit code and the milliseconds it took. */
    async end(signal) {
      const began = performance.now();
      child.kill(signal);
      const [code] = await exited;
      return { code, milliseconds: performance.now() - began };
    },
  };
}

/** Rejects if the status is not 2xx. */
export async function signIn(address, account = ABUSE_ADMIN) {
  const call = async (method, place, body, headers = {}) => {
    const response = await fetch(`${address}/api${place}`, {
      method,
      headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
      body: body && JSON.stringify(body),
    });
    if (!response.ok)
      throw new Error(`${method} ${place}: ${response.status} ${await response.text()}`);
    return /json/.test(response.headers.get('content-type') ?? '')
      ? response.json()
      : response.text();
  };
  const { token } = await call('POST', '/auth/login', account);
  const callAs = (method, place, body, headers) =>
    call(method, place, body, { ...headers, Authorization: `Bearer ${token}` });
  return Object.assign(callAs, { token });
}

export function getQuantile(values, share) {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
