/**
 * PostgreSQL as in production: a primary, a synchronous replica, haproxy that leads to the primary,
 * and PgBouncer in transaction mode.
 */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chownSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { freePort } from '../support/port.mjs';
import { example, startProgram } from './programs.mjs';

const VERSIONS = '/usr/lib/postgresql';
const [newest] = readdirSync(VERSIONS).sort((one, other) => Number(other) - Number(one));
const BIN = path.join(VERSIONS, newest ?? '', 'bin');
/** PostgreSQL and PgBouncer do not run as root. */
const AS = ['-u', 'postgres', '--'];

/** @param {string} folder for all files, readable by all */
export async function startPair(folder, cleanUp) {
  const id = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  const home = path.join(folder, 'postgres');
  mkdirSync(home);
  chownSync(home, id('-u'), id('-g'));
  const run = (program, ...words) =>
    execFileSync('runuser', [...AS, `${BIN}/${program}`, ...words], { cwd: home, stdio: 'ignore' });
  const place = (name) => path.join(home, name);
  const ports = { a: await freePort(), b: await freePort() };
  const start = (name) => {
    const options = `-p ${ports[name]}`;
    run('pg_ctl', '-D', place(name), '-o', options, '-l', `${home}/${name}.log`, '-w', 'start');
    cleanUp(() => {
      try {
        run('pg_ctl', '-D', place(name), '-m', 'immediate', 'stop');
      } catch {
        // It is gone already.
      }
    });
  };
  run(
    'initdb',
    '-D',
    place('a'),
    '-U',
    'postgres',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
  );
  appendFileSync(
    path.join(place('a'), 'postgresql.conf'),
    `listen_addresses = '127.0.0.1'\nunix_socket_directories = '${home}'\nmax_connections = 100
wal_level = replica\nmax_wal_senders = 5\nhot_standby = on\nwal_keep_size = 256MB\n`,
  );
  start('a');
  const address = (name, database) => `postgres://postgres@127.0.0.1:${ports[name]}/${database}`;
  await ask(address('a', 'postgres'), [
    'create role copier replication login',
    'create role "check" login',
    'create database fieldbell',
  ]);
  const source = `host=127.0.0.1 port=${ports.a} user=copier application_name=b`;
  run('pg_basebackup', '-d', source, '-D', place('b'), '-R', '-X', 'stream', '-c', 'fast');
  start('b');
  // The copy exists, and once promoted it waits for no replica.
  await ask(address('a', 'postgres'), [
    `alter system set synchronous_standby_names = 'b'`,
    'select pg_reload_conf()',
  ]);
  const primaryPort = await startPrimaryProxy(folder, ports, cleanUp);
  const pooled = await startPooler(home, primaryPort, cleanUp);
  return {
    url: `postgres://postgres@127.0.0.1:${pooled}/fieldbell`,
    /** Past the pooler. */
    direct: (name) => address(name, 'fieldbell'),
    /** As a machine that loses power. */
    kill() {
      const [pid] = readFileSync(path.join(place('a'), 'postmaster.pid'), 'utf8').split('\n');
      process.kill(Number(pid), 'SIGKILL');
    },
    promote: () => run('pg_ctl', '-D', place('b'), '-w', 'promote'),
  };
}

async function ask(connectionString, statements) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

async function startPrimaryProxy(folder, ports, cleanUp) {
  const port = await freePort();
  const text = example('haproxy-postgres.cfg', [
    [/ {2}user haproxy\n {2}group haproxy\n/, ''],
    ['127.0.0.1:5432', `127.0.0.1:${port}`],
    ['10.0.0.21:5432', `127.0.0.1:${ports.a}`],
    ['10.0.0.22:5432', `127.0.0.1:${ports.b}`],
  ]);
  writeFileSync(`${folder}/haproxy-postgres.cfg`, text);
  const words = ['-f', `${folder}/haproxy-postgres.cfg`, '-db'];
  cleanUp((await startProgram(port, 'haproxy', words)).end);
  return port;
}

async function startPooler(home, target, cleanUp) {
  const port = await freePort();
  const text = example('pgbouncer.ini', [
    ['host=127.0.0.1 port=5432', `host=127.0.0.1 port=${target}`],
    ['listen_port = 6432', `listen_port = ${port}\nunix_socket_dir =`],
    ['auth_type = scram-sha-256', 'auth_type = trust'],
    ['/etc/pgbouncer/userlist.txt', `${home}/userlist.txt`],
  ]);
  writeFileSync(`${home}/userlist.txt`, '"postgres" ""\n');
  writeFileSync(`${home}/pgbouncer.ini`, text);
  const words = [...AS, 'pgbouncer', `${home}/pgbouncer.ini`];
  cleanUp((await startProgram(port, 'runuser', words, { cwd: home })).end);
  return port;
}
