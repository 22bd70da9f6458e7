/** Runs Debian's PostgreSQL in a folder that is removed, on a free port. */
import { execFileSync, spawn } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { once } from 'node:events';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { freePort } from '../port.mjs';

const VERSIONS_FOLDER = '/usr/lib/postgresql';

/** The newest installed version's programs. Throws without any: `apt-get install postgresql`. */
function findBinaries() {
  const versions = readdirSync(VERSIONS_FOLDER)
    .map(Number)
    .filter(Boolean)
    .sort((one, other) => other - one);
  if (versions.length === 0) throw new Error(`No PostgreSQL in ${VERSIONS_FOLDER}`);
  return path.join(VERSIONS_FOLDER, String(versions[0]), 'bin');
}

/** PostgreSQL does not run as root. */
const isRoot = process.getuid?.() === 0;
/** @type {(command: string, args: string[]) => [command: string, args: string[]]} */
const asServer = (command, args) =>
  isRoot ? ['runuser', ['-u', 'postgres', '--', command, ...args]] : [command, args];

/** The folder is in memory if there is enough: ten times as fast as a slow disk. */
function chooseFolder() {
  const memory = '/dev/shm';
  if (!existsSync(memory)) return os.tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > 6 * 1024 ** 3 ? memory : os.tmpdir();
}

/**
 * Nothing is synchronized to the disk.
 * @param {string[]} [settings] such as `work_mem=8MB`
 * @returns its connection string and how to stop it
 */
export async function startPostgres(settings = []) {
  const bin = findBinaries();
  const folder = mkdtempSync(path.join(chooseFolder(), 'fieldbell-postgres-'));
  if (isRoot) {
    const id = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
    chownSync(folder, id('-u'), id('-g'));
  }
  const [initialize, initializeArguments] = asServer(`${bin}/initdb`, [
    '-D',
    `${folder}/data`,
    '-U',
    'postgres',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--no-sync',
    '--locale=C.UTF-8',
  ]);
  execFileSync(initialize, initializeArguments, { cwd: folder, stdio: 'ignore' });

  const port = await freePort();
  let server;
  const options = [
    '-D',
    `${folder}/data`,
    '-p',
    String(port),
    '-k',
    folder,
    '-h',
    '127.0.0.1',
    '-c',
    'fsync=off',
    '-c',
    'max_connections=300',
    ...settings.flatMap((setting) => ['-c', setting]),
  ];
  const [command, commandArguments] = asServer(`${bin}/postgres`, options);
  const start = async () => {
    server = spawn(command, commandArguments, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    await new Promise((resolve, reject) => {
      let output = '';
      server.stderr.on('data', (chunk) => {
        output += chunk;
        if (output.includes('ready to accept connections')) resolve(undefined);
      });
      server.once('close', () => reject(new Error(`PostgreSQL did not start:\n${output}`)));
    });
  };
  await start();
  const address = `postgres://postgres@127.0.0.1:${port}`;
  return {
    url: `${address}/postgres`,
    /** @returns its connection string */
    async createDatabase(name) {
      const client = new pg.Client({ connectionString: `${address}/postgres` });
      await client.connect();
      await client.query(`create database ${name}`);
      await client.end();
      return `${address}/${name}`;
    },
    /** Ends all connections to a database. */
    async terminateAll(name) {
      const client = new pg.Client({ connectionString: `${address}/postgres` });
      await client.connect();
      await client.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1',
        [name],
      );
      await client.end();
    },
    /** Ends PostgreSQL at once, like a power cut. */
    async kill() {
      const exited = once(server, 'exit');
      // PostgreSQL's other processes end a little later, and the next start waits for that.
      const pid = Number(readFileSync(`${folder}/data/postmaster.pid`, 'utf8').split('\n')[0]);
      process.kill(pid, 'SIGKILL');
      await exited;
    },
    start,
    async stop() {
      const stopped = once(server, 'exit');
      execFileSync(
        ...asServer(`${bin}/pg_ctl`, ['-D', `${folder}/data`, '-m', 'immediate', 'stop']),
        { cwd: folder, stdio: 'ignore' },
      );
      await stopped;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
