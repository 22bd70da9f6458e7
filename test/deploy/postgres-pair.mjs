/**
 * PostgreSQL as in production: a primary and a synchronous replica under Patroni, haproxy that leads to
 * the primary, and PgBouncer in transaction mode.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../support/port.mjs';
import { readExample, startProgram } from './programs.mjs';

const VERSIONS = '/usr/lib/postgresql';
const [newest] = readdirSync(VERSIONS).sort((one, other) => Number(other) - Number(one));
const BIN = path.join(VERSIONS, newest ?? '', 'bin');
/** Until both servers run as primary and replica. */
const MAX_START_MS = 90_000;

/** @param {string} folder for all files, readable by all */
export async function startPair(folder, cleanUp) {
  const id = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  const home = path.join(folder, 'postgres');
  mkdirSync(home);
  // None of these programs runs as root.
  const owner = { uid: id('-u'), gid: id('-g') };
  chownSync(home, owner.uid, owner.gid);
  const spawnOptions = { ...owner, cwd: home, env: { ...process.env, HOME: home } };
  const etcd = await startEtcd(home, spawnOptions, cleanUp);
  const a = await prepareMember('a', home, etcd, spawnOptions, cleanUp);
  const b = await prepareMember('b', home, etcd, spawnOptions, cleanUp);
  await a.start();
  await a.becomes('primary');
  await b.start();
  await b.becomes('sync');
  const address = (port, user, database) =>
    `postgres://${user}:${PASSWORD}@127.0.0.1:${port}/${database}`;
  await runStatements(address(a.port, 'postgres', 'postgres'), [
    'create role "check" login',
    `create role fieldbell login password '${PASSWORD}'`,
    'create database fieldbell owner fieldbell',
  ]);
  const ports = { a: a.port, b: b.port };
  const primaryPort = await startPrimaryProxy(folder, ports, cleanUp);
  const poolerPort = await startPooler(home, primaryPort, spawnOptions, cleanUp);
  return {
    url: address(poolerPort, 'fieldbell', 'fieldbell'),
    /** Past the pooler and haproxy. */
    direct: (name) => address(ports[name], 'fieldbell', 'fieldbell'),
    /** As a machine that loses power. */
    loseA: a.kill,
    /** Switches the machine on again, until it is the replica of b. */
    async startA() {
      await a.start();
      await a.becomes('sync');
    },
  };
}

const PASSWORD = 'first-password';

async function startEtcd(home, spawnOptions, cleanUp) {
  const [port, peers] = [await freePort(), await freePort()];
  const [client, peer] = [port, peers].map((one) => `http://127.0.0.1:${one}`);
  const programArguments = [
    ...['--data-dir', `${home}/etcd`, '--initial-cluster', `default=${peer}`],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
  ];
  cleanUp((await startProgram(port, 'etcd', programArguments, spawnOptions)).end);
  return port;
}

/** One machine: PostgreSQL under Patroni, by our example. */
async function prepareMember(name, home, etcd, spawnOptions, cleanUp) {
  const [port, api] = [await freePort(), await freePort()];
  const data = path.join(home, name);
  const text = readExample('patroni.yml', [
    ['name: a\n', `name: machine-${name}\n`],
    ['[10.0.0.31:2379, 10.0.0.32:2379, 10.0.0.33:2379]', `[127.0.0.1:${etcd}]`],
    ['10.0.0.21:8008', `127.0.0.1:${api}`],
    ['10.0.0.21:5432', `127.0.0.1:${port}`],
    ['/var/lib/postgresql/15/fieldbell', data],
    ['/var/lib/postgresql/fieldbell.pgpass', `${data}.pgpass`],
    ['bin_dir: /usr/lib/postgresql/15/bin', `bin_dir: "${BIN}"`],
    ['10.0.0.0/24', '127.0.0.1/32'],
    ['10.0.0.11/32', '127.0.0.1/32'],
    // Where this user may write.
    ['max_connections: 100', `max_connections: 100, unix_socket_directories: ${home}`],
  ]);
  writeFileSync(`${data}.yml`, text);
  let program;
  const readPostmasterPid = () =>
    Number(readFileSync(`${data}/postmaster.pid`, 'utf8').split('\n')[0]);
  return {
    port,
    async start() {
      program = await startProgram(api, 'patroni', [`${data}.yml`], spawnOptions);
      const { end } = program;
      cleanUp(async () => {
        await end();
        try {
          execFileSync(`${BIN}/pg_ctl`, ['-D', data, '-m', 'immediate', 'stop'], spawnOptions);
        } catch {
          // Patroni has stopped it, or it was killed.
        }
      });
    },
    /** @param {'primary' | 'sync'} role as Patroni's API calls it */
    async becomes(role) {
      const deadline = Date.now() + MAX_START_MS;
      for (;;) {
        const response = await fetch(`http://127.0.0.1:${api}/${role}`);
        await response.text();
        if (response.ok) return;
        assert.ok(Date.now() < deadline, `${name} is not ${role}:\n${program.output()}`);
        await wait(200); // nothing reports it
      }
    },
    kill() {
      // First, or it would notice and give up its leadership at once.
      process.kill(program.pid, 'SIGKILL');
      process.kill(readPostmasterPid(), 'SIGKILL');
    },
  };
}

async function runStatements(connectionString, statements) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

async function startPrimaryProxy(folder, ports, cleanUp) {
  const port = await freePort();
  const text = readExample('haproxy-postgres.cfg', [
    [/ {2}user haproxy\n {2}group haproxy\n/, ''],
    ['127.0.0.1:5432', `127.0.0.1:${port}`],
    ['10.0.0.21:5432', `127.0.0.1:${ports.a}`],
    ['10.0.0.22:5432', `127.0.0.1:${ports.b}`],
  ]);
  writeFileSync(`${folder}/haproxy-postgres.cfg`, text);
  const programArguments = ['-f', `${folder}/haproxy-postgres.cfg`, '-db'];
  cleanUp((await startProgram(port, 'haproxy', programArguments)).end);
  return port;
}

async function startPooler(home, target, spawnOptions, cleanUp) {
  const port = await freePort();
  const text = readExample('pgbouncer.ini', [
    ['host=127.0.0.1 port=5432', `host=127.0.0.1 port=${target}`],
    ['listen_port = 6432', `listen_port = ${port}\nunix_socket_dir =`],
    ['/etc/pgbouncer/userlist.txt', `${home}/userlist.txt`],
  ]);
  writeFileSync(`${home}/userlist.txt`, `"fieldbell" "${PASSWORD}"\n`);
  writeFileSync(`${home}/pgbouncer.ini`, text);
  cleanUp((await startProgram(port, 'pgbouncer', [`${home}/pgbouncer.ini`], spawnOptions)).end);
  return port;
}
