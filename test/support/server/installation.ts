/**
 * A whole Fieldbell as an operator runs it: the built server in a process of its own, on an empty
 * folder.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { localCertificate } from '../push-services/tls';

export interface InstallationSettings {
  /** The folder that the build wrote. */
  built: string;
  environment?: Record<string, string>;
  /** Local ports of stand-ins for hosts that the server believes to speak with. */
  redirect?: Record<string, number>;
  /** Which program to run: the server, or the demo with its sample company. */
  program?: 'main' | 'demo';
}

export interface Installation {
  /** Such as `http://localhost:4321`. */
  address: string;
  /** What it printed, line by line. */
  output: string[];
  stop(): Promise<void>;
}

export const ADMIN_PASSWORD = 'correct-horse-battery';

export async function startInstallation({
  built,
  environment = {},
  redirect = {},
  program = 'main',
}: InstallationSettings): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'fieldbell-e2e-'));
  const certificate = join(folder, 'stand-ins.pem');
  writeFileSync(certificate, localCertificate().cert);
  const hosts = Object.entries(redirect).map(([host, port]) => `${host}=${port}`);
  const server = spawn(
    process.execPath,
    [
      '--import',
      resolve('test/support/push-services/redirect-hosts.mjs'),
      join(built, `server/${program}.js`),
    ],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        PORT: '0',
        DATA_DIR: folder,
        ADMIN_PASSWORD,
        NODE_EXTRA_CA_CERTS: certificate,
        REDIRECT_HOSTS: hosts.join(','),
        ...environment,
      },
    },
  );
  const output: string[] = [];
  const address = new Promise<string>((found, failed) => {
    const read = (line: string) => {
      output.push(line);
      const [running] = /http:\/\/localhost:\d+/.exec(line) ?? [];
      if (running) found(running);
    };
    createInterface(server.stdout).on('line', read);
    createInterface(server.stderr).on('line', (line) => output.push(line));
    server.once('exit', () => failed(new Error(`The server ended:\n${output.join('\n')}`)));
  });

  return {
    address: await address,
    output,
    async stop() {
      const ended = once(server, 'exit');
      if (server.exitCode === null) {
        server.kill('SIGTERM');
        await ended;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
