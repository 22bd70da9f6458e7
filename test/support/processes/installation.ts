/** The built server in a process of its own, on an empty folder. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { localCertificate } from '../network/tls';

export interface InstallationSettings {
  built: string;
  environment?: Record<string, string>;
  /** Local ports of stand-ins, by the host that each replaces. */
  redirect?: Record<string, number>;
  /** The server, or the demo with its sample company. */
  program?: 'main' | 'demo';
}

export interface Installation {
  /** The server's address, such as `http://localhost:4321`. */
  address: string;
  output: string[];
  /** Ends the server and keeps its data. */
  halt(): Promise<void>;
  /**
   * Starts the server again at the same address.
   * @param ahead milliseconds by which its clock is ahead
   */
  resume(ahead?: number): Promise<void>;
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
  const output: string[] = [];
  async function run(port: string, ahead = 0): Promise<{ server: ChildProcess; address: string }> {
    const server = spawn(
      process.execPath,
      [
        '--import',
        resolve('test/support/network/redirect-hosts.mjs'),
        '--import',
        resolve('test/support/processes/clock-ahead.mjs'),
        join(built, `server/${program}.js`),
      ],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          PATH: process.env.PATH,
          PORT: port,
          DATA_DIR: folder,
          ADMIN_PASSWORD,
          NODE_EXTRA_CA_CERTS: certificate,
          REDIRECT_HOSTS: hosts.join(','),
          CLOCK_AHEAD: String(ahead),
          ...environment,
        },
      },
    );
    const address = await new Promise<string>((found, failed) => {
      const readAddress = (line: string) => {
        output.push(line);
        const [running] = /http:\/\/(?:localhost|127\.0\.0\.1):\d+/.exec(line) ?? [];
        if (running) found(running);
      };
      createInterface(server.stdout).on('line', readAddress);
      createInterface(server.stderr).on('line', (line) => output.push(line));
      server.once('close', () => failed(new Error(`The server ended:\n${output.join('\n')}`)));
    });
    return { server, address };
  }

  const { address, ...first } = await run('0');
  let { server } = first;
  const halt = async (): Promise<void> => {
    if (server.exitCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
  };
  return {
    address,
    output,
    halt,
    async resume(ahead) {
      ({ server } = await run(new URL(address).port, ahead));
    },
    async stop() {
      await halt();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
